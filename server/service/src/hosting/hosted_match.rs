//! What the server knows of a match, whatever its game.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::v1;
use bridgemaster_referee::{BotIdentity, HistoryId, Known};
use bridgemaster_store::KeyName;
use tokio::sync::Notify;
use tracing::{Span, error_span};

use super::{
    MatchId, SeatInput, outbound::Outbound, seat_stream::StreamNumber, spectators::WatchReceiver,
    timer::Timed,
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    transport::Watcher,
};

/// A match of any game, in play or over.
pub(crate) trait HostedMatch: Send + Sync {
    /// Its identifier.
    fn id(&self) -> &MatchId;

    /// A span of what happens in it. Of the highest level, so that no filter of the log takes it
    /// away from what is logged within.
    fn span(&self) -> Span {
        error_span!("match", match_id = %self.id())
    }

    /// Its game.
    fn game_id(&self) -> &'static str;

    /// The key that made it, on a server that asks for keys.
    fn maker(&self) -> Option<&KeyName>;

    /// Whether the key of this name made it, or its bot has a seat in it.
    fn is_of(&self, key: &KeyName) -> bool;

    /// The names that it is of: the key that made it, and the bots that are named after keys.
    fn parties(&self) -> Vec<KeyName>;

    /// Takes a seat with a new stream; an older stream of the seat ends. With a key, the bot is
    /// the one of the key's name, and a seat that the bot of another key holds is refused. `known` is
    /// what the bot says that it has. A refusal waits as everything does that shows how the match stands.
    fn join(
        &self,
        seat: Seat,
        bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Result<Joined, Gated<Refusal>>;

    /// Whether the bot that is named after this key has a seat, with a stream or without.
    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool;

    /// The bot of a seat came, and the server turned it away for a reason of its own.
    fn turned_away(&self, seat: Seat);

    /// Takes what a stream of a seat reports; what a superseded stream reports is dropped. Gives
    /// the gate that the effect waits for, if it does.
    fn report(&self, seat: Seat, number: StreamNumber, input: SeatInput) -> Option<Gate>;

    /// What is known of it.
    fn info(&self) -> Gated<v1::MatchInfo>;

    /// What is known of it, if it is in this state; `Unspecified` is any.
    fn info_in(&self, state: v1::MatchState) -> Option<Gated<v1::MatchInfo>>;

    /// Follows it, as this watcher.
    fn watch(&self, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal>;

    /// Its replay.
    fn replay(&self) -> ReplayBytes;
}

/// A seat that was taken with a new stream.
pub(crate) struct Joined {
    /// The stream.
    pub(crate) number: StreamNumber,
    /// What is sent on it, after its Welcome.
    pub(crate) outbound: Outbound,
    /// What its Welcome tells.
    pub(crate) opening: Gated<Opening>,
}

/// Where a stream begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The history that the match is in.
    pub(crate) history_id: HistoryId,
    /// What came after the last message that the bot has follows; otherwise it begins anew.
    pub(crate) resumed: bool,
}

/// The replay of a match.
pub(crate) enum ReplayBytes {
    /// The match has not ended.
    Growing,
    /// The bytes of the replay file.
    Here(Gated<Arc<[u8]>>),
    /// The store has them.
    InStore,
}

/// A match in play.
pub(crate) trait PlayedMatch: HostedMatch + Timed {
    /// Notified when the deadline moved to an earlier moment than the timer knows, or is gone.
    fn sooner(&self) -> Arc<Notify>;

    /// The server was restarted, and its clock runs again.
    fn restarted(&self);
}

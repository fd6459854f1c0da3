//! Interfaces to matches that do not depend on the game.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bridgemaster_edge::{
    refusal::Refusal,
    spans::MatchSpans,
    transport::{ForwardingNode, Watcher},
};
use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::{
    Cancellation, JoinRequest, MatchId, OfferedSeat, ReplaceTicketsError, SeatInput, StreamNumber,
    StreamStart, TicketHash, Verdict,
};
use bridgemaster_proto::v1;
use bridgemaster_referee::Time;
use bridgemaster_store::KeyName;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::{Span, error_span};

use super::{
    MatchQuery, Ticket, clock::MatchClock, groups::GroupKey, outbound::Outbound, relay::Relay,
    spectators::WatchReceiver,
};
use crate::journal::{CommitGate, Gated};

/// The properties of a match that never change.
pub struct MatchFacts {
    /// Identifies the match.
    pub id: MatchId,
    /// The game's identifier in the catalogue.
    pub game_id: &'static str,
    /// The version of the game's rules that the match uses.
    pub rules_version: u32,
    /// The number of seats.
    pub seats: SeatCount,
    /// The key that created the match; `None` on a server without keys.
    pub maker: Option<KeyName>,
    /// The group that the match belongs to, if any.
    pub group: Option<v1::MatchGroup>,
    /// The key of the match's group, if the group withholds the seeds of its matches until the
    /// group has ended.
    pub withheld_group: Option<GroupKey>,
    /// The seats that are offered to attending bots; a finished match offers no seats.
    pub offered: BTreeMap<Seat, OfferedSeat>,
    /// The time limit for bots to join for the first time.
    pub startup_timeout: Duration,
    /// The delay with which spectators see the match, if there is one.
    pub spectator_delay: Option<Duration>,
}

impl MatchFacts {
    /// Returns the match's identity for trace spans.
    pub(super) fn match_spans(&self) -> MatchSpans<'_> {
        MatchSpans { id: &self.id, game_id: self.game_id }
    }

    /// Returns the spectators' delay of these rules, if there is one.
    pub(super) fn delay_of(rules: Option<v1::SpectatorRules>) -> Option<Duration> {
        let delay_ms = rules?.delay_ms;
        (delay_ms > 0).then(|| Duration::from_millis(delay_ms.into()))
    }
}

/// Removes the config from the state of a match.
pub(super) fn without_config(mut info: v1::MatchInfo) -> v1::MatchInfo {
    info.config = None;
    info
}

/// A match of any game, in play or ended.
pub trait HostedMatch: Send + Sync {
    /// Returns the properties that never change.
    fn facts(&self) -> &MatchFacts;

    /// Returns the identifier of the match.
    fn id(&self) -> &MatchId {
        &self.facts().id
    }

    /// Creates a log span for events of the match. The span has the highest level, so that no log
    /// filter removes it.
    fn span(&self) -> Span {
        error_span!("match", match_id = %self.id())
    }

    /// Returns whether the key with this name created the match, or whether the key's bot has a
    /// seat in the match.
    fn belongs_to(&self, key: &KeyName) -> bool;

    /// Returns the parties of the match: the key that created it, and the bots that are named after
    /// keys.
    fn parties(&self) -> Vec<KeyName>;

    /// Returns the name of the bot that has the seat, connected or not; `None` before it joined.
    fn bot_name(&self, seat: Seat) -> Option<String>;

    /// Returns whether the bot that is named after this key has the seat, connected or not.
    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        self.bot_name(seat).is_some_and(|bot| bot == name.as_str())
    }

    /// Returns the seat whose bot declined the offer, if the match was cancelled for that reason.
    fn declined_seat(&self) -> Option<Seat>;

    /// Returns the current state of the match.
    fn info(&self) -> Gated<v1::MatchInfo>;

    /// Returns the current state without the config, which is the largest part for games with
    /// edition data.
    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        self.info().map(without_config)
    }

    /// Returns the current state if the match satisfies the query.
    fn info_if_matching(&self, query: &MatchQuery) -> Option<Gated<v1::MatchInfo>>;

    /// Returns whether the match has ended or was cancelled.
    fn is_over(&self) -> bool;

    /// Returns the token that is cancelled when the match has ended or was cancelled.
    fn over(&self) -> &CancellationToken;

    /// Returns the current change count and the state that a spectator may see now. Returns `None`
    /// if the count is still `change_count`.
    fn snapshot_since(
        &self,
        change_count: Option<u64>,
    ) -> Option<(u64, Gated<v1::WatchMatchResponse>)>;

    /// Subscribes this watcher to updates.
    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal>;

    /// Subscribes to changes of the records, or returns `None` if there will be none.
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        None
    }

    /// Returns the current state, and the public records after the first `from_bytes` bytes. The
    /// records contain secrets of the match; [`Positions`](bridgemaster_replay::Positions)
    /// determines which parts a viewer may see.
    fn updates_from(&self, from_bytes: usize) -> Gated<ReplayUpdate>;

    /// Returns the rules and setup of the match; `None` for a finished match, since its replay
    /// contains them.
    fn replay_head(&self) -> Option<v1::Replay> {
        None
    }

    /// Returns the public part of the replay.
    fn replay(&self) -> ReplayBytes;

    /// Returns the complete replay, including withheld parts.
    fn full_replay(&self) -> ReplayBytes;

    /// Returns the reason why parts of the replay are withheld from the public; `None` if the whole
    /// replay is public.
    fn withheld_reason(&self) -> Option<Refusal>;

    /// Returns the broadcast that all spectators share; `None` for a match that ended long ago.
    fn relay(&self) -> Option<&Relay> {
        None
    }

    /// Returns the spectators' delay. Returns `None` if there is no delay, or if the match ended on
    /// this server: its delayed view then already exists.
    fn spectator_delay(&self) -> Option<SpectatorDelay>;

    /// Returns whether another node might still serve the delayed view of the match.
    fn may_be_delayed_remotely(&self) -> bool {
        false
    }

    /// Returns the time since the match started, by the server's clock; `None` before the start.
    fn elapsed(&self) -> Option<Duration>;

    /// Returns the token that is cancelled when another node continues the match while this server
    /// still runs; `None` for a finished match.
    fn moved(&self) -> Option<&CancellationToken> {
        None
    }

    /// Joins a seat with a new stream, and closes any older stream of the seat. A replaced ticket
    /// is refused. With a key, the bot has the key's name. `node` is the node that forwards the
    /// stream, if any. A refusal is gated, like any result that depends on the state of the match.
    fn join(
        &self,
        seat: (Seat, TicketHash),
        request: JoinRequest<'_>,
        node: Option<&Arc<ForwardingNode>>,
    ) -> Result<Joined, Gated<Refusal>>;

    /// Records that this node will forward the stream of a vacant seat, so that lag of the node
    /// extends the start-up time. Has no effect once the bot has joined.
    fn expect_forwarded_join(&self, _seat: Seat, _node: &Arc<ForwardingNode>) {}

    /// Issues new tickets for vacant seats. If `are_optional`, occupied seats are skipped. Returns
    /// the seats with a new ticket.
    fn replace_tickets(
        &self,
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
    ) -> Gated<Result<Vec<Seat>, ReplaceTicketsError>>;

    /// Records that the bot of a seat will not join or reconnect.
    ///
    /// # Errors
    /// Returns an error if the bot is connected, or the match has ended.
    fn expire_seat(&self, seat: Seat, why: String) -> Gated<Result<(), Refusal>>;

    /// Records that the server refused a seat's bot, or that the server caused the loss of the
    /// stream `lost`, and pauses the seat's clocks. Has no effect if the seat has a newer stream
    /// than `lost`, or if the match has ended.
    fn record_rejection(&self, _seat: Seat, _lost: Option<StreamNumber>) {}

    /// Handles an input from a stream of a seat. Inputs from superseded streams are dropped.
    /// Returns the gate of the commit, if there is one.
    fn report(&self, _seat: Seat, _: StreamNumber, _input: SeatInput) -> Option<CommitGate> {
        None
    }

    /// Handles a bot's answer to a request. Returns the verdict, or `None` if the answer was
    /// dropped. A stream must submit one answer at a time.
    fn answer(&self, _seat: Seat, _: StreamNumber, _input: SeatInput) -> Option<Gated<Verdict>> {
        None
    }

    /// Records that a request was passed to the transport. The match processes the record together
    /// with its next input.
    fn record_handover(&self, _seat: Seat, _stream: StreamNumber, _request_id: u32) {}

    /// Returns whether another node can continue the match at any time: only bots play it, and no
    /// group, offer or delayed view ties it to this node.
    fn is_movable(&self) -> bool {
        false
    }

    /// Parks the match, so that nothing more is stored and another node can continue it. Returns
    /// `false` if the match has ended.
    fn park(&self) -> bool {
        false
    }

    /// Hands the match off to another node: closes its streams, and refuses bots and watchers from
    /// now on.
    fn hand_off(&self) {}

    /// Cancels the match and returns its state. Repeated calls return the same state.
    ///
    /// # Errors
    /// Returns an error if the match has ended.
    fn cancel(&self, why: Cancellation) -> Gated<Result<v1::MatchInfo, Refusal>>;
}

/// The delay after which spectators see a match.
#[derive(Clone, Copy, Debug)]
pub struct SpectatorDelay {
    /// The age at which a record becomes visible.
    pub delay: Duration,
    /// The time from this server's start until the end becomes visible, for a match that ended
    /// earlier; `None` for a match in play.
    pub end_visible_in: Option<Duration>,
}

/// An update to a match's records.
pub struct ReplayUpdate {
    /// The match without its large fields.
    pub info: v1::MatchInfo,
    /// The requested public records, as concatenated `records` fields of a `Replay` message.
    pub records: Vec<u8>,
}

/// A seat that a new stream has joined.
pub struct Joined {
    /// The number of the stream among those of its seat.
    pub number: StreamNumber,
    /// The queue of messages to send after the Welcome.
    pub outbound: Outbound,
    /// The contents of the Welcome message.
    pub start: Gated<StreamStart>,
}

/// The replay of a match.
pub enum ReplayBytes {
    /// The match has not ended.
    InProgress,
    /// The bytes of the replay file.
    InMemory(Gated<Arc<[u8]>>),
    /// The bytes of the replay file are in the store.
    InStore,
    /// The replay is not available, for this reason.
    Unavailable(Gated<Refusal>),
}

impl ReplayBytes {
    /// Returns whether the bytes must be read from the store, where they might be damaged.
    pub fn is_in_store(&self) -> bool {
        matches!(self, Self::InStore)
    }
}

pub(crate) trait ActiveMatch: HostedMatch {
    fn clock(&self) -> MatchClock;

    /// Returns the notification that wakes the timer when the deadline moves to an earlier time or
    /// is removed.
    fn deadline_moved(&self) -> Arc<Notify>;

    /// Applies all deadlines that have passed. Returns the next deadline, or `None` if there will
    /// be none.
    fn tick(&self) -> Option<Time>;

    /// Restarts the match's clock after the server was restarted. If this ends the match, the end
    /// is handled when the returned value is dropped, which must be after the match is hosted.
    fn restart(&self) -> PendingEnd<'_>;
}

/// A match that has just ended.
pub(crate) struct Ended {
    /// Identifies the match.
    pub(crate) id: MatchId,
    /// The key that created the match; `None` on a server without keys.
    pub(crate) maker: Option<KeyName>,
    /// Whether the match has a replay; `false` if it was cancelled.
    pub(crate) has_replay: bool,
    /// The gate of the commit that makes the end visible.
    pub(crate) gate: Option<CommitGate>,
}

/// Handles the ends of all matches. Set when the first match is hosted.
pub(crate) type EndHandler = OnceLock<Box<dyn Fn(Ended) + Send + Sync>>;

/// The end of a match, which is handled when this value is dropped: outside the lock of the match,
/// so that listeners can use the match.
#[must_use]
pub(crate) struct PendingEnd<'a> {
    handler: &'a EndHandler,
    ended: Option<Ended>,
}

impl<'a> PendingEnd<'a> {
    /// Creates a value without an end.
    pub(crate) fn none(handler: &'a EndHandler) -> Self {
        Self { handler, ended: None }
    }

    /// Sets the end of the match.
    pub(crate) fn set(&mut self, ended: Ended) {
        self.ended = Some(ended);
    }
}

impl Drop for PendingEnd<'_> {
    fn drop(&mut self) {
        if let (Some(ended), Some(handle)) = (self.ended.take(), self.handler.get()) {
            handle(ended);
        }
    }
}

/// Receives notifications about matches, for example to offer their seats or to count their
/// results. Methods are called without the lock of any match, and must not block.
pub trait MatchListener: Send + Sync {
    /// A new match, or a match from an earlier server, is now hosted and stored. `ticket` returns
    /// the tickets of the match's offered seats.
    fn on_hosted(&self, hosted: &dyn HostedMatch, ticket: &dyn Fn(Seat) -> Ticket, is_new: bool);

    /// A bot has joined or rejoined a seat.
    fn on_joined(&self, id: &MatchId, seat: Seat);

    /// A match has ended or was cancelled. The end must not become visible before `gate` is open.
    fn on_match_over(&self, id: &MatchId, gate: Option<&CommitGate>);
}

//! What the server knows of a match, whatever its game.

use std::{collections::BTreeMap, pin::Pin, sync::Arc, time::Duration};

use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::{
    Cancellation, MatchId, NoNewTickets, OfferedSeat, Opening, SeatInput, StreamNumber, TicketHash,
    Verdict,
};
use bridgemaster_proto::v1;
use bridgemaster_referee::{BotIdentity, Known, Time};
use bridgemaster_store::KeyName;
use tokio::sync::{Notify, watch};
use tracing::{Span, error_span};

use super::{
    MatchQuery, clock::MatchClock, outbound::Outbound, relay::Relay, spectators::WatchReceiver,
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    spans::OfMatch,
    transport::Watcher,
};

/// Completes when a match is over, or is here no more.
pub(crate) type UntilOver<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A match of any game, in play or over, as somebody sees it: as it is, or late.
pub(crate) trait ShownMatch: Send + Sync {
    /// Its identifier.
    fn id(&self) -> &MatchId;

    /// Whether the key of this name made it, or its bot has a seat in it.
    fn is_of(&self, key: &KeyName) -> bool;

    /// Its seats.
    fn seats(&self) -> SeatCount;

    /// Whether the bot that is named after this key has a seat, with a stream or without.
    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool;

    /// What is known of it.
    fn info(&self) -> Gated<v1::MatchInfo>;

    /// The same without its config, which with edition data is most of it.
    fn info_without_config(&self) -> Gated<v1::MatchInfo>;

    /// What is known of it, if it is one that is asked for.
    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>>;

    /// Whether it has ended or was cancelled.
    fn is_over(&self) -> bool;

    /// Counts what changed of what [`glance`](Self::glance) shows.
    fn change_count(&self) -> u64;

    /// Completes when it is over, as far as that is shown.
    fn until_over(&self) -> UntilOver<'_>;

    /// What a spectator may see of it now, with the count of its changes; `None` when there were none
    /// since that count.
    fn glance(&self, known: Option<u64>) -> Option<(u64, Gated<v1::WatchMatchResponse>)>;

    /// Completes when another server goes on with it, while this one still runs.
    fn until_left(&self) -> UntilOver<'_> {
        Box::pin(std::future::pending())
    }

    /// Follows it, as this watcher.
    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal>;

    /// Its replay, as far as it may be told.
    fn replay(&self) -> ReplayBytes;

    /// What its positions are made from.
    fn course(&self) -> &dyn Course;
}

/// A match of any game, in play or over.
pub(crate) trait HostedMatch: ShownMatch {
    /// A span of what happens in it. Of the highest level, so that no filter of the log takes it
    /// away from what is logged within.
    fn span(&self) -> Span {
        error_span!("match", match_id = %self.id())
    }

    /// It, as its spans for a collector name it.
    fn of_match(&self) -> OfMatch<'_> {
        OfMatch {
            id: self.id(),
            game_id: self.game_id(),
        }
    }

    fn game_id(&self) -> &'static str;

    /// Version of the game's rules that it is played by.
    fn rules_version(&self) -> u32;

    /// Time that its bots have to come for the first time.
    fn startup(&self) -> Duration;

    /// How much later spectators see it; `None` when they see it at once, and of a match that ended
    /// in this server, which knows by then.
    fn lateness(&self) -> Option<Lateness>;

    /// Whether another server may still show it late.
    fn may_be_late_elsewhere(&self) -> bool {
        false
    }

    /// Time since it started, by the clock of the server; `None` before.
    fn elapsed(&self) -> Option<Duration>;

    /// The key that made it, on a server that asks for keys.
    fn maker(&self) -> Option<&KeyName>;

    /// The names that it is of: the key that made it, and the bots that are named after keys.
    fn parties(&self) -> Vec<KeyName>;

    /// The group that it belongs to.
    fn group(&self) -> Option<&v1::MatchGroup>;

    /// Its seats that are offered to attending bots.
    fn offered(&self) -> &BTreeMap<Seat, OfferedSeat>;

    /// The seat whose bot declined it, if the match was cancelled for that.
    fn declined(&self) -> Option<Seat>;

    /// Whether a bot has come to a seat.
    fn has_come(&self, seat: Seat) -> bool;

    /// Takes a seat with a new stream; an older stream of the seat ends. A ticket in whose place
    /// there is a newer one is refused. With a key, the bot is the one of the key's name, and a seat
    /// that the bot of another key holds, or that is reserved for one, is refused. `known` is
    /// what the bot says that it has. A refusal waits as everything does that shows how the match stands.
    fn join(
        &self,
        seat: (Seat, TicketHash),
        bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Outcome<Result<Joined, Gated<Refusal>>>;

    /// Gives seats to which no bot has come new tickets; a seat to which one has come is passed over
    /// if they `are_optional`. Gives the seats that have new ones.
    fn replace_tickets(
        &self,
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
    ) -> Outcome<Result<Gated<Vec<Seat>>, Gated<NoNewTickets>>>;

    /// The bot of a seat came, and the server turned it away for a reason of its own.
    fn turned_away(&self, seat: Seat) -> Outcome<()>;

    /// Takes what a stream of a seat reports; what a superseded stream reports is dropped. Gives
    /// the gate that the effect waits for, if it does.
    fn report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) -> Outcome<Option<Gate>>;

    /// Takes an answer of a stream of a seat, and tells what became of it; `None` if it was dropped.
    /// One answer of a stream is given at a time.
    fn answer(
        &self,
        seat: Seat,
        stream: StreamNumber,
        input: SeatInput,
    ) -> Outcome<Option<Gated<Verdict>>>;

    /// Takes note that a request went to the transport, without handling it: the match learns of it
    /// with whatever comes next.
    fn handed_over(&self, seat: Seat, stream: StreamNumber, request_id: u32);

    /// Whether another server can go on with it at any time: bots play it, and nothing that spans
    /// matches, or that spectators still see, is kept here for it.
    fn may_leave(&self) -> bool {
        false
    }

    /// Has it stand still here from now on, with nothing more stored of it, so that another server can
    /// go on with it. `false` if it is over.
    fn stand_still(&self) -> bool {
        false
    }

    /// Another server goes on with it: ends its streams, and nobody joins or watches it here any
    /// more.
    fn leave(&self) {}

    /// Cancels it, and gives what is known of it then; of one that was cancelled before, what is
    /// known of it.
    ///
    /// # Errors
    /// When it has ended.
    fn cancel(&self, why: Cancellation) -> Outcome<Result<Gated<v1::MatchInfo>, Gated<Refusal>>>;
}

/// How a match goes, for those who look at its positions. What it gives has secrets of the match in
/// it: what is told of them is for [`Positions`](bridgemaster_replay::Positions) to say.
pub(crate) trait Course: Send + Sync {
    /// Changes whenever there may be news; `None` when there will be none.
    fn changes(&self) -> Option<watch::Receiver<u64>>;

    /// How it stands now, with its records from this byte on as far as they are public.
    fn news(&self, from_bytes: usize) -> Gated<CourseNews>;

    /// Its rules and its setup; `None` when it is over, and they are in its replay.
    fn head(&self) -> Option<v1::Replay>;

    /// Its replay, whatever is held back of it.
    fn whole_replay(&self) -> ReplayBytes;

    /// Why not all of it may be told to everybody yet; `None` when all may.
    fn is_secret_for(&self) -> Option<Refusal>;

    /// What all who look as spectators are shown, made once; `None` of a match that ended long ago.
    fn relay(&self) -> Option<&Relay>;
}

/// How much later than it happens spectators see a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    pub(crate) delay: Duration,
    /// Time until its end is shown, of a match that had ended when this server started; `None` of one
    /// in play.
    pub(crate) over_in: Option<Duration>,
}

/// News of how a match goes.
pub(crate) struct CourseNews {
    /// The match, without what is large.
    pub(crate) standing: v1::MatchInfo,
    /// Records that follow, each a field `records` of `Replay`.
    pub(crate) records: Vec<u8>,
}

/// A seat that was taken with a new stream.
pub(crate) struct Joined {
    pub(crate) number: StreamNumber,
    /// What is sent on it, after its Welcome.
    pub(crate) outbound: Outbound,
    /// What its Welcome tells.
    pub(crate) opening: Gated<Opening>,
}

/// The replay of a match.
pub(crate) enum ReplayBytes {
    /// The match has not ended.
    Growing,
    /// The bytes of the replay file.
    Here(Gated<Arc<[u8]>>),
    /// The store has them.
    InStore,
    /// There is none, for this reason.
    Never(Gated<Refusal>),
}

impl ReplayBytes {
    /// Whether they are read back: those that this server made and has in memory are as they were.
    pub(crate) fn is_read_back(&self) -> bool {
        matches!(self, Self::InStore)
    }
}

pub(crate) trait PlayedMatch: HostedMatch {
    /// Its clock.
    fn clock(&self) -> MatchClock;

    /// Notified when the deadline moved to an earlier moment than the timer knows, or is gone.
    fn sooner(&self) -> Arc<Notify>;

    /// Lets the referee act on time that has passed. Gives the next deadline; `None` when there
    /// will be none any more.
    fn tick(&self) -> Outcome<Option<Time>>;

    /// The server was restarted, and its clock runs again.
    fn restarted(&self) -> Outcome<()>;
}

/// What came of a call that may have ended the match: for
/// [`Matches::note_end`](super::Matches::note_end).
#[must_use]
pub(crate) struct Outcome<T> {
    pub(crate) value: T,
    /// The match ended by it.
    pub(crate) ended: Option<Ended>,
}

/// A match that has ended just now.
pub(crate) struct Ended {
    pub(crate) id: MatchId,
    /// The key that made it, on a server that asks for keys.
    pub(crate) maker: Option<KeyName>,
    /// It was not cancelled.
    pub(crate) has_replay: bool,
    /// When it may be seen that it ended.
    pub(crate) gate: Option<Gate>,
}

impl<T> Outcome<T> {
    /// Something by which no match ended.
    pub(crate) fn of(value: T) -> Self {
        Self { value, ended: None }
    }

    /// The same with another value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome {
            value: change(self.value),
            ended: self.ended,
        }
    }
}

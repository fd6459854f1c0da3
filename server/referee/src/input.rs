//! What the shell reports to the referee.

use bridgemaster_games::{Game, Seat};

/// Name and version that a bot claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotIdentity {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The answer to a request, in one of two forms.
#[derive(Debug, PartialEq)]
pub enum Answer<D> {
    /// Position in the legal list of the request, from 0.
    Index(u32),
    /// The decision in full.
    Decision(D),
}

/// Why the shell could not read a bot's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadAnswerReason {
    /// The decision is of another game, or a part of it is missing or out of range. A fault when
    /// it answers the open request.
    MalformedDecision,
}

/// Something that happened. Inputs for a seat that the match does not have, and inputs other than
/// [`Input::Connected`] for a seat without a stream, change nothing.
#[derive(Debug)]
pub enum Input<G: Game> {
    /// A bot opened a stream for a seat; an older stream of the seat ends without further inputs.
    Connected {
        /// The seat.
        seat: Seat,
        /// The bot.
        bot: BotIdentity,
        /// Sequence of the last message that the bot received; `None` when it knows nothing, or
        /// nothing of this match. It then has the whole time for a request that was open at a
        /// restart.
        last_sequence: Option<u32>,
    },
    /// The seat's current stream is gone.
    Disconnected {
        /// The seat.
        seat: Seat,
    },
    /// A request was handed to the transport: the clock starts.
    HandedOver {
        /// The seat.
        seat: Seat,
        /// The request.
        request_id: u32,
    },
    /// An answer came.
    Answer {
        /// The seat.
        seat: Seat,
        /// The request that it names.
        request_id: u32,
        /// The answer.
        answer: Answer<G::Decision>,
        /// What the bot says of it, for people; empty for nothing. Dropped if it does not fit into
        /// the [`NoteRoom`](crate::NoteRoom) of the seat.
        note: String,
    },
    /// An answer came that cannot be read.
    BadAnswer {
        /// The seat.
        seat: Seat,
        /// The request that it names.
        request_id: u32,
        /// What is wrong.
        reason: BadAnswerReason,
        /// The field that is wrong, as a path below `Decision`.
        field: String,
        /// Explanation for people.
        detail: String,
    },
    /// Bytes came that are no message. The stream is lost with it: the shell closes it and need
    /// not report [`Input::Disconnected`].
    Garbage {
        /// The seat.
        seat: Seat,
        /// What is wrong with them.
        detail: String,
    },
    /// A message came that answers nothing (a Pong that nobody asked for): counts towards the
    /// limit [`MAX_USELESS_MESSAGES`](crate::MAX_USELESS_MESSAGES).
    Useless {
        /// The seat.
        seat: Seat,
    },
    /// The round trip of the seat's stream was measured.
    RoundTrip {
        /// The seat.
        seat: Seat,
        /// The round trip, in µs.
        round_trip_us: u64,
    },
    /// The bot gives up.
    Resign {
        /// The seat.
        seat: Seat,
    },
    /// The referee itself did nothing for so long since the last input, because its shell got no
    /// processor. It is nobody's time: no open request is charged for it, and every wait is
    /// longer by it and by [`LAG_MARGIN_MS`](crate::LAG_MARGIN_MS).
    RefereeLag {
        /// The lag, in µs; more than the time since the last input counts as that time.
        lag_us: u64,
    },
    /// The shell was restarted: all streams are gone, and what happened since the last input is
    /// not known. That time is nobody's: the clocks of open requests stand still from the last
    /// input until their bots are back and the requests handed over again, the start-up time goes
    /// on where it was, and every bot has at least
    /// [`RESTART_GRACE_MS`](crate::RESTART_GRACE_MS) to come, whether it was there before or not.
    Restarted,
    /// The shell turned a bot away that had the right to come, for a reason that is the shell's
    /// own: it had no room, or could not tell who comes. From now until the bot is there no clock
    /// of a seat without a stream runs, and the bot has at least
    /// [`RESTART_GRACE_MS`](crate::RESTART_GRACE_MS) to try again. Says nothing of a seat that has
    /// a stream.
    TurnedAway {
        /// The seat.
        seat: Seat,
    },
    /// The match is cancelled: it goes on no more and has no result. Says nothing of one that is
    /// over.
    Cancelled,
    /// Time passed.
    Tick,
}

impl<G: Game> Input<G> {
    /// The seat that it is about; `None` for [`Input::RefereeLag`], [`Input::Restarted`],
    /// [`Input::Cancelled`] and [`Input::Tick`].
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Self::Connected { seat, .. }
            | Self::Disconnected { seat }
            | Self::HandedOver { seat, .. }
            | Self::Answer { seat, .. }
            | Self::BadAnswer { seat, .. }
            | Self::Garbage { seat, .. }
            | Self::Useless { seat }
            | Self::RoundTrip { seat, .. }
            | Self::Resign { seat }
            | Self::TurnedAway { seat } => Some(*seat),
            Self::RefereeLag { .. } | Self::Restarted | Self::Cancelled | Self::Tick => None,
        }
    }
}

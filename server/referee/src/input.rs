//! Inputs of the referee, reported by its shell.

use bridgemaster_games::{Game, Seat};

/// Name and version of a bot, as stated by the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotIdentity {
    /// Name of the bot.
    pub name: String,
    /// Version of the bot.
    pub version: String,
}

/// An answer to a request, in one of two forms.
#[derive(Debug, PartialEq)]
pub enum Answer<D> {
    /// Index into the legal list of the request, from 0.
    Index(u32),
    /// The decision in full, which need not be in the legal list.
    Decision(D),
}

/// The time for which another node of the cluster delayed the messages of a seat, since the last
/// report for this seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardingLag {
    /// The seat whose stream the node forwards.
    pub seat: Seat,
    /// The lag, in µs. The total lag of a wait is limited to the duration of the wait, and the lag
    /// of forwarding nodes in it to [`MAX_FORWARDING_LAG_MS`](crate::MAX_FORWARDING_LAG_MS).
    pub lag_us: u64,
}

/// An event that the shell reports. An input for a seat that the match does not have has no effect.
/// For a seat without a stream, only [`Input::Connected`], [`Input::ConnectionRefused`] and
/// [`Input::Expired`] have an effect.
#[derive(Debug)]
pub enum Input<G: Game> {
    /// A bot opened a stream for a seat. An older stream of the seat is superseded without further
    /// inputs.
    Connected {
        /// The seat of the stream.
        seat: Seat,
        /// The bot that connected.
        bot: BotIdentity,
        /// Sequence number of the last message that the bot received; `None` if it received no
        /// message of this match. In that case the bot gets the full time for a request that was
        /// open at a restart.
        last_sequence: Option<u32>,
    },
    /// The seat's current stream was lost.
    Disconnected {
        /// The seat of the stream.
        seat: Seat,
    },
    /// A request was handed to the transport, which starts the clock.
    HandedOver {
        /// The seat that owes the decision.
        seat: Seat,
        /// The number of the request.
        request_id: u32,
    },
    /// A decoded answer arrived.
    Answer {
        /// The seat that answered.
        seat: Seat,
        /// The request that the answer refers to.
        request_id: u32,
        /// The answer, as an index or in full.
        answer: Answer<G::Decision>,
        /// The bot's comment on its decision, for people; empty for none. Dropped if it does not
        /// fit the [`NoteBudget`](crate::NoteBudget) of the seat.
        note: String,
    },
    /// An answer arrived that could not be decoded: the decision belongs to another game, or a part
    /// of it is missing or out of range. It is a fault if the answer is for the open request.
    BadAnswer {
        /// The seat that answered.
        seat: Seat,
        /// The request that the answer refers to.
        request_id: u32,
        /// Path of the invalid field below `Decision`.
        field: String,
        /// Explanation in English, for people.
        detail: String,
    },
    /// The bytes that arrived are not a message. The stream is lost: the shell closes it and need
    /// not report [`Input::Disconnected`].
    Garbage {
        /// The seat of the stream.
        seat: Seat,
        /// The decoding error, for people.
        detail: String,
    },
    /// An unsolicited message arrived, such as a Pong without a Ping. It counts towards
    /// [`MAX_USELESS_MESSAGES`](crate::MAX_USELESS_MESSAGES).
    Useless {
        /// The seat that sent the message.
        seat: Seat,
    },
    /// The round trip of the seat's stream was measured.
    RoundTrip {
        /// The seat of the stream.
        seat: Seat,
        /// The measured round trip, in µs.
        round_trip_us: u64,
    },
    /// The bot resigned.
    Resign {
        /// The seat that resigned.
        seat: Seat,
    },
    /// The referee was stalled since the last input, because its shell got no CPU time, or messages
    /// of bots were delayed within the cluster. No open request is charged for the lag. Every
    /// deadline is extended by the lag plus [`LAG_MARGIN_MS`](crate::LAG_MARGIN_MS).
    RefereeLag {
        /// The lag of the shell, in µs. It is limited to the time since the last input.
        lag_us: u64,
        /// The lags of single seats.
        forwarding: Vec<ForwardingLag>,
    },
    /// The shell was restarted: all streams are lost, and the events since the last input are
    /// unknown. No seat is charged for that time. The clocks of open requests stop at the last
    /// input, until the bots have reconnected and the requests are handed over again. The start-up
    /// time continues where it stopped. Every bot has at least
    /// [`RESTART_GRACE_MS`](crate::RESTART_GRACE_MS) to connect, even if it was not connected
    /// before.
    Restarted,
    /// The shell refused the connection of a bot because of a server error: it was at capacity, or
    /// could not authenticate the bot. The clocks of the seat stop until the bot connects. The bot
    /// has at least [`RESTART_GRACE_MS`](crate::RESTART_GRACE_MS) to retry. Has no effect on a seat
    /// that has a stream.
    ConnectionRefused {
        /// The seat whose connection was refused.
        seat: Seat,
    },
    /// The organiser declares that the bot of a seat will not connect or reconnect. The bot's time
    /// to do so ends now. Has no effect on a seat that has a stream or is played by the house.
    Expired {
        /// The seat to expire.
        seat: Seat,
        /// The organiser's reason, for people; empty for none.
        why: String,
    },
    /// The match is cancelled and ends without a result. Has no effect on a match that is over.
    Cancelled,
    /// Time has passed, and expired deadlines must be handled.
    Tick,
}

impl<G: Game> Input<G> {
    /// The seat that the input concerns; `None` for [`Input::RefereeLag`], [`Input::Restarted`],
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
            | Self::ConnectionRefused { seat }
            | Self::Expired { seat, .. } => Some(*seat),
            Self::RefereeLag { .. } | Self::Restarted | Self::Cancelled | Self::Tick => None,
        }
    }
}

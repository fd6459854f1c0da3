//! The trait that a bot's author implements.

use bridgemaster_proto::v1;

use crate::Request;

/// Makes the decisions for one seat of one match.
///
/// All methods are called in sequence, on the bot's own thread. So a bot may block, and may compute
/// as long as its clock allows. The SDK answers Pings while the bot computes.
pub trait Bot: Send {
    /// Decides on a request. The seat's clock runs until the answer reaches the server.
    ///
    /// Called again with the same request after [`Bot::decision_rejected`], as long as the request
    /// is still open.
    fn decide(&mut self, request: &Request) -> Choice;

    /// Called when the match starts, or when a restarted bot joins a match in progress. This is
    /// always before the first [`Bot::decide`].
    ///
    /// Called again if the server has lost the most recent part of the match. The bot must then
    /// discard everything that it derived from earlier requests. The next request, like every
    /// request, is complete.
    fn match_started(&mut self, _started: &v1::MatchStarted) {}

    /// Called when the server has refused one of this bot's decisions.
    fn decision_rejected(&mut self, _rejected: &v1::DecisionRejected) {}

    /// Called when any seat's status changes, including the bot's own: the seat disconnected,
    /// reconnected, forfeited, or got a strike.
    fn seat_changed(&mut self, _status: &v1::SeatStatus) {}

    /// Called when the match has ended. Not called if the connection to the server is lost before
    /// the end.
    fn match_ended(&mut self, _result: &v1::MatchResult) {}
}

impl<B: Bot + ?Sized> Bot for Box<B> {
    fn decide(&mut self, request: &Request) -> Choice {
        (**self).decide(request)
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        (**self).match_started(started);
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        (**self).decision_rejected(rejected);
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        (**self).seat_changed(status);
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        (**self).match_ended(result);
    }
}

/// A bot's answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// An index into the request's legal decisions, from 0.
    Index(usize),
    /// A complete decision. It is needed only if the list of legal decisions is truncated and does
    /// not contain the decision.
    Decision(v1::GameDecision),
    /// Resigns the match, so that the seat forfeits.
    Resign,
    /// Any other choice, with a note. Created by [`Choice::with_note`].
    Noted {
        /// The choice to which the note belongs.
        choice: Box<Choice>,
        /// The bot's comment on the choice: at most 1 KiB of UTF-8.
        note: String,
    },
}

impl Choice {
    /// Attaches a note for people who watch the match, such as the bot's view of the position: at
    /// most 1 KiB of UTF-8. Notes have no effect on the game and are hidden from other bots.
    ///
    /// A note that the server does not accept is dropped, but the choice itself still counts. Notes
    /// on [`Choice::Resign`] are dropped, too.
    ///
    /// ```
    /// use bridgemaster_sdk::Choice;
    ///
    /// let choice = Choice::Index(2).with_note("the park is nearly full");
    /// assert!(matches!(choice, Choice::Noted { .. }));
    /// ```
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self::Noted {
            choice: Box::new(self),
            note: note.into(),
        }
    }
}

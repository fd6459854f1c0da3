//! What a bot author writes.

use bridgemaster_proto::v1;

use crate::Request;

/// Decides for one seat of one match.
///
/// All methods are called one after the other on a thread of the bot's own, so a bot may think as
/// long as its clock allows and may block; the SDK answers Pings meanwhile.
pub trait Bot: Send {
    /// Answers a request. The clock of the seat runs until the answer is at the server.
    ///
    /// Called again with the same request after [`Bot::decision_rejected`], if the refused decision
    /// answered it and it is still open.
    fn decide(&mut self, request: &Request) -> Choice;

    /// The match starts, or has started for a bot that joined again. Called before the first
    /// [`Bot::decide`], and again if the server has lost the end of what was played: earlier
    /// requests then never happened, and the next one is complete as always.
    fn match_started(&mut self, _started: &v1::MatchStarted) {}

    /// A decision of this bot was refused.
    fn decision_rejected(&mut self, _rejected: &v1::DecisionRejected) {}

    /// The state of a seat's bot changed, perhaps of this one: paused, back, forfeited, a strike.
    fn seat_changed(&mut self, _status: &v1::SeatStatus) {}

    /// The match is over. Not called if the server is lost before.
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

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A position in the legal list of the request, from 0.
    Index(usize),
    /// A decision in full: needed only if the list was cut and does not contain it.
    Decision(v1::GameDecision),
    /// Resigns: the seat forfeits.
    Resign,
    /// One of these with a note, from [`Choice::with_note`].
    Noted {
        /// The choice.
        choice: Box<Choice>,
        /// What the bot says of it.
        note: String,
    },
}

impl Choice {
    /// The same with a note for people who look at the match: what the bot thinks of the position,
    /// at most 1 KiB in UTF-8. No rule and no other bot reads it. A note that the server does not
    /// keep is dropped, and so is one on [`Choice::Resign`]; the choice counts all the same.
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

//! The outcome of an answer. It is needed for bots that answer by unary calls.

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::DecisionRejected;

use crate::Effect;

/// The outcome of a bot's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer was accepted.
    Accepted,
    /// The answer was rejected for this reason.
    Rejected(Box<DecisionRejected>),
}

impl Verdict {
    /// Finds the outcome of a seat's answer among the answer's effects.
    pub(crate) fn in_effects(seat: Seat, effects: &[Effect]) -> Self {
        let rejected = effects.iter().find_map(|effect| match effect {
            Effect::Send {
                seat: receiver,
                message,
                after: _,
            } if *receiver == seat => message.rejected.clone(),
            _ => None,
        });
        rejected.map_or(Self::Accepted, Self::Rejected)
    }
}

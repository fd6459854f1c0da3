//! What became of an answer, for a bot that is told so when it has given it.

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::{DecisionRejected, play_response::Message};

use crate::Effect;

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It was taken.
    Taken,
    /// It was refused, for this reason.
    Rejected(Box<DecisionRejected>),
}

impl Verdict {
    /// What the effects of an answer of a seat say of it.
    pub(crate) fn in_effects(seat: Seat, effects: &[Effect]) -> Self {
        let rejected = effects.iter().find_map(|effect| match effect {
            Effect::Send {
                seat: told,
                response,
                after: _,
            } if *told == seat => match &response.message {
                Some(Message::DecisionRejected(rejected)) => Some(rejected.clone()),
                _ => None,
            },
            _ => None,
        });
        rejected.map_or(Self::Taken, |rejected| Self::Rejected(Box::new(rejected)))
    }
}

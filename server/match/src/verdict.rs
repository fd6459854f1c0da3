//! What became of an answer, for a bot that is told so when it has given it.

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::DecisionRejected;

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
                message,
                after: _,
            } if *told == seat => message.rejected.clone(),
            _ => None,
        });
        rejected.map_or(Self::Taken, Self::Rejected)
    }
}

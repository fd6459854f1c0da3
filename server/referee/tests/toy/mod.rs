//! Two small games that test the interface of games: one with simultaneous decisions, one with
//! turns.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod hands;
pub mod heap;

use bridgemaster_games::OutOfTurn;
use thiserror::Error;

/// The error of a toy game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToyError {
    #[error("seat {0} owes no decision")]
    NoPendingDecision(u8),
    #[error("stones: {given} is not legal; 1 to {most} is")]
    Stones { given: u8, most: u8 },
    #[error("{0:?} is not a decision")]
    Notation(String),
    #[error("decision: the match is over")]
    Over,
}

impl From<OutOfTurn> for ToyError {
    fn from(error: OutOfTurn) -> Self {
        match error {
            OutOfTurn::NoPendingDecision { seat, .. } => Self::NoPendingDecision(seat.number()),
            OutOfTurn::Over | OutOfTurn::WrongKind { .. } => Self::Over,
        }
    }
}

/// Places by score: 1 and the number of better scores.
fn outcome(scores: &[i32], category: &'static str) -> bridgemaster_games::Outcome {
    use bridgemaster_games::{Outcome, ScoreLine, SeatOutcome};
    let seats = scores
        .iter()
        .map(|&score| SeatOutcome {
            place: 1 + scores.iter().filter(|&&other| other > score).count() as u8,
            score,
            breakdown: vec![ScoreLine { category, points: score }],
        })
        .collect();
    Outcome { seats }
}

//! Refusals that do not depend on what a decision says.

use thiserror::Error;

use crate::{Seat, SeatSet, events::joined};

/// Why a decision is refused before its content counts. The messages begin as those of every
/// refusal do: with a field and a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutOfTurn {
    /// The match is over.
    #[error("decision: the match is over")]
    Over,
    /// Other seats decide, or none before a chance result.
    #[error("seat: not your turn, seat {seat} owes no decision; owing: {}", seats(*.owing))]
    NotOwing {
        /// The seat that answered.
        seat: Seat,
        /// The seats that owe a decision; none while a chance result is due.
        owing: SeatSet,
    },
    /// Another kind of decision is asked for.
    #[error("decision: {given} is not asked for; asked for: {asked}")]
    WrongKind {
        /// What was answered, as the notation calls it.
        given: &'static str,
        /// What would be legal.
        asked: &'static str,
    },
}

impl OutOfTurn {
    /// The refusal of a decision of another kind than what is asked for.
    pub(crate) const fn kind(given: &'static str, asked: &'static str) -> Self {
        Self::WrongKind { given, asked }
    }

    /// The refusal of a decision of a seat that is not among those that owe one.
    pub(crate) const fn refuse(seat: Seat, owing: SeatSet, is_over: bool) -> Self {
        match is_over {
            true => Self::Over,
            false => Self::NotOwing { seat, owing },
        }
    }
}

fn seats(set: SeatSet) -> String {
    let names = set.iter().map(|seat| format!("seat {seat}"));
    joined(names, ", ", "none before the chance result")
}

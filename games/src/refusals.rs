//! Refusals of decisions: those that do not depend on the content of a decision, and the macro that
//! declares the others with their messages.

use thiserror::Error;

use crate::events::joined;
use crate::{Seat, SeatSet};

/// Declares a game's refusals as a table. Each refusal has its fields and its message, which
/// becomes part of its documentation. The message may name the fields. Other values follow in
/// parentheses, where a field has a dot before its name. The enum also has a variant for
/// [`OutOfTurn`](crate::OutOfTurn).
macro_rules! refusals {
    ($name:ident { $(
        $(#[$of_refusal:meta])*
        $refusal:ident $(($content:ty))? $({ $($field:ident: $type:ty),+ $(,)? })?
        = $message:literal $(($($shown:tt)+))?,
    )* }) => {
        /// The reason why a decision is refused. Each message names the field of the decision, a
        /// colon, and the legal alternatives.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum $name {
            /// It is not the seat's turn, or a decision of another kind is pending.
            #[error(transparent)]
            OutOfTurn(#[from] crate::OutOfTurn),
            $(
                $(#[$of_refusal])*
                #[doc = ""]
                #[doc = concat!("Message: `` ", $message, " ``")]
                #[error($message $(, $($shown)+)?)]
                $refusal $(($content))? $({ $(
                    #[allow(missing_docs, reason = "documented by its name, or by the message")]
                    $field: $type,
                )+ })?,
            )*
        }
    };
}
pub(crate) use refusals;

/// The reason why a decision is refused before its content is checked. As with all refusals, each
/// message begins with a field and a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutOfTurn {
    /// The match has ended, and no seat owes a decision.
    #[error("decision: the match is over")]
    Over,
    /// The seat owes no decision, because other seats owe one or a chance result is due.
    #[error(
        "seat: not your turn, seat {seat} owes no decision; expected: {}",
        seats(*.seats_to_decide)
    )]
    NoPendingDecision {
        /// The seat that sent the decision.
        seat: Seat,
        /// The seats that owe a decision; empty while a chance result is due.
        seats_to_decide: SeatSet,
    },
    /// The decision's kind does not match the pending request.
    #[error("decision: expected {expected}, got {given}")]
    WrongKind {
        /// The decision's kind: its first word in notation.
        given: &'static str,
        /// The kinds that would be legal.
        expected: &'static str,
    },
}

impl OutOfTurn {
    /// Creates the refusal for a decision of the wrong kind.
    pub(crate) const fn wrong_kind(given: &'static str, expected: &'static str) -> Self {
        Self::WrongKind { given, expected }
    }

    /// Creates the refusal for a decision from a seat that owes no decision.
    pub(crate) const fn new(seat: Seat, seats_to_decide: SeatSet, is_over: bool) -> Self {
        if is_over { Self::Over } else { Self::NoPendingDecision { seat, seats_to_decide } }
    }
}

fn seats(set: SeatSet) -> String {
    let names = set.iter().map(|seat| format!("seat {seat}"));
    joined(names, ", ", "none before the chance result")
}

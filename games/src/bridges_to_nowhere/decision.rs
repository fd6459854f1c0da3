//! What a seat can answer.

use super::components::{Card, Placement};

/// An answer of a seat.
///
/// Legal lists have a canonical order:
/// * draft: the cards on the table in the order of [`Card`], cards that are alike once;
/// * building: for each card of the seat in the order of [`Card`], cards that are alike once, and
///   then for a pillar, its cells by level and column; then the end, where it is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Draft: take a card from the table.
    Take(Card),
    /// Building: add a piece to the own structure.
    Place(Placement),
    /// Building: end the phase; the cards that are not placed are discarded.
    End,
}

//! Decisions of a seat.

use super::components::{Card, Placement};

/// A decision of a seat.
///
/// Legal lists are in canonical order, the order of `Ord`. Interchangeable cards are listed once.
/// * Draft: the cards on the table in the order of [`Card`].
/// * Building: the cells by level and column for each card of the seat, in the order of [`Card`],
///   then the cells for a pillar, then the end if it is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Draft: take a card from the table.
    Take(Card),
    /// Building: add a piece to the seat's structure.
    Place(Placement),
    /// Building: end the phase, which discards the cards that are not placed.
    End,
}

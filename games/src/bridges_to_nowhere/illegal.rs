//! Why a decision is refused.

use thiserror::Error;

use super::components::{Card, Cell, LEVELS, MAX_COLUMN, Piece};
use crate::OutOfTurn;

/// Why a decision is refused. Each message names the field of the decision, a colon, and what
/// would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Illegal {
    /// It is not the seat's turn, or not the turn of such a decision.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),
    /// A card that is not on the table.
    #[error("card: {0} is not on the table")]
    NotOnTable(Card),
    /// A card that the seat did not take in this round, or has placed.
    #[error("piece: {0} is not among your cards of this round that are not placed")]
    NotInHand(Card),
    /// All pillars are placed.
    #[error("piece: you have no pillar left")]
    NoPillarLeft,
    /// A level that there is not.
    #[error("cell.level: {0} is not in 1 to {LEVELS}")]
    Level(u8),
    /// A column that no structure reaches.
    #[error("cell.column: {0} is not in -{MAX_COLUMN} to {MAX_COLUMN}")]
    Column(i8),
    /// The cell has a piece.
    #[error("cell: {0} is taken")]
    Occupied(Cell),
    /// The first piece elsewhere than at column 0.
    #[error("cell.column: the first piece lies at column 0 of level 1")]
    First,
    /// On the ground, too far from the structure.
    #[error(
        "cell.column: on level 1 a piece lies at most two columns from another; {0} is further off"
    )]
    TooFar(i8),
    /// Above the ground, with nothing below.
    #[error("cell: {0} has no piece directly below it")]
    Unsupported(Cell),
    /// Two styles in one run (N5).
    #[error("cell: at {cell} {piece} would join bridge cards of another style")]
    Style {
        /// The card.
        piece: Piece,
        /// The cell.
        cell: Cell,
    },
    /// Equal neighbours, or a second change of direction (N5).
    #[error(
        "cell: at {cell} {piece} would join a run whose numbers repeat side by side or change \
         direction twice"
    )]
    Numbers {
        /// The card.
        piece: Piece,
        /// The cell.
        cell: Cell,
    },
    /// Too few pillars would be left to close every run with a monument (N7).
    #[error(
        "cell: closing the runs with a monument would then take {needed} pillars, and {pillars} \
         would be left"
    )]
    Unclosable {
        /// Cells to fill.
        needed: u8,
        /// Pillars that would be left.
        pillars: u8,
    },
    /// A run with a monument is not closed (N7).
    #[error("decision: a run with a monument is not closed; to fill: {needed} cells")]
    MonumentOpen {
        /// Cells to fill.
        needed: u8,
    },
}

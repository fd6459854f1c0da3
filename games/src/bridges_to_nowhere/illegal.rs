//! Refusals of decisions, with their messages.

use super::components::{Card, Cell, LEVELS, MAX_COLUMN, Piece};
use crate::refusals::refusals;

refusals! {
    Illegal {
        NotOnTable(Card) = "card: {0} is not on the table",
        /// The seat did not take this card in this round, or has already placed it.
        NotInHand(Card) = "piece: {0} is not among your cards of this round that are not placed",
        NoPillarLeft = "piece: you have no pillar left",
        Level(u8) = "cell.level: {0} is out of range (1..={LEVELS})",
        /// The column is beyond the reach of any structure.
        Column(i8) = "cell.column: {0} is out of range (-{MAX_COLUMN}..={MAX_COLUMN})",
        Occupied(Cell) = "cell: {0} is taken",
        First = "cell.column: the first piece lies at column 0 of level 1",
        /// The cell is on the ground, too far from the structure.
        TooFar(i8)
            = "cell.column: on level 1 a piece lies at most two columns from another; {0} is \
               further off",
        Unsupported(Cell) = "cell: {0} has no piece directly below it",
        /// The run would have two styles (N5).
        Style { piece: Piece, cell: Cell }
            = "cell: at {cell} {piece} would join bridge cards of another style",
        /// The run would have equal neighbours, or a second change of direction (N5).
        Numbers { piece: Piece, cell: Cell }
            = "cell: at {cell} {piece} would join a run whose numbers repeat side by side or \
               change direction twice",
        /// Too few pillars would be left to close every run with a monument (N7).
        Unclosable { needed: u8, pillars: u8 }
            = "cell: closing the runs with a monument would then take {needed} pillars, and \
               {pillars} would be left",
        /// A run with a monument is not closed (N7).
        MonumentOpen { needed: u8 }
            = "decision: a run with a monument is not closed; to fill: {needed} cells",
    }
}

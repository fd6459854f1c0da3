//! Decisions of a seat, their text notation, and the reasons why they are refused. Every decision
//! has exactly one notation:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take suspension 4 fish boat`, `take truss toll bird boat`, `take monument` |
//! | place | `place cable 7 boat bird at 2 -3`: level 2, column -3; `place pillar at 1 0` |
//! | end | `end` |

use std::fmt;

use super::components::{
    BridgeCard, Card, Cell, LEVELS, MAX_COLUMN, Piece, Placement, Style, Symbol,
};
use crate::notation::{notation, or};
use crate::refusals::refusals;

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

/// The notation's word for a card without a number.
const TOLL: &str = "toll";
/// The notation's word for a monument.
const MONUMENT: &str = "monument";
/// The notation's word for a pillar.
const PILLAR: &str = "pillar";

notation! {
    Decision {
        Take(card) = "take" " {card}", from parse_card, else
            "`take STYLE NUMBER SYMBOL SYMBOL`, such as `take truss 4 fish boat`, with `toll` for a \
             number, or `take monument`";
        Place(placement) = "place" " {placement}", from parse_placement, else
            "`place PIECE at LEVEL COLUMN`, such as `place truss 4 fish boat at 2 -3`, with \
             `monument` or `pillar` for a piece";
        End = "end";
    }
}

impl fmt::Display for BridgeCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { style, number, left, right } = self;
        write!(f, "{style} {} {left} {right}", or(TOLL, *number))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bridge(card) => card.fmt(f),
            Self::Monument => f.write_str(MONUMENT),
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(card) => card.fmt(f),
            Self::Pillar => f.write_str(PILLAR),
        }
    }
}

/// Writes the level and the column, separated by a space.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level, self.column)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.piece, self.cell)
    }
}

fn parse_card(text: &str) -> Option<Card> {
    if text == MONUMENT {
        return Some(Card::Monument);
    }
    let mut words = text.split(' ');
    let style = Style::from_name(words.next()?)?;
    let number = match words.next()? {
        TOLL => None,
        number => Some(number.parse().ok()?),
    };
    Some(Card::Bridge(BridgeCard {
        style,
        number,
        left: Symbol::from_name(words.next()?)?,
        right: Symbol::from_name(words.next()?)?,
    }))
}

fn parse_placement(text: &str) -> Option<Placement> {
    let (piece, cell) = text.split_once(" at ")?;
    let piece = match piece {
        PILLAR => Piece::Pillar,
        card => Piece::Card(parse_card(card)?),
    };
    let (level, column) = cell.split_once(' ')?;
    let cell = Cell { level: level.parse().ok()?, column: column.parse().ok()? };
    Some(Placement { piece, cell })
}

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

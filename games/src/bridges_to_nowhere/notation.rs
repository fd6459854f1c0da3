//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take suspension 4 fish boat`, `take truss toll bird boat`, `take monument` |
//! | place | `place cable 7 boat bird at 2 -3`: level 2, column -3; `place pillar at 1 0` |
//! | end | `end` |

use std::fmt;

use super::components::{BridgeCard, Card, Cell, Piece, Placement, Style, Symbol};
use super::decision::Decision;
use crate::notation::{notation, or};

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
        let Self {
            style,
            number,
            left,
            right,
        } = self;
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
    let cell = Cell {
        level: level.parse().ok()?,
        column: column.parse().ok()?,
    };
    Some(Placement { piece, cell })
}

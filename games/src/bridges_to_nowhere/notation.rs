//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take suspension 4 fish boat`, `take truss toll bird boat`, `take monument` |
//! | place | `place cable 7 boat bird at 2 -3`: level 2, column -3; `place pillar at 1 0` |
//! | end | `end` |

use std::fmt;
use std::str::FromStr;

use super::components::{BridgeCard, Card, Cell, Piece, Placement, Style, Symbol};
use super::decision::Decision;
use crate::notation::{NotationError, exact};

/// The word for the number of a card that has none.
const TOLL: &str = "toll";
/// The word for a monument.
const MONUMENT: &str = "monument";
/// The word for a pillar.
const PILLAR: &str = "pillar";

impl Decision {
    /// The first word of the notation: the kind of decision.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Take(_) => "take",
            Self::Place(_) => "place",
            Self::End => "end",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Take(card) => write!(f, " {card}"),
            Self::Place(placement) => write!(f, " {placement}"),
            Self::End => Ok(()),
        }
    }
}

impl fmt::Display for BridgeCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            style, left, right, ..
        } = self;
        match self.number {
            Some(number) => write!(f, "{style} {number} {left} {right}"),
            None => write!(f, "{style} {TOLL} {left} {right}"),
        }
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

/// The level, a blank, the column.
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

impl FromStr for Decision {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (decision, expected) = match word {
            "take" => (
                parse_card(rest).map(Self::Take),
                "`take STYLE NUMBER SYMBOL SYMBOL`, such as `take truss 4 fish boat`, with `toll` \
                 for a number, or `take monument`",
            ),
            "place" => (
                parse_placement(rest).map(Self::Place),
                "`place PIECE at LEVEL COLUMN`, such as `place truss 4 fish boat at 2 -3`, with \
                 `monument` or `pillar` for a piece",
            ),
            "end" => (Some(Self::End), "`end`"),
            _ => return Err(NotationError::new(text, "take, place or end")),
        };
        exact(text, decision, expected)
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

//! The pieces in the box, and the cells that they can be placed in.

use serde::Deserialize;

use crate::named::{named, ordered};

/// The number of seats, which is fixed.
pub const PLAYERS: usize = 2;
/// The number of rounds in a game.
pub const ROUNDS: u8 = 4;
/// The number of bridge cards opened for each draft.
pub const OPEN_CARDS: usize = 6;
/// The number of bridge cards in the deck. Each round opens six of these cards.
pub const BRIDGE_CARDS: usize = ROUNDS as usize * OPEN_CARDS;
/// The number of bridge card styles.
pub const STYLES: usize = 3;
/// The number of bridge cards in each style.
pub const CARDS_PER_STYLE: usize = BRIDGE_CARDS / STYLES;
/// The number of monuments, which are interchangeable.
pub const MONUMENTS: u8 = 3;
/// The number of cards that each seat takes in a draft.
pub const CARDS_PER_DRAFT: usize = 3;
/// The number of pillars that each seat has in a game.
pub const PILLARS: u8 = 6;
/// The maximum number of cards in one structure: all cards that a seat drafts.
pub const MAX_STRUCTURE_CARDS: usize = ROUNDS as usize * CARDS_PER_DRAFT;
/// The maximum number of pieces in one structure, pillars included.
pub const MAX_PIECES: usize = MAX_STRUCTURE_CARDS + PILLARS as usize;
/// The maximum number of pieces that one seat places in one phase.
pub const MAX_PLACED: usize = CARDS_PER_DRAFT + PILLARS as usize;
/// The number of levels in a structure, counted from 1 (N3).
pub const LEVELS: usize = 3;
/// The maximum distance of a column from column 0, where the first piece lies. Each of the other
/// seventeen pieces extends the structure by at most two columns.
pub const MAX_COLUMN: i8 = 2 * (MAX_PIECES as i8 - 1);
/// The highest number that a bridge card can show. A deck needs far lower numbers. A 16-bit mask
/// has room for these numbers and a bit for cards without a number.
pub const MAX_NUMBER: u8 = 15;
/// The points for a pair of equal symbols (N10).
pub const PAIR_POINTS: u16 = 5;
/// The number of contracts in the box; each game is played for one contract.
pub const CONTRACTS: usize = 6;

named! {
    /// The style of a bridge card. All bridge cards of a run have the same style.
    Style {
        /// Suspension bridge, the first style in order.
        Suspension = "suspension",
        /// Truss bridge, the second style in order.
        Truss = "truss",
        /// Cable-stayed bridge, the third style in order.
        Cable = "cable",
    }
}

named! {
    /// The symbol printed on the left or the right of a bridge card.
    Symbol {
        Fish = "fish",
        Bird = "bird",
        Boat = "boat",
    }
}

named! {
    /// The contract of a game. Each seat scores the better of its two conditions, on complete
    /// segments only. The wording *or more* is a ruling (N11).
    Contract {
        /// 10 points for a level-3 segment of 3 cards, 25 points for 4 or more.
        Triple = "triple",
        /// A segment of at least 3 cards of each style. 10 points if the longest has 4 cards, 20
        /// points if it has 5 or more.
        SpiceOfLife = "spice_of_life",
        /// 10 points for nine cards in level-1 segments (N17), and 5 points for each further card.
        LongestMile = "longest_mile",
        /// 10 points for a segment of 5 cards, 25 points for 6 or more.
        SpanningTheDivide = "spanning_the_divide",
        /// 10 points for three symbol pairs, 20 points for one pair of each symbol.
        TrialOfTheSea = "trial_of_the_sea",
        /// 10 points for a level-2 segment of 4 cards, 25 points for 5 or more.
        Double = "double",
    }
}

/// A bridge card. Cards are never turned. Bridge cards are ordered by style, then by ascending
/// number with tolls last, then by left and right symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeCard {
    /// The style, which all bridge cards of a run share.
    pub style: Style,
    /// The number, 1 to [`MAX_NUMBER`]; `None` for a toll.
    pub number: Option<u8>,
    /// The symbol on the left.
    pub left: Symbol,
    /// The symbol on the right.
    pub right: Symbol,
}

impl BridgeCard {
    /// Returns all fields as one number. These numbers have the same order as the cards.
    fn word(self) -> u32 {
        let number = self.number.map_or(1 << u8::BITS, u32::from);
        let symbols = (self.left as u32) << 2 | self.right as u32;
        (self.style as u32) << 13 | number << 4 | symbols
    }
}

ordered!(BridgeCard by |own| own.word());

/// A card that can be drafted. Bridge cards come first, in their own order, and monuments last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Card {
    /// A bridge card of the deck.
    Bridge(BridgeCard),
    /// A monument, without style, number or symbols. Monuments are interchangeable.
    Monument,
}

impl Card {
    /// Returns all fields as one number.
    pub(super) fn word(self) -> u32 {
        match self {
            Self::Bridge(card) => card.word(),
            Self::Monument => u32::MAX,
        }
    }
}

/// A piece of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// A bridge card or a monument.
    Card(Card),
    /// A pillar, of which each seat has [`PILLARS`].
    Pillar,
}

impl Piece {
    /// Returns the card; `None` for a pillar.
    pub(super) const fn card(self) -> Option<Card> {
        match self {
            Self::Card(card) => Some(card),
            Self::Pillar => None,
        }
    }
}

/// A place in a structure. The order is by level, then by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The level: 1 for the ground, up to 3.
    pub level: u8,
    /// The column, -[`MAX_COLUMN`] to [`MAX_COLUMN`], ascending to the right; the first piece lies
    /// at column 0 (N3).
    pub column: i8,
}

/// A piece and its place. The order is by piece, then by cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The piece, from the seat's hand or pillars.
    pub piece: Piece,
    /// The cell in which the piece is placed.
    pub cell: Cell,
}

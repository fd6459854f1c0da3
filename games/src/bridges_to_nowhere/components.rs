//! The pieces in the box, and where they can lie.

use crate::named::named;
use std::cmp::Ordering;

/// Seats of this game.
pub const PLAYERS: usize = 2;
/// Rounds of a game.
pub const ROUNDS: u8 = 4;
/// Bridge cards that are opened for each draft.
pub const OPEN_CARDS: usize = 6;
/// Bridge cards in the deck: each round opens six of them.
pub const BRIDGE_CARDS: usize = ROUNDS as usize * OPEN_CARDS;
/// Styles of bridge cards.
pub const STYLES: usize = 3;
/// Bridge cards of one style.
pub const CARDS_PER_STYLE: usize = BRIDGE_CARDS / STYLES;
/// Monuments, all alike.
pub const MONUMENTS: u8 = 3;
/// Cards that each seat takes in a draft.
pub const CARDS_A_DRAFT: usize = 3;
/// Pillars of a seat in each game.
pub const PILLARS: u8 = 6;
/// Most cards in one structure: those of all drafts.
pub const MAX_STRUCTURE_CARDS: usize = ROUNDS as usize * CARDS_A_DRAFT;
/// Most pieces in one structure, pillars included.
pub const MAX_PIECES: usize = MAX_STRUCTURE_CARDS + PILLARS as usize;
/// Most pieces that one seat places in one phase.
pub const MAX_PLACED: usize = CARDS_A_DRAFT + PILLARS as usize;
/// Levels of a structure, counted from 1 (N3).
pub const LEVELS: usize = 3;
/// Farthest column from column 0 on either side: the first piece lies there, and each of the
/// other seventeen reaches at most two columns further.
pub const MAX_COLUMN: i8 = 2 * (MAX_PIECES as i8 - 1);
/// Highest number of a bridge card: far above what a deck needs, and small enough for a mask of
/// 16 bits that has the cards without a number too.
pub const MAX_NUMBER: u8 = 15;
/// Contracts in the box, one a game.
pub const CONTRACTS: usize = 6;

named! {
    /// What a bridge card shows; the bridge cards of a run have one style.
    Style {
        /// A suspension bridge.
        Suspension = "suspension",
        /// A truss bridge.
        Truss = "truss",
        /// A cable-stayed bridge.
        Cable = "cable",
    }
}

named! {
    /// What is printed at the left and at the right of a bridge card.
    Symbol {
        Fish = "fish",
        Bird = "bird",
        Boat = "boat",
    }
}

named! {
    /// What a game is played for. Each seat scores the better of its two conditions, on complete
    /// segments only; what says *or more* is a ruling (N11).
    Contract {
        /// A level-3 segment of 3 cards: 10 points, of 4 or more: 25.
        Triple = "triple",
        /// A segment of each style, each of 3 cards or more, the longest of 4: 10 points, of 5 or
        /// more: 20.
        SpiceOfLife = "spice_of_life",
        /// Nine cards in level-1 segments: 10 points, and 5 for each card more.
        LongestMile = "longest_mile",
        /// A segment of 5 cards: 10 points, of 6 or more: 25.
        SpanningTheDivide = "spanning_the_divide",
        /// Three symbol pairs: 10 points; one pair of each symbol: 20.
        TrialOfTheSea = "trial_of_the_sea",
        /// A level-2 segment of 4 cards: 10 points, of 5 or more: 25.
        Double = "double",
    }
}

/// A bridge card. Cards are never turned. Their order is by style, then ascending number with
/// tolls last, then by left and right symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BridgeCard {
    /// Its style.
    pub style: Style,
    /// Its number, 1 to [`MAX_NUMBER`]; `None` for a toll.
    pub number: Option<u8>,
    /// The symbol at its left.
    pub left: Symbol,
    /// The symbol at its right.
    pub right: Symbol,
}

impl BridgeCard {
    /// All that it shows, as one number of the same order.
    fn word(self) -> u32 {
        let number = self.number.map_or(1 << u8::BITS, u32::from);
        let symbols = (self.left as u32) << 2 | self.right as u32;
        (self.style as u32) << 13 | number << 4 | symbols
    }
}

impl Ord for BridgeCard {
    fn cmp(&self, other: &Self) -> Ordering {
        self.word().cmp(&other.word())
    }
}

impl PartialOrd for BridgeCard {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A card that is drafted. The order is that of the bridge cards, monuments last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Card {
    /// A bridge card of the deck.
    Bridge(BridgeCard),
    /// A monument: of no style, without number and symbols. Monuments are interchangeable.
    Monument,
}

impl Card {
    /// All that it shows, as one number.
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
    /// A card.
    Card(Card),
    /// A pillar of the seat.
    Pillar,
}

impl Piece {
    /// The card, if it is one.
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
    /// The level, 1 to 3, 1 on the ground.
    pub level: u8,
    /// The column, -[`MAX_COLUMN`] to [`MAX_COLUMN`], growing to the right; the first piece lies at
    /// column 0 (N3).
    pub column: i8,
}

/// A piece and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The piece.
    pub piece: Piece,
    /// Its place.
    pub cell: Cell,
}

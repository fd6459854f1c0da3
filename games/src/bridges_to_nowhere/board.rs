//! Bit boards for a structure's levels.
//!
//! A board has 64 columns, which are used modulo 64. This number is enough, because a structure and
//! the columns for its next piece are less than 64 wide together. Column c is bit c modulo 64, and
//! a shift by one column is a rotation.
//!
//! The boards of barred cells have the empty cells from which the adjacent runs exclude a card
//! (N5). A run only gets more restrictive as it grows, since every part of a legal row is legal. So
//! a barred card stays barred until the cell is filled.

use super::components::{Cell, LEVELS, MAX_NUMBER, STYLES};
use super::run::{ALL_STYLES, NumberSet, StyleSet, Traits};

/// The columns of a level as a bit mask.
pub(super) type Board = u64;

/// One board for each level, the ground first.
pub(super) type Boards = [Board; LEVELS];

/// Returns the set bits of a board, the lowest first.
pub(super) fn bits(mut board: Board) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (board != 0).then(|| {
            let bit = board.trailing_zeros();
            board &= board - 1;
            bit
        })
    })
}

/// Returns a board's spots on a level, which counts from 0.
pub(super) fn spots(level: usize, board: Board) -> impl Iterator<Item = Spot> {
    bits(board).map(move |bit| Spot { level, bit })
}

/// A place in a structure, in the coordinates of the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The level, 0 for the ground.
    pub(super) level: usize,
    /// The column modulo 64.
    pub(super) bit: u32,
}

impl Spot {
    /// Returns the spot for a cell whose level is in 1 to 3.
    pub(super) const fn of(cell: Cell) -> Self {
        Self { level: cell.level as usize - 1, bit: cell.column as u32 % Board::BITS }
    }

    /// Returns the board with only this spot.
    pub(super) const fn board(self) -> Board {
        1 << self.bit
    }

    /// Returns `true` if the boards contain this spot.
    pub(super) const fn is_on(self, boards: &Boards) -> bool {
        boards[self.level] & self.board() != 0
    }

    /// Returns the spot `columns` to the right.
    pub(super) const fn right(self, columns: u32) -> Self {
        Self { bit: (self.bit + columns) % Board::BITS, ..self }
    }

    /// Returns the spot `columns` to the left.
    pub(super) const fn left(self, columns: u32) -> Self {
        self.right(Board::BITS - columns)
    }
}

/// The number of possible members in a `NumberSet`: the numbers 1 to [`MAX_NUMBER`], and 0 for
/// cards without a number.
const NUMBERS: usize = MAX_NUMBER as usize + 1;
/// There is one board for each bit of a `NumberSet`.
const _: () = assert!(NUMBERS == NumberSet::BITS as usize);

/// The barred cells of all levels, by the card trait that they exclude.
#[derive(Clone, Debug)]
pub(super) struct Barred([LevelBars; LEVELS]);

/// The barred cells on one level.
#[derive(Clone, Copy, Debug)]
struct LevelBars {
    /// Cells barred to bridge cards, by style.
    styles: [Board; STYLES],
    /// Cells barred to cards, by the card's number; index 0 is for cards without a number.
    numbers: [Board; NUMBERS],
}

impl Barred {
    /// The value of an empty structure, which bars no cell.
    pub(super) const NOTHING: Self =
        Self([LevelBars { styles: [0; STYLES], numbers: [0; NUMBERS] }; LEVELS]);

    /// Returns the cells on a level that are barred to a card. A monument fits every style, so it
    /// is allowed wherever any style is.
    pub(super) fn cells_barred_to(&self, level: usize, card: Traits) -> Board {
        let LevelBars { styles, numbers } = &self.0[level];
        let style = if card.is_monument {
            styles.iter().fold(Board::MAX, |barred, style| barred & style)
        } else {
            styles[card.styles.trailing_zeros() as usize]
        };
        style | numbers[usize::from(card.number)]
    }

    /// Bars an empty spot to all cards except those with one of these styles and one of these
    /// numbers.
    pub(super) fn bar_others(&mut self, spot: Spot, styles: StyleSet, numbers: NumberSet) {
        let level = &mut self.0[spot.level];
        for style in bits((ALL_STYLES & !styles).into()) {
            level.styles[style as usize] |= spot.board();
        }
        for number in bits((!numbers).into()) {
            level.numbers[number as usize] |= spot.board();
        }
    }
}

//! Bit boards for a structure's levels.
//!
//! A board has 64 columns, which are used modulo 64. This number is enough, because a structure and
//! the columns for its next piece are less than 64 wide together. Column c is bit c modulo 64, and
//! a shift by one column is a rotation.

use super::components::{Cell, LEVELS};

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
        Self {
            level: cell.level as usize - 1,
            bit: cell.column as u32 % Board::BITS,
        }
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
        Self {
            bit: (self.bit + columns) % Board::BITS,
            ..self
        }
    }

    /// Returns the spot `columns` to the left.
    pub(super) const fn left(self, columns: u32) -> Self {
        self.right(Board::BITS - columns)
    }
}

//! Bit boards of the levels of a structure.
//!
//! A board has 64 columns that go round: a structure with the columns that its next piece can take
//! is less than 64 wide, so column c is bit c modulo 64, and a shift by one column is a rotation.

use super::components::{Cell, LEVELS};

/// The columns of a level, one bit each.
pub(super) type Board = u64;

/// One board for each level, the ground first.
pub(super) type Boards = [Board; LEVELS];

/// The bits of a board, the lowest first.
pub(super) fn bits(mut board: Board) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (board != 0).then(|| {
            let bit = board.trailing_zeros();
            board &= board - 1;
            bit
        })
    })
}

/// The spots of a board on a level, from 0.
pub(super) fn spots(level: usize, board: Board) -> impl Iterator<Item = Spot> {
    bits(board).map(move |bit| Spot { level, bit })
}

/// A place in a structure as the boards count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// 0 for the ground.
    pub(super) level: usize,
    /// Column modulo 64.
    pub(super) bit: u32,
}

impl Spot {
    /// The spot of a cell that has a level 1 to 3.
    pub(super) const fn of(cell: Cell) -> Self {
        Self {
            level: cell.level as usize - 1,
            bit: cell.column as u32 % Board::BITS,
        }
    }

    /// The board with this spot alone.
    pub(super) const fn board(self) -> Board {
        1 << self.bit
    }

    /// Whether the boards have this spot.
    pub(super) const fn is_on(self, boards: &Boards) -> bool {
        boards[self.level] & self.board() != 0
    }

    /// The spot this many columns to the right.
    pub(super) const fn right(self, columns: u32) -> Self {
        Self {
            bit: (self.bit + columns) % Board::BITS,
            ..self
        }
    }

    /// The spot this many columns to the left.
    pub(super) const fn left(self, columns: u32) -> Self {
        self.right(Board::BITS - columns)
    }
}

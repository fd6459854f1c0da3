//! The empty cells next to a tile, each with what the tiles round it ask for.

use super::components::{Cell, EDGES, Edge, MAX_TILES, Terrain};
use super::tile::Demand;

/// Most open cells: the start tile opens four; a tile closes the cell that it takes and opens at
/// most three.
pub(super) const MAX_OPEN: usize = 4 + 2 * (MAX_TILES - 1);

/// What stands for no tile in [`Open::beyond`].
const NO_TILE: u8 = u8::MAX;

/// An empty cell next to a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) cell: Cell,
    pub(super) demand: Demand,
    /// The tile beyond each edge, by the order in which tiles were laid.
    beyond: [u8; EDGES],
}

impl Open {
    /// The tile beyond an edge.
    pub(super) fn beyond(&self, edge: Edge) -> Option<u8> {
        let tile = self.beyond[edge.index()];
        (tile != NO_TILE).then_some(tile)
    }
}

/// The open cells, by x, then y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frontier {
    len: u8,
    open: [Open; MAX_OPEN],
}

impl Frontier {
    /// The cell of the start tile alone.
    pub(super) fn new() -> Self {
        let start = Open {
            cell: Cell::default(),
            demand: Demand::default(),
            beyond: [NO_TILE; EDGES],
        };
        Self {
            len: 1,
            open: [start; MAX_OPEN],
        }
    }

    /// The open cells in order.
    pub(super) fn cells(&self) -> &[Open] {
        &self.open[..usize::from(self.len)]
    }

    fn place_of(&self, cell: Cell) -> Result<usize, usize> {
        self.cells()
            .binary_search_by_key(&key(cell), |open| key(open.cell))
    }

    pub(super) fn at(&self, cell: Cell) -> Option<&Open> {
        self.place_of(cell).ok().map(|place| &self.open[place])
    }

    /// Closes an open cell, for a tile is laid there.
    pub(super) fn close(&mut self, cell: Cell) -> Option<Open> {
        let place = self.place_of(cell).ok()?;
        let closed = self.open[place];
        self.open
            .copy_within(place + 1..usize::from(self.len), place);
        self.len -= 1;
        Some(closed)
    }

    /// Makes the tile `tile` with this terrain a neighbour of an empty cell, beyond its `edge`.
    pub(super) fn adjoin(&mut self, cell: Cell, edge: Edge, terrain: Terrain, tile: u8) {
        let place = self.place_of(cell).unwrap_or_else(|place| {
            self.open
                .copy_within(place..usize::from(self.len), place + 1);
            self.len += 1;
            self.open[place] = Open {
                cell,
                demand: Demand::default(),
                beyond: [NO_TILE; EDGES],
            };
            place
        });
        self.open[place].demand.add(edge, terrain);
        self.open[place].beyond[edge.index()] = tile;
    }
}

/// A number that orders cells as [`Cell`] does: one comparison instead of two.
const fn key(cell: Cell) -> u16 {
    let [x, y] = [cell.x.cast_unsigned() ^ 0x80, cell.y.cast_unsigned() ^ 0x80];
    u16::from_be_bytes([x, y])
}

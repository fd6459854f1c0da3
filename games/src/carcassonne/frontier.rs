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

/// Room for the open cells, in whole steps of [`Frontier::place_of`].
const ROOM: usize = MAX_OPEN.next_multiple_of(STEP);

/// Keys that are compared at a time.
const STEP: usize = 16;

/// The open cells, by x, then y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frontier {
    len: u8,
    /// The keys of the open cells, then [`NO_KEY`].
    keys: [u16; ROOM],
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
        let mut keys = [NO_KEY; ROOM];
        keys[0] = key(start.cell);
        Self {
            len: 1,
            keys,
            open: [start; MAX_OPEN],
        }
    }

    /// The open cells in order.
    pub(super) fn cells(&self) -> &[Open] {
        &self.open[..usize::from(self.len)]
    }

    /// The place of a cell, or else where it would be. Counts the cells before it: so many
    /// comparisons at once cost less than the branches of a search.
    fn place_of(&self, cell: Cell) -> Result<usize, usize> {
        let cell = key(cell);
        let steps = self.keys.as_chunks::<STEP>().0.iter();
        let used = usize::from(self.len).div_ceil(STEP);
        let mut before = [0; STEP];
        for keys in steps.take(used) {
            for (before, &key) in before.iter_mut().zip(keys) {
                *before += u16::from(key < cell);
            }
        }
        let place = usize::from(before.iter().sum::<u16>());
        // Of the open cells alone: a cell of the furthest corner has the key that stands for none.
        match self.keys[..usize::from(self.len)].get(place) {
            Some(&key) if key == cell => Ok(place),
            _ => Err(place),
        }
    }

    pub(super) fn at(&self, cell: Cell) -> Option<&Open> {
        self.place_of(cell).ok().map(|place| &self.open[place])
    }

    /// Closes an open cell, for a tile is laid there.
    pub(super) fn close(&mut self, cell: Cell) -> Option<Open> {
        let place = self.place_of(cell).ok()?;
        let closed = self.open[place];
        let end = usize::from(self.len);
        self.open.copy_within(place + 1..end, place);
        self.keys.copy_within(place + 1..end, place);
        self.keys[end - 1] = NO_KEY;
        self.len -= 1;
        Some(closed)
    }

    /// Makes the tile `tile` with this terrain a neighbour of an empty cell, beyond its `edge`.
    pub(super) fn adjoin(&mut self, cell: Cell, edge: Edge, terrain: Terrain, tile: u8) {
        let place = self.place_of(cell).unwrap_or_else(|place| {
            let end = usize::from(self.len);
            self.open.copy_within(place..end, place + 1);
            self.keys.copy_within(place..end, place + 1);
            self.len += 1;
            self.keys[place] = key(cell);
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

/// What stands for no key: it is above that of each cell that a tile can lie in.
const NO_KEY: u16 = u16::MAX;

/// A number that orders cells as [`Cell`] does: one comparison instead of two.
const fn key(cell: Cell) -> u16 {
    let [x, y] = [cell.x.cast_unsigned() ^ 0x80, cell.y.cast_unsigned() ^ 0x80];
    u16::from_be_bytes([x, y])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_cells_are_found() {
        let all =
            || (i8::MIN..=i8::MAX).flat_map(|x| (i8::MIN..=i8::MAX).map(move |y| Cell { x, y }));
        let mut frontier = Frontier::new();
        let found = |frontier: &Frontier| -> Vec<Cell> {
            all().filter(|&cell| frontier.at(cell).is_some()).collect()
        };
        assert_eq!(found(&frontier), [Cell::default()]);
        frontier.close(Cell::default()).unwrap();
        assert_eq!(found(&frontier), []);
        // So many that they take several steps of a search.
        let column = || (0..40).map(|y| Cell { x: -3, y: y - 20 });
        for cell in column().rev() {
            frontier.adjoin(cell, Edge::West, Terrain::Road, 1);
        }
        assert_eq!(found(&frontier), column().collect::<Vec<_>>());
    }
}

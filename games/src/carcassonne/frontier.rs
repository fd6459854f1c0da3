//! The frontier: the empty cells next to a tile, each with the constraints that surrounding tiles
//! impose.

use super::components::{Cell, EDGES, Edge, MAX_TILES, Terrain};
use super::tile::Demand;

/// The maximum number of open cells. The start tile opens four. Each other tile closes its own cell
/// and opens at most three.
pub(super) const MAX_OPEN: usize = 4 + 2 * (MAX_TILES - 1);

/// The value in [`OpenCell::beyond`] for an edge without a tile beyond it.
const NO_TILE: u8 = u8::MAX;

/// An empty cell next to a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenCell {
    pub(super) cell: Cell,
    pub(super) demand: Demand,
    /// For each edge, the index of the tile beyond it, in the order of placement.
    beyond: [u8; EDGES],
}

impl OpenCell {
    /// Creates a cell without neighbours.
    fn new(cell: Cell) -> Self {
        Self { cell, demand: Demand::default(), beyond: [NO_TILE; EDGES] }
    }

    /// Returns the index of the tile beyond an edge.
    pub(super) fn beyond(&self, edge: Edge) -> Option<u8> {
        let tile = self.beyond[edge.index()];
        (tile != NO_TILE).then_some(tile)
    }

    /// Adds the neighbour `tile` with this terrain beyond an edge.
    fn adjoin(&mut self, edge: Edge, terrain: Terrain, tile: u8) {
        self.demand.add(edge, terrain);
        self.beyond[edge.index()] = tile;
    }
}

/// The index of an open cell. It is valid until a cell is closed or opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenIndex(usize);

impl OpenIndex {
    /// The index of the start tile's cell before the tile is placed.
    pub(super) const START: Self = Self(0);
}

/// The capacity for open cells, a multiple of [`STEP`].
const CAPACITY: usize = MAX_OPEN.next_multiple_of(STEP);

/// The number of keys that are compared at once.
const STEP: usize = 16;

/// The open cells. They are ordered by x, then by y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frontier {
    len: u8,
    /// The keys of the open cells, padded with [`NO_KEY`].
    keys: [u16; CAPACITY],
    open: [OpenCell; MAX_OPEN],
}

impl Frontier {
    /// Creates a frontier with only the start cell.
    pub(super) fn new() -> Self {
        let start = OpenCell::new(Cell::default());
        let mut keys = [NO_KEY; CAPACITY];
        keys[0] = key(start.cell);
        Self { len: 1, keys, open: [start; MAX_OPEN] }
    }

    /// Returns the open cells in order.
    pub(super) fn cells(&self) -> &[OpenCell] {
        &self.open[..usize::from(self.len)]
    }

    /// Returns a cell's index, or the index at which the cell would be inserted. The index is the
    /// number of open cells before the cell. Comparing many keys at once is cheaper than the
    /// branches of a binary search.
    fn index_of(&self, cell: Cell) -> Result<usize, usize> {
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
        // Search only the keys of open cells, because the key of the cell in the furthest corner
        // equals `NO_KEY`.
        match self.keys[..usize::from(self.len)].get(place) {
            Some(&key) if key == cell => Ok(place),
            _ => Err(place),
        }
    }

    /// Returns the index of a cell if it is open.
    pub(super) fn find(&self, cell: Cell) -> Option<OpenIndex> {
        self.index_of(cell).ok().map(OpenIndex)
    }

    pub(super) fn at(&self, place: OpenIndex) -> &OpenCell {
        &self.open[place.0]
    }

    /// Places a tile with this terrain at its edges in an open cell. Closes the cell and opens the
    /// empty cells next to it. Returns the cell's previous value.
    pub(super) fn occupy(
        &mut self,
        OpenIndex(place): OpenIndex,
        terrain: &[Terrain; EDGES],
        tile: u8,
    ) -> OpenCell {
        let closed = self.open[place];
        let is_empty = |edge: &Edge| closed.beyond(*edge).is_none();
        // In the order of cells, the northern neighbour is directly before this cell, and the
        // southern neighbour directly after it. So if the northern or southern neighbour opens, it
        // can reuse this index without moving other cells.
        let mut is_free = true;
        for edge in [Edge::North, Edge::South].into_iter().filter(is_empty) {
            let cell = closed.cell.beyond(edge);
            let beside = match edge {
                Edge::North => place.checked_sub(1),
                _ => Some(place + 1),
            };
            let beside = beside.filter(|&at| self.keys.get(at) == Some(&key(cell)));
            let at = match beside {
                Some(at) => at,
                None if std::mem::take(&mut is_free) => self.put(place, cell),
                None => self.insert(place + 1, cell),
            };
            self.open[at].adjoin(edge.opposite(), terrain[edge.index()], tile);
        }
        if is_free {
            self.remove(place);
        }
        for edge in [Edge::East, Edge::West].into_iter().filter(is_empty) {
            let cell = closed.cell.beyond(edge);
            let at = self.index_of(cell);
            let at = at.unwrap_or_else(|at| self.insert(at, cell));
            self.open[at].adjoin(edge.opposite(), terrain[edge.index()], tile);
        }
        closed
    }

    /// Stores an open cell at an index, and returns the index.
    fn put(&mut self, place: usize, cell: Cell) -> usize {
        self.keys[place] = key(cell);
        self.open[place] = OpenCell::new(cell);
        place
    }

    /// Inserts an open cell at an index, and returns the index.
    fn insert(&mut self, place: usize, cell: Cell) -> usize {
        let end = usize::from(self.len);
        self.open.copy_within(place..end, place + 1);
        self.keys.copy_within(place..end, place + 1);
        self.len += 1;
        self.put(place, cell)
    }

    fn remove(&mut self, place: usize) {
        let end = usize::from(self.len);
        self.open.copy_within(place + 1..end, place);
        self.keys.copy_within(place + 1..end, place);
        self.keys[end - 1] = NO_KEY;
        self.len -= 1;
    }
}

/// The value of unused keys. It is above the key of each cell in which a tile can lie.
const NO_KEY: u16 = u16::MAX;

/// Returns a number that orders cells like [`Cell`], so that one comparison is enough.
const fn key(cell: Cell) -> u16 {
    let [x, y] = [cell.x.cast_unsigned() ^ 0x80, cell.y.cast_unsigned() ^ 0x80];
    u16::from_be_bytes([x, y])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROADS: [Terrain; EDGES] = [Terrain::Road; EDGES];

    fn found(frontier: &Frontier) -> Vec<Cell> {
        let all = (i8::MIN..=i8::MAX).flat_map(|x| (i8::MIN..=i8::MAX).map(move |y| Cell { x, y }));
        all.filter(|&cell| frontier.find(cell).is_some()).collect()
    }

    #[test]
    fn only_open_cells_are_found() {
        let mut frontier = Frontier::new();
        assert_eq!(found(&frontier), [Cell::default()]);
        // Enough cells that a search needs several steps.
        let column = || (0..40).map(|y| Cell { x: 0, y });
        for (cell, tile) in column().zip(0..) {
            let place = frontier.find(cell).unwrap();
            frontier.occupy(place, &ROADS, tile);
        }
        let beside = |x| column().map(move |cell| Cell { x, ..cell });
        let ends = [-1, 40].map(|y| Cell { x: 0, y });
        let open: Vec<_> = beside(-1).chain(ends).chain(beside(1)).collect();
        assert_eq!(found(&frontier), open);
        let in_order: Vec<_> = frontier.cells().iter().map(|open| open.cell).collect();
        assert_eq!(in_order, open);
    }

    #[test]
    fn cells_open_and_close_in_any_order_of_neighbours() {
        let mut frontier = Frontier::new();
        let mut laid = Vec::<Cell>::new();
        let mut number = 7_usize;
        for tile in 0..60 {
            number = (number * 31 + 11) % 1009;
            let cell = frontier.cells()[number % frontier.cells().len()].cell;
            let place = frontier.find(cell).unwrap();
            let closed = frontier.occupy(place, &ROADS, tile);
            assert_eq!(closed.cell, cell);
            laid.push(cell);
            let neighbours = |cell: Cell| Edge::ALL.map(|edge| cell.beyond(edge));
            let mut expected: Vec<_> = laid.iter().flat_map(|&cell| neighbours(cell)).collect();
            expected.retain(|cell| !laid.contains(cell));
            expected.sort_unstable();
            expected.dedup();
            let open = frontier.cells().iter();
            assert_eq!(open.clone().map(|open| open.cell).collect::<Vec<_>>(), expected);
            for open in open {
                for edge in Edge::ALL {
                    let beyond = laid.iter().position(|&cell| cell == open.cell.beyond(edge));
                    assert_eq!(open.beyond(edge).map(usize::from), beyond);
                    assert_eq!(open.demand.at(edge).is_some(), beyond.is_some());
                }
            }
        }
    }
}

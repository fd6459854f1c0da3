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
    /// A cell that nothing adjoins yet.
    fn new(cell: Cell) -> Self {
        Self {
            cell,
            demand: Demand::default(),
            beyond: [NO_TILE; EDGES],
        }
    }

    /// The tile beyond an edge.
    pub(super) fn beyond(&self, edge: Edge) -> Option<u8> {
        let tile = self.beyond[edge.index()];
        (tile != NO_TILE).then_some(tile)
    }

    /// Makes the tile `tile` with this terrain a neighbour, beyond an edge.
    fn adjoin(&mut self, edge: Edge, terrain: Terrain, tile: u8) {
        self.demand.add(edge, terrain);
        self.beyond[edge.index()] = tile;
    }
}

/// The place of an open cell, until a cell is closed or opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenPlace(usize);

impl OpenPlace {
    /// That of the start tile, before it is laid.
    pub(super) const START: Self = Self(0);
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
        let start = Open::new(Cell::default());
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

    /// Where a cell is among the open ones, if it is open.
    pub(super) fn find(&self, cell: Cell) -> Option<OpenPlace> {
        self.place_of(cell).ok().map(OpenPlace)
    }

    pub(super) fn at(&self, place: OpenPlace) -> &Open {
        &self.open[place.0]
    }

    /// Lays the tile `tile` with this terrain at its edges in an open cell: closes the cell, and opens
    /// those next to it in which no tile lies. Gives the cell as it was.
    pub(super) fn occupy(
        &mut self,
        OpenPlace(place): OpenPlace,
        terrain: &[Terrain; EDGES],
        tile: u8,
    ) -> Open {
        let closed = self.open[place];
        let is_empty = |edge: &Edge| closed.beyond(*edge).is_none();
        // In the order of cells the next one north is just before this one, the next one south just
        // after it. So one that opens takes the place of this one, and nothing has to move.
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
            let at = self.place_of(cell);
            let at = at.unwrap_or_else(|at| self.insert(at, cell));
            self.open[at].adjoin(edge.opposite(), terrain[edge.index()], tile);
        }
        closed
    }

    /// Puts an open cell in a place, and returns the place.
    fn put(&mut self, place: usize, cell: Cell) -> usize {
        self.keys[place] = key(cell);
        self.open[place] = Open::new(cell);
        place
    }

    /// Makes room in a place, puts an open cell there, and returns the place.
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

    const ROADS: [Terrain; EDGES] = [Terrain::Road; EDGES];

    fn found(frontier: &Frontier) -> Vec<Cell> {
        let all = (i8::MIN..=i8::MAX).flat_map(|x| (i8::MIN..=i8::MAX).map(move |y| Cell { x, y }));
        all.filter(|&cell| frontier.find(cell).is_some()).collect()
    }

    #[test]
    fn only_open_cells_are_found() {
        let mut frontier = Frontier::new();
        assert_eq!(found(&frontier), [Cell::default()]);
        // So many that they take several steps of a search.
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
            assert_eq!(
                open.clone().map(|open| open.cell).collect::<Vec<_>>(),
                expected
            );
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

//! Components: tiles, and their cells, edges and segments.

use std::fmt;

use crate::named::{named, numbered};

/// The maximum number of seats.
pub const MAX_PLAYERS: usize = 5;
/// The minimum number of seats.
pub const MIN_PLAYERS: usize = 2;
/// The number of meeples per seat.
pub const MEEPLES: u8 = 7;
/// The number of all seats' meeples together.
pub const MAX_MEEPLES: usize = MAX_PLAYERS * MEEPLES as usize;
/// The number of base tile kinds, A to X.
pub const BASE_KINDS: usize = 24;
/// The number of base tiles, including the start tile.
pub const BASE_TILES: usize = 72;
/// The number of drawbridge tiles. Each drawbridge tile is a separate kind.
pub const DRAWBRIDGE_TILES: usize = 12;
/// The number of tile kinds, base and drawbridge.
pub const TILE_KINDS: usize = BASE_KINDS + DRAWBRIDGE_TILES;
/// The number of tiles in a match with drawbridges, including the start tile.
pub const MAX_TILES: usize = BASE_TILES + DRAWBRIDGE_TILES;
/// The number of tiles drawn in a match with drawbridges: all but the start tile.
pub const MAX_DRAWS: usize = MAX_TILES - 1;
/// The maximum distance of a tile from the start tile along an axis. The maximum is reached if all
/// tiles are in one line.
pub const MAX_COORDINATE: i8 = MAX_DRAWS as i8;
/// The number of edges on a tile.
pub const EDGES: usize = 4;
/// The number of half-edges on a tile.
pub const HALF_EDGES: usize = 2 * EDGES;
/// The maximum number of fields of a tile. Only a road or a city ends a field, so the border has no
/// more field sections than edges.
pub const MAX_TILE_FIELDS: usize = EDGES;
/// The maximum number of segments on a tile: one road or city per edge, the fields, and a
/// monastery.
pub const MAX_TILE_SEGMENTS: usize = EDGES + MAX_TILE_FIELDS + 1;
/// The maximum number of roads that one placement can complete, which is also the maximum number of
/// pending crossings.
pub const MAX_CROSSINGS: usize = EDGES;
/// The maximum number of drawbridges on a tile. Each drawbridge needs an edge with a road, and its
/// city needs another edge.
pub const MAX_TILE_GATES: usize = EDGES - 1;
/// The maximum number of drawbridges in a match.
pub const MAX_GATES: usize = DRAWBRIDGE_TILES * MAX_TILE_GATES;

named! {
    /// The terrain along a tile's edge. Data files name it by its letter.
    Terrain {
        /// Field only, without a road.
        Field = "F",
        /// A road, with field on both sides.
        Road = "R",
        /// A city across the whole edge.
        City = "C",
    }
}

named! {
    /// An edge of a tile after rotation, clockwise from the north.
    Edge {
        /// North: towards smaller y.
        North = "n",
        /// East: towards larger x.
        East = "e",
        /// South: towards larger y.
        South = "s",
        /// West: towards smaller x.
        West = "w",
    }
}

impl Edge {
    /// Returns the edge's letter in data files, which is its name in upper case.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0].to_ascii_uppercase() as char
    }

    /// Returns the edge with this letter, if there is one.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|edge| edge.letter() == letter)
    }

    /// Returns the opposite edge. The neighbouring tile touches this edge with its opposite edge.
    pub const fn opposite(self) -> Self {
        self.turned(Rotation(2))
    }

    /// Returns the edge after a rotation of its tile.
    pub const fn turned(self, rotation: Rotation) -> Self {
        Self::ALL[(self as usize + rotation.0 as usize) % EDGES]
    }

    /// Returns the two halves of this edge, clockwise.
    pub const fn halves(self) -> [HalfEdge; 2] {
        let first = 2 * self as usize;
        [HalfEdge::ALL[first], HalfEdge::ALL[first + 1]]
    }
}

named! {
    /// Half an edge of a tile after rotation, clockwise from the west half of the north edge. Left
    /// and right are as seen from the centre of the tile.
    HalfEdge {
        /// West half of the north edge.
        NorthLeft = "nl",
        /// East half of the north edge.
        NorthRight = "nr",
        /// North half of the east edge.
        EastLeft = "el",
        /// South half of the east edge.
        EastRight = "er",
        /// East half of the south edge.
        SouthLeft = "sl",
        /// West half of the south edge.
        SouthRight = "sr",
        /// South half of the west edge.
        WestLeft = "wl",
        /// North half of the west edge.
        WestRight = "wr",
    }
}

impl HalfEdge {
    /// Returns the edge that this half-edge is part of.
    pub const fn edge(self) -> Edge {
        Edge::ALL[self as usize / 2]
    }

    /// Returns the half-edge of the neighbouring tile that this half-edge touches.
    pub const fn opposite(self) -> Self {
        Self::ALL[((self as usize ^ 1) + EDGES) % HALF_EDGES]
    }

    /// Returns the half-edge after a rotation of its tile.
    pub const fn turned(self, rotation: Rotation) -> Self {
        Self::ALL[(self as usize + 2 * rotation.0 as usize) % HALF_EDGES]
    }
}

numbered! {
    /// The rotation of a tile: 0 to 3 quarter turns clockwise.
    #[derive(Default)]
    Rotation below EDGES
}

impl Rotation {
    /// All rotations, in ascending order.
    pub const ALL: [Self; EDGES] = [Self(0), Self(1), Self(2), Self(3)];
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A cell of the grid. The start tile is in (0, 0). Cells are ordered by x, then by y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The column, ascending to the east, from -[`MAX_COORDINATE`] to [`MAX_COORDINATE`].
    pub x: i8,
    /// The row, ascending to the south, from -[`MAX_COORDINATE`] to [`MAX_COORDINATE`].
    pub y: i8,
}

impl Cell {
    /// Formats the cell for messages, as in `(3, -1)`. `Display` writes the notation instead.
    pub(super) fn at(self) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "({}, {})", self.x, self.y))
    }

    /// Returns the cell beyond an edge. Cells that a match can use, and their neighbours, are
    /// supported.
    pub(super) const fn beyond(self, edge: Edge) -> Self {
        let Self { x, y } = self;
        match edge {
            Edge::North => Self { x, y: y - 1 },
            Edge::East => Self { x: x + 1, y },
            Edge::South => Self { x, y: y + 1 },
            Edge::West => Self { x: x - 1, y },
        }
    }

    /// Returns `true` if two cells are equal or share an edge or a corner.
    pub(super) const fn is_near(self, other: Self) -> bool {
        self.x.abs_diff(other.x) <= 1 && self.y.abs_diff(other.y) <= 1
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.x, self.y)
    }
}

/// A segment of a tile after rotation: part of a road, city or field, or the monastery. A segment
/// is named by its first edge or half-edge. The segments of a tile are ordered as in this enum
/// (roads, cities, the monastery, fields), and segments of the same kind are ordered by edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// The road at this edge.
    Road(Edge),
    /// The city at this edge.
    City(Edge),
    /// The monastery, in the centre of its tile.
    Monastery,
    /// The field at this half-edge.
    Field(HalfEdge),
}

impl Segment {
    /// Returns all segments that a tile can have, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        let edges = Edge::ALL.into_iter();
        let of_edges = edges.clone().map(Self::Road).chain(edges.map(Self::City));
        let fields = HalfEdge::ALL.into_iter().map(Self::Field);
        of_edges.chain([Self::Monastery]).chain(fields)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Road(edge) => write!(f, "road {edge}"),
            Self::City(edge) => write!(f, "city {edge}"),
            Self::Monastery => f.write_str("monastery"),
            Self::Field(half) => write!(f, "field {half}"),
        }
    }
}

numbered! {
    /// A kind of tile: 0 to 23 are the base tiles A to X, 24 to 35 the drawbridge tiles 1 to 12.
    TileKind below TILE_KINDS
}

impl TileKind {
    /// The kind of the start tile: D.
    pub const START: Self = Self(3);

    /// Returns all kinds in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..TILE_KINDS as u8).map(Self)
    }

    /// Returns `true` for a drawbridge tile.
    pub const fn is_drawbridge_tile(self) -> bool {
        self.index() >= BASE_KINDS
    }

    /// Returns the kind with this name, such as `A` or `D12`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.to_string() == name)
    }
}

/// Writes the name: `A` to `X`, or `D1` to `D12`.
impl fmt::Display for TileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => write!(f, "D{}", drawbridge + 1),
            None => write!(f, "{}", char::from(b'A' + self.0)),
        }
    }
}

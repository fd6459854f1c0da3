//! What lies on the table: tiles, where they lie, and their edges and segments.

use std::fmt;

use crate::{named::named, numbered::numbered};

/// Most seats of this game.
pub const MAX_PLAYERS: usize = 5;
/// Fewest seats of this game.
pub const MIN_PLAYERS: usize = 2;
/// Meeples of each seat.
pub const MEEPLES: u8 = 7;
/// Meeples of all seats.
pub const MAX_MEEPLES: usize = MAX_PLAYERS * MEEPLES as usize;
/// Kinds of base tile, A to X.
pub const BASE_KINDS: usize = 24;
/// Base tiles, the start tile included.
pub const BASE_TILES: usize = 72;
/// Drawbridge tiles; each is a kind of its own.
pub const DRAWBRIDGE_TILES: usize = 12;
/// All kinds of tile.
pub const TILE_KINDS: usize = BASE_KINDS + DRAWBRIDGE_TILES;
/// Tiles of a match with drawbridges, the start tile included.
pub const MAX_TILES: usize = BASE_TILES + DRAWBRIDGE_TILES;
/// Tiles that are drawn in a match with drawbridges: all but the start tile.
pub const MAX_DRAWS: usize = MAX_TILES - 1;
/// The furthest that a tile can lie from the start tile along an axis: all others in one line.
pub const MAX_COORDINATE: i8 = MAX_DRAWS as i8;
/// Edges of a tile.
pub const EDGES: usize = 4;
/// Half-edges of a tile.
pub const HALF_EDGES: usize = 2 * EDGES;
/// Most fields of a tile: the boundary falls into no more pieces than there are edges, because a
/// field ends only at a road or a city.
pub const MAX_TILE_FIELDS: usize = EDGES;
/// Most segments of a tile: a road or a city takes at least one edge; fields, and a monastery.
pub const MAX_TILE_SEGMENTS: usize = EDGES + MAX_TILE_FIELDS + 1;
/// Most roads that one placement can complete, and so most crossings that wait at once.
pub const MAX_CROSSINGS: usize = EDGES;
/// Most drawbridges of a tile: each takes a road edge, and its city another edge.
pub const MAX_TILE_GATES: usize = EDGES - 1;
/// Most drawbridges of a match.
pub const MAX_GATES: usize = DRAWBRIDGE_TILES * MAX_TILE_GATES;

named! {
    /// What runs through an edge of a tile, by the letter in tables.
    Terrain {
        /// Nothing but field.
        Field = "F",
        /// A road, with field on both sides.
        Road = "R",
        /// A city.
        City = "C",
    }
}

named! {
    /// An edge of a tile as it lies, clockwise from the north.
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
    /// The letter in tables: the name as a capital.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0].to_ascii_uppercase() as char
    }

    /// The one with this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|edge| edge.letter() == letter)
    }

    /// The edge across: what this edge of a tile meets of its neighbour.
    pub const fn opposite(self) -> Self {
        self.turned(Rotation(2))
    }

    /// Where this edge lies when its tile is turned.
    pub const fn turned(self, rotation: Rotation) -> Self {
        Self::ALL[(self as usize + rotation.0 as usize) % EDGES]
    }

    /// The two halves of this edge, clockwise.
    pub const fn halves(self) -> [HalfEdge; 2] {
        let first = 2 * self as usize;
        [HalfEdge::ALL[first], HalfEdge::ALL[first + 1]]
    }
}

named! {
    /// Half an edge of a tile as it lies, clockwise from the west half of the north edge: left and
    /// right are seen from the centre of the tile.
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
    /// The edge that this is half of.
    pub const fn edge(self) -> Edge {
        Edge::ALL[self as usize / 2]
    }

    /// What this half-edge of a tile meets of its neighbour.
    pub const fn opposite(self) -> Self {
        Self::ALL[((self as usize ^ 1) + EDGES) % HALF_EDGES]
    }

    /// Where this half-edge lies when its tile is turned.
    pub const fn turned(self, rotation: Rotation) -> Self {
        Self::ALL[(self as usize + 2 * rotation.0 as usize) % HALF_EDGES]
    }
}

numbered! {
    /// How a tile is turned: 0 to 3 quarter turns clockwise.
    #[derive(Default)]
    Rotation below EDGES
}

impl Rotation {
    /// All of them, in order.
    pub const ALL: [Self; EDGES] = [Self(0), Self(1), Self(2), Self(3)];
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A cell of the plane that the tiles lie in. The start tile lies in (0, 0). Cells are ordered by
/// x, then y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Grows to the east; from -[`MAX_COORDINATE`] to [`MAX_COORDINATE`].
    pub x: i8,
    /// Grows to the south; from -[`MAX_COORDINATE`] to [`MAX_COORDINATE`].
    pub y: i8,
}

impl Cell {
    /// The cell in a text: `(3, -1)`. Alone it is written as in the notation.
    pub(super) fn at(self) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "({}, {})", self.x, self.y))
    }

    /// The cell beyond an edge. Defined for every cell of a match and those next to them.
    pub(super) const fn beyond(self, edge: Edge) -> Self {
        let Self { x, y } = self;
        match edge {
            Edge::North => Self { x, y: y - 1 },
            Edge::East => Self { x: x + 1, y },
            Edge::South => Self { x, y: y + 1 },
            Edge::West => Self { x: x - 1, y },
        }
    }

    /// Whether two cells are the same or share an edge or a corner.
    pub(super) const fn is_near(self, other: Self) -> bool {
        self.x.abs_diff(other.x) <= 1 && self.y.abs_diff(other.y) <= 1
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.x, self.y)
    }
}

/// A segment of a tile as it lies: a piece of a road, of a city or of a field, or the monastery.
/// A segment is named by its first edge or half-edge. Segments of a tile are ordered as here:
/// roads, cities, the monastery, fields, each by edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// The road of this edge.
    Road(Edge),
    /// The city of this edge.
    City(Edge),
    /// The monastery.
    Monastery,
    /// The field of this half-edge.
    Field(HalfEdge),
}

impl Segment {
    /// All that a tile can have, in order.
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
    /// The kind that the start tile is of: D.
    pub const START: Self = Self(3);

    /// All of them, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..TILE_KINDS as u8).map(Self)
    }

    /// Whether this is one of the drawbridge tiles.
    pub const fn is_drawbridge_tile(self) -> bool {
        self.index() >= BASE_KINDS
    }

    /// The one with this name, such as `A` or `D12`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.to_string() == name)
    }
}

/// The name: `A` to `X`, or `D1` to `D12`.
impl fmt::Display for TileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => write!(f, "D{}", drawbridge + 1),
            None => write!(f, "{}", char::from(b'A' + self.0)),
        }
    }
}

//! The tiles: the base tiles, which are the same in every match, and edition data, the drawbridge
//! tiles: one data file, compiled in as the house edition and replaceable by any file of the same
//! form.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, de};

use super::components::{BASE_KINDS, DRAWBRIDGE_TILES, Edge, HalfEdge, Terrain, TileKind};
use super::edition_check as check;
use super::tile::Shape;
use crate::edition::{EditionError, check_name, exactly, read_parts};

/// Edition data as it comes from outside: from a file or from the wire, not yet checked. The
/// fields are those of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// Name of the edition.
    pub name: String,
    /// The drawbridge tiles 1 to 12, in this order.
    pub tiles: Vec<TileParts>,
}

/// A tile as it comes from outside, unturned. In a file edges are letters, such as `NE`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileParts {
    /// What runs through the edges, clockwise from the north: four entries.
    #[serde(deserialize_with = "terrains")]
    pub edges: Vec<Terrain>,
    /// City segments.
    #[serde(default)]
    pub cities: Vec<CityParts>,
    /// Road segments.
    #[serde(default)]
    pub roads: Vec<RoadParts>,
    /// Field segments.
    #[serde(default)]
    pub fields: Vec<FieldParts>,
    /// Whether the tile has a monastery.
    #[serde(default)]
    pub monastery: bool,
}

/// A city segment as it comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CityParts {
    /// Its edges, ascending.
    #[serde(deserialize_with = "edges")]
    pub edges: Vec<Edge>,
    /// Whether it has a shield.
    #[serde(default)]
    pub shield: bool,
}

/// A road segment as it comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoadParts {
    /// Its edges, ascending: two, or one if the road ends on the tile.
    #[serde(deserialize_with = "edges")]
    pub edges: Vec<Edge>,
    /// The first edge of the city segment that the road ends at with a drawbridge; `None` for a
    /// road that ends elsewhere or not at all.
    #[serde(default, deserialize_with = "edge")]
    pub drawbridge: Option<Edge>,
}

/// A field segment as it comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldParts {
    /// Its half-edges, ascending.
    #[serde(deserialize_with = "half_edges")]
    pub half_edges: Vec<HalfEdge>,
    /// The city segments that it touches, each by its first edge, ascending.
    #[serde(default, deserialize_with = "edges")]
    pub cities: Vec<Edge>,
}

/// Validated edition data, together with the base tiles.
#[derive(Clone, Debug)]
pub struct Edition {
    parts: EditionParts,
    /// By the number of the kind.
    shapes: Vec<Shape>,
}

/// Editions are equal when their data is: the rest follows from it.
impl PartialEq for Edition {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A kind of base tile: how many there are, and what it looks like.
#[derive(Clone, Debug, Deserialize)]
struct BaseTile {
    name: String,
    count: u8,
    #[serde(flatten)]
    tile: TileParts,
}

/// The base tiles by the number of the kind: `data/carcassonne/base.toml`, compiled in.
static BASE: LazyLock<Vec<BaseTile>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Base {
        tiles: Vec<BaseTile>,
    }
    let text = include_str!("../../data/carcassonne/base.toml");
    let base: Base = toml::from_str(text).expect("the base tiles are valid: a test loads them");
    let named_in_order = base
        .tiles
        .iter()
        .map(|tile| tile.name.as_str())
        .eq(TileKind::all()
            .take(BASE_KINDS)
            .map(|kind| kind.to_string()));
    assert!(
        named_in_order,
        "the base tiles are A to X: a test loads them"
    );
    base.tiles
});

impl Edition {
    /// The house edition: `data/carcassonne/drawbridges.toml`, compiled in.
    pub fn house() -> Arc<Self> {
        static HOUSE: LazyLock<Arc<Edition>> = LazyLock::new(|| {
            let text = include_str!("../../data/carcassonne/drawbridges.toml");
            let house = Edition::from_toml(text);
            Arc::new(house.expect("the house edition is valid: a test loads it"))
        });
        Arc::clone(&HOUSE)
    }

    /// Reads and checks an edition file.
    pub fn from_toml(text: &str) -> Result<Self, EditionError> {
        Self::new(&read_parts(text)?)
    }

    /// Checks edition data against every rule that the game relies on.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let _: &[TileParts; DRAWBRIDGE_TILES] = exactly("tiles", &parts.tiles)?;
        for (i, tile) in parts.tiles.iter().enumerate() {
            check::tile(&format!("tiles[{i}]"), tile)?;
        }
        let tiles = BASE.iter().map(|base| &base.tile).chain(&parts.tiles);
        Ok(Self {
            shapes: tiles.map(Shape::new).collect(),
            parts: parts.clone(),
        })
    }

    /// The data that this edition was made of.
    pub fn parts(&self) -> &EditionParts {
        &self.parts
    }

    /// Name of the edition, for people.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// What a kind of tile looks like, unturned.
    pub fn tile(&self, kind: TileKind) -> &TileParts {
        match kind.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => &self.parts.tiles[drawbridge],
            None => &BASE[kind.index()].tile,
        }
    }

    /// How many tiles of a kind there are, the start tile included.
    pub fn count(kind: TileKind) -> u8 {
        BASE.get(kind.index()).map_or(1, |base| base.count)
    }

    /// The shape of a kind of tile.
    pub(super) fn shape(&self, kind: TileKind) -> &Shape {
        &self.shapes[kind.index()]
    }
}

/// Reads four letters of terrain: `CRFR`.
fn terrains<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Terrain>, D::Error> {
    let text = String::deserialize(source)?;
    let letters = text.chars().map(Terrain::from_letter);
    letters.collect::<Option<_>>().ok_or_else(|| {
        let found = de::Unexpected::Str(&text);
        de::Error::invalid_value(found, &"letters of F (field), R (road) and C (city)")
    })
}

/// Reads letters of edges: `NE`.
fn edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Edge>, D::Error> {
    let text = String::deserialize(source)?;
    let letters = text.chars().map(Edge::from_letter);
    letters.collect::<Option<_>>().ok_or_else(|| {
        de::Error::invalid_value(de::Unexpected::Str(&text), &"letters of N, E, S and W")
    })
}

/// Reads the letter of an edge: `N`.
fn edge<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Edge>, D::Error> {
    let letter = char::deserialize(source)?;
    match Edge::from_letter(letter) {
        Some(edge) => Ok(Some(edge)),
        None => {
            let found = de::Unexpected::Char(letter);
            Err(de::Error::invalid_value(found, &"N, E, S or W"))
        }
    }
}

/// Reads names of half-edges: `SR WL`.
fn half_edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<HalfEdge>, D::Error> {
    let text = String::deserialize(source)?;
    let names = text
        .split_ascii_whitespace()
        .map(|name| HalfEdge::from_name(&name.to_ascii_lowercase()));
    names.collect::<Option<_>>().ok_or_else(|| {
        let names = "names of NL, NR, EL, ER, SL, SR, WL and WR with spaces between";
        de::Error::invalid_value(de::Unexpected::Str(&text), &names)
    })
}

//! Unchecked edition data from outside.

use serde::{Deserialize, Deserializer, de};

use super::components::{Edge, HalfEdge, Terrain};

/// Unchecked edition data from a file or from the wire. The fields are the same as in the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// The display name of the edition.
    pub name: String,
    /// The drawbridge tiles 1 to 12, in this order.
    pub tiles: Vec<TileParts>,
}

/// An unchecked, unrotated tile of an edition. In a file edges are letters, such as `NE`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileParts {
    /// The terrain at the edges, clockwise from the north: four entries.
    #[serde(deserialize_with = "terrains")]
    pub edges: Vec<Terrain>,
    /// City segments, in any order.
    #[serde(default)]
    pub cities: Vec<CityParts>,
    /// Road segments, in any order.
    #[serde(default)]
    pub roads: Vec<RoadParts>,
    /// Field segments, in any order.
    #[serde(default)]
    pub fields: Vec<FieldParts>,
    /// `true` if the tile has a monastery.
    #[serde(default)]
    pub monastery: bool,
}

impl TileParts {
    /// Returns the index of the city segment with this edge.
    pub(super) fn city_at(&self, edge: Edge) -> Option<usize> {
        let mut cities = self.cities.iter();
        cities.position(|city| city.edges.contains(&edge))
    }

    /// Returns the index of the field segment with this half-edge.
    pub(super) fn field_at(&self, half: HalfEdge) -> Option<usize> {
        let mut fields = self.fields.iter();
        fields.position(|field| field.half_edges.contains(&half))
    }
}

/// An unchecked city segment of an edition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CityParts {
    /// The segment's edges, in ascending order.
    #[serde(deserialize_with = "edges")]
    pub edges: Vec<Edge>,
    /// `true` if the segment has a shield.
    #[serde(default)]
    pub shield: bool,
}

/// An unchecked road segment of an edition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoadParts {
    /// The edges in ascending order. There are two, or one if the road ends on the tile.
    #[serde(deserialize_with = "edges")]
    pub edges: Vec<Edge>,
    /// The first edge of the city segment at which the road ends with a drawbridge; `None` for a
    /// road that ends elsewhere or not at all.
    #[serde(default, deserialize_with = "edge")]
    pub drawbridge: Option<Edge>,
}

/// An unchecked field segment of an edition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldParts {
    /// The segment's half-edges, in ascending order.
    #[serde(deserialize_with = "half_edges")]
    pub half_edges: Vec<HalfEdge>,
    /// The city segments that the field touches, each given by its first edge, in ascending order.
    #[serde(default, deserialize_with = "edges")]
    pub cities: Vec<Edge>,
}

/// Reads a text that consists of named items, or fails with `expected`.
fn named<'de, D: Deserializer<'de>, T>(
    source: D,
    items: impl FnOnce(&str) -> Option<Vec<T>>,
    expected: &str,
) -> Result<Vec<T>, D::Error> {
    let text = String::deserialize(source)?;
    let refused = || de::Error::invalid_value(de::Unexpected::Str(&text), &expected);
    items(&text).ok_or_else(refused)
}

/// Reads terrain letters, such as `CRFR`.
fn terrains<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Terrain>, D::Error> {
    let terrain = |c: char| Terrain::from_name(c.encode_utf8(&mut [0; 4]));
    let items = |text: &str| text.chars().map(terrain).collect();
    named(source, items, "letters of F (field), R (road) and C (city)")
}

/// Reads edge letters, such as `NE`.
fn edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Edge>, D::Error> {
    let items = |text: &str| text.chars().map(Edge::from_letter).collect();
    named(source, items, "letters of N, E, S and W")
}

/// Reads one edge letter, such as `N`.
fn edge<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Edge>, D::Error> {
    let letter = char::deserialize(source)?;
    let refused = || de::Error::invalid_value(de::Unexpected::Char(letter), &"N, E, S or W");
    Edge::from_letter(letter).ok_or_else(refused).map(Some)
}

/// Reads half-edge names, such as `SR WL`.
fn half_edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<HalfEdge>, D::Error> {
    let half = |name: &str| HalfEdge::from_name(&name.to_ascii_lowercase());
    let items = |text: &str| text.split_ascii_whitespace().map(half).collect();
    let names = "names of NL, NR, EL, ER, SL, SR, WL and WR with spaces between";
    named(source, items, names)
}

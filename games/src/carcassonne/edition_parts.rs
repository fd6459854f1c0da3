//! Edition data as it comes from outside, not yet checked.

use serde::{Deserialize, Deserializer, de};

use super::components::{Edge, HalfEdge, Terrain};

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

impl TileParts {
    /// The place of the city segment that has this edge.
    pub(super) fn city_at(&self, edge: Edge) -> Option<usize> {
        let mut cities = self.cities.iter();
        cities.position(|city| city.edges.contains(&edge))
    }

    /// The place of the field segment that has this half-edge.
    pub(super) fn field_at(&self, half: HalfEdge) -> Option<usize> {
        let mut fields = self.fields.iter();
        fields.position(|field| field.half_edges.contains(&half))
    }
}

/// A city segment as it comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldParts {
    /// Its half-edges, ascending.
    #[serde(deserialize_with = "half_edges")]
    pub half_edges: Vec<HalfEdge>,
    /// The city segments that it touches, each by its first edge, ascending.
    #[serde(default, deserialize_with = "edges")]
    pub cities: Vec<Edge>,
}

/// Reads the items that a text names, or says what was expected.
fn named<'de, D: Deserializer<'de>, T>(
    source: D,
    items: impl FnOnce(&str) -> Option<Vec<T>>,
    expected: &str,
) -> Result<Vec<T>, D::Error> {
    let text = String::deserialize(source)?;
    let refused = || de::Error::invalid_value(de::Unexpected::Str(&text), &expected);
    items(&text).ok_or_else(refused)
}

/// Reads four letters of terrain: `CRFR`.
fn terrains<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Terrain>, D::Error> {
    let terrain = |c: char| Terrain::from_name(c.encode_utf8(&mut [0; 4]));
    let items = |text: &str| text.chars().map(terrain).collect();
    named(source, items, "letters of F (field), R (road) and C (city)")
}

/// Reads letters of edges: `NE`.
fn edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Edge>, D::Error> {
    let items = |text: &str| text.chars().map(Edge::from_letter).collect();
    named(source, items, "letters of N, E, S and W")
}

/// Reads the letter of an edge: `N`.
fn edge<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Edge>, D::Error> {
    let letter = char::deserialize(source)?;
    let refused = || de::Error::invalid_value(de::Unexpected::Char(letter), &"N, E, S or W");
    Edge::from_letter(letter).ok_or_else(refused).map(Some)
}

/// Reads names of half-edges: `SR WL`.
fn half_edges<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<HalfEdge>, D::Error> {
    let half = |name: &str| HalfEdge::from_name(&name.to_ascii_lowercase());
    let items = |text: &str| text.split_ascii_whitespace().map(half).collect();
    let names = "names of NL, NR, EL, ER, SL, SR, WL and WR with spaces between";
    named(source, items, names)
}

//! Tiles: the base tiles, which are the same in every match, and the drawbridge tiles, which are
//! edition data. The built-in edition is compiled in from a data file. Any file of the same form
//! can replace the built-in edition.

use std::fmt::Display;
use std::sync::LazyLock;

use serde::Deserialize;

use super::components::{
    BASE_KINDS, DRAWBRIDGE_TILES, EDGES, Edge, HALF_EDGES, HalfEdge, Rotation, Terrain, TileKind,
};
use super::edition_parts::{EditionParts, TileParts};
use super::tile::{Shape, turned};
use crate::FieldError;
use crate::edition::{check_name, edition_file, exactly};
use crate::field_error::require;

/// Validated edition data, together with the base tiles.
#[derive(Clone, Debug)]
pub struct Edition {
    parts: EditionParts,
    /// The shape of each kind, indexed by the kind's number.
    shapes: Vec<Shape>,
}

/// Only the data is compared, because the shapes follow from it.
impl PartialEq for Edition {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A base tile kind, and the number of tiles of this kind.
#[derive(Clone, Debug, Deserialize)]
struct BaseTile {
    count: u8,
    #[serde(flatten)]
    tile: TileParts,
}

/// The base tiles by kind number, compiled in from `data/carcassonne/base.toml`.
static BASE: LazyLock<Vec<BaseTile>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Base {
        tiles: Vec<BaseTile>,
    }
    let text = include_str!("../../data/carcassonne/base.toml");
    let base: Base = toml::from_str(text).expect("the base tiles are valid: a test loads them");
    base.tiles
});

edition_file! { Edition, "carcassonne/drawbridges.toml" }

impl Edition {
    /// Checks edition data against all of the game's requirements.
    pub fn new(parts: &EditionParts) -> Result<Self, FieldError> {
        check_name(&parts.name)?;
        let _: &[TileParts; DRAWBRIDGE_TILES] = exactly("tiles", &parts.tiles)?;
        for (i, tile) in parts.tiles.iter().enumerate() {
            check_tile(&format!("tiles[{i}]"), tile)?;
        }
        let in_order = |tile| turned(tile, Rotation::default());
        let parts = EditionParts {
            name: parts.name.clone(),
            tiles: parts.tiles.iter().map(in_order).collect(),
        };
        let tiles = BASE.iter().map(|base| &base.tile).chain(&parts.tiles);
        Ok(Self { shapes: tiles.map(Shape::new).collect(), parts })
    }

    /// Returns the unrotated tile of a kind.
    pub fn tile(&self, kind: TileKind) -> &TileParts {
        match kind.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => &self.parts.tiles[drawbridge],
            None => &BASE[kind.index()].tile,
        }
    }

    /// Returns the number of tiles of a kind, including the start tile.
    pub fn count(kind: TileKind) -> u8 {
        BASE.get(kind.index()).map_or(1, |base| base.count)
    }

    /// Returns the shape of a tile kind.
    pub(super) fn shape(&self, kind: TileKind) -> &Shape {
        &self.shapes[kind.index()]
    }
}

/// The result of a check.
type Checked = Result<(), FieldError>;

/// Checks a tile. `path` is the path of the tile's entry.
fn check_tile(path: &str, tile: &TileParts) -> Checked {
    let _: &[Terrain; EDGES] = exactly(&format!("{path}.edges"), &tile.edges)?;
    check_cities(path, tile)?;
    check_roads(path, tile)?;
    check_fields(path, tile)?;
    check_field_borders(path, tile)?;
    check_crossings(path, tile)
}

fn check_ascending<T: PartialOrd>(path: &str, items: &[T]) -> Checked {
    let ascend = items.is_sorted_by(|a, b| a < b);
    require(path, ascend, "must ascend, without repetition")
}

/// Checks that `items` is not empty, ascends, and has no item of `used`. Then adds the items to
/// `used`.
fn part<T: Copy + Display + PartialOrd>(path: &str, items: &[T], used: &mut Vec<T>) -> Checked {
    require(path, !items.is_empty(), "must not be empty")?;
    check_ascending(path, items)?;
    for &item in items {
        let problem = format!("{} is in another segment too", letters(item));
        require(path, !used.contains(&item), problem)?;
        used.push(item);
    }
    Ok(())
}

/// Checks that segments have all edges of their terrain and no other edges.
fn check_edges_of(path: &str, tile: &TileParts, terrain: Terrain, used: &[Edge]) -> Checked {
    for edge in Edge::ALL {
        let (letter, found) = (edge.letter(), tile.edges[edge.index()]);
        let (is_due, is_used) = (found == terrain, used.contains(&edge));
        let problem = format_args!("no segment has the edge {letter}");
        require(path, !is_due || is_used, problem)?;
        let problem = format_args!("edge {letter} is {found} in `edges`");
        require(path, is_due || !is_used, problem)?;
    }
    Ok(())
}

fn check_cities(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, city) in tile.cities.iter().enumerate() {
        part(&format!("{path}.cities[{i}].edges"), &city.edges, &mut used)?;
    }
    check_edges_of(&format!("{path}.cities"), tile, Terrain::City, &used)
}

/// Checks that a tile has the city segments with these first edges.
fn check_first_edges<'a>(
    path: &str,
    tile: &TileParts,
    firsts: impl IntoIterator<Item = &'a Edge>,
) -> Checked {
    for first in firsts {
        let mut cities = tile.cities.iter();
        let found = cities.any(|city| city.edges.first() == Some(first));
        let letter = first.letter();
        let problem = format_args!("no city segment has {letter} as its first edge");
        require(path, found, problem)?;
    }
    Ok(())
}

fn check_roads(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, road) in tile.roads.iter().enumerate() {
        let path = format!("{path}.roads[{i}]");
        let (edges, drawbridge) = (format!("{path}.edges"), format!("{path}.drawbridge"));
        let count = road.edges.len();
        part(&edges, &road.edges, &mut used)?;
        require(&edges, count <= 2, "a road has one edge or two")?;
        check_first_edges(&drawbridge, tile, &road.drawbridge)?;
        let ends = road.drawbridge.is_none() || count == 1;
        require(&drawbridge, ends, "a road of two edges has no end on its tile")?;
    }
    check_edges_of(&format!("{path}.roads"), tile, Terrain::Road, &used)
}

fn check_fields(path: &str, tile: &TileParts) -> Checked {
    let mut used: Vec<HalfEdge> = Vec::new();
    for (i, field) in tile.fields.iter().enumerate() {
        let path = format!("{path}.fields[{i}]");
        part(&format!("{path}.half_edges"), &field.half_edges, &mut used)?;
        let cities = format!("{path}.cities");
        check_ascending(&cities, &field.cities)?;
        check_first_edges(&cities, tile, &field.cities)?;
    }
    for half in HalfEdge::ALL {
        let path = format_args!("{path}.fields");
        let is_city = tile.edges[half.edge().index()] == Terrain::City;
        let (is_used, name) = (used.contains(&half), letters(half));
        let problem = format_args!("{name} is half of a city edge");
        require(path, !is_city || !is_used, problem)?;
        let problem = format_args!("no segment has the half-edge {name}");
        require(path, is_city || is_used, problem)?;
    }
    Ok(())
}

/// Returns the letters that files use for an edge or a half-edge.
fn letters(part: impl Display) -> String {
    part.to_string().to_ascii_uppercase()
}

/// Checks the fields of a tile along its border. Half-edges that nothing separates must belong to
/// one field, and a field beside a city edge must touch that city.
fn check_field_borders(path: &str, tile: &TileParts) -> Checked {
    let check_one_field = |a: HalfEdge, b: HalfEdge| {
        let is_one = tile.field_at(a) == tile.field_at(b);
        let [a, b] = [a, b].map(letters);
        let problem = format!("nothing separates {a} and {b}, so one field must have both");
        require(format_args!("{path}.fields"), is_one, problem)
    };
    let check_touches = |half: HalfEdge, city: Edge| {
        let (Some(field), Some(city)) = (tile.field_at(half), tile.city_at(city)) else {
            return Ok(());
        };
        let first = tile.cities[city].edges[0];
        let is_listed = tile.fields[field].cities.contains(&first);
        let letter = first.letter();
        let problem = format!("must list the city {letter}, which the field touches");
        require(format_args!("{path}.fields[{field}].cities"), is_listed, problem)
    };
    let terrain = |half: HalfEdge| tile.edges[half.edge().index()];
    for half in HalfEdge::ALL {
        let next = HalfEdge::ALL[(half.index() + 1) % HALF_EDGES];
        match (terrain(half), terrain(next)) {
            (Terrain::City, Terrain::City) => {}
            (Terrain::City, _) => check_touches(next, half.edge())?,
            (_, Terrain::City) => check_touches(half, next.edge())?,
            (Terrain::Road, _) if half.edge() == next.edge() => {}
            _ => check_one_field(half, next)?,
        }
    }
    for road in &tile.roads {
        for half in road.edges.iter().flat_map(|edge| edge.halves()) {
            road.drawbridge.map_or(Ok(()), |city| check_touches(half, city))?;
        }
    }
    Ok(())
}

/// The number of border points per edge: the left half, the middle and the right half.
const POINTS: usize = 3;

/// Checks that no segment of a tile cuts through another. For this check, a city and the roads that
/// end at its drawbridges count as one segment. Each city, each road of two edges and each field
/// must be on one side of every other.
fn check_crossings(path: &str, tile: &TileParts) -> Checked {
    let middle = |edge: &Edge| 1u16 << (edge.index() * POINTS + 1);
    let outer = |half: &HalfEdge| 1u16 << (half.edge().index() * POINTS + half.index() % 2 * 2);
    let cities = tile.cities.iter().enumerate().map(|(i, city)| {
        let roads = tile.roads.iter();
        let ending = roads.filter(|road| road.drawbridge == Some(city.edges[0]));
        let edges = ending.flat_map(|road| &road.edges).chain(&city.edges);
        (format!("cities[{i}]"), edges.map(middle).sum::<u16>())
    });
    let roads = tile.roads.iter().enumerate();
    let roads = roads.filter(|(_, road)| road.drawbridge.is_none());
    let roads = roads.map(|(i, road)| (format!("roads[{i}]"), road.edges.iter().map(middle).sum()));
    let fields = tile.fields.iter().enumerate().map(|(i, field)| {
        let halves = field.half_edges.iter();
        (format!("fields[{i}]"), halves.map(outer).sum())
    });
    let segments: Vec<(String, u16)> = cities.chain(roads).chain(fields).collect();
    for (i, (name, mask)) in segments.iter().enumerate() {
        for (other, other_mask) in &segments[..i] {
            let problem = format_args!("cuts through {other}");
            require(format_args!("{path}.{name}"), !cross(*mask, *other_mask), problem)?;
        }
    }
    Ok(())
}

/// Returns `true` if two sets of border points cannot both be connected inside the tile.
fn cross(a: u16, b: u16) -> bool {
    let points = (0..EDGES * POINTS).filter(|point| (a | b) & 1 << point != 0);
    let of_a: Vec<bool> = points.map(|point| a & 1 << point != 0).collect();
    let next = of_a.iter().cycle().skip(1);
    let changes = of_a.iter().zip(next).filter(|(one, two)| one != two);
    changes.count() > 2
}

//! Checks edition data against all of the game's requirements.

use std::fmt::Display;

use super::components::{EDGES, Edge, HALF_EDGES, HalfEdge, Terrain};
use super::edition_parts::TileParts;
use crate::edition::{EditionError, exactly};

/// The result of a check.
type Checked = Result<(), EditionError>;

/// Checks a tile. `path` is the path of the tile's entry.
pub(super) fn tile(path: &str, tile: &TileParts) -> Checked {
    let _: &[Terrain; EDGES] = exactly(&format!("{path}.edges"), &tile.edges)?;
    cities(path, tile)?;
    roads(path, tile)?;
    fields(path, tile)?;
    field_borders(path, tile)?;
    crossings(path, tile)
}

fn require(holds: bool, path: &str, problem: impl FnOnce() -> String) -> Checked {
    if holds {
        Ok(())
    } else {
        EditionError::entry(path, problem())
    }
}

fn ascending<T: PartialOrd>(path: &str, items: &[T]) -> Checked {
    let ascend = items.is_sorted_by(|a, b| a < b);
    require(ascend, path, || "must ascend, without repetition".into())
}

/// Checks that `items` is not empty, ascends, and has no item of `used`. Then adds the items to
/// `used`.
fn part<T: Copy + Display + PartialOrd>(path: &str, items: &[T], used: &mut Vec<T>) -> Checked {
    require(!items.is_empty(), path, || "must not be empty".into())?;
    ascending(path, items)?;
    for &item in items {
        let problem = || format!("{} is in another segment too", letters(item));
        require(!used.contains(&item), path, problem)?;
        used.push(item);
    }
    Ok(())
}

/// Checks that segments have all edges of their terrain and no other edges.
fn edges_of(path: &str, tile: &TileParts, terrain: Terrain, used: &[Edge]) -> Checked {
    for edge in Edge::ALL {
        let (letter, found) = (edge.letter(), tile.edges[edge.index()]);
        let problem = match (found == terrain, used.contains(&edge)) {
            (true, false) => format!("no segment has the edge {letter}"),
            (false, true) => format!("edge {letter} is {found} in `edges`"),
            _ => continue,
        };
        return EditionError::entry(path, problem);
    }
    Ok(())
}

fn cities(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, city) in tile.cities.iter().enumerate() {
        part(&format!("{path}.cities[{i}].edges"), &city.edges, &mut used)?;
    }
    edges_of(&format!("{path}.cities"), tile, Terrain::City, &used)
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
        let problem = || format!("no city segment has {} as its first edge", first.letter());
        require(found, path, problem)?;
    }
    Ok(())
}

fn roads(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, road) in tile.roads.iter().enumerate() {
        let path = format!("{path}.roads[{i}]");
        let (edges, drawbridge) = (format!("{path}.edges"), format!("{path}.drawbridge"));
        let count = road.edges.len();
        part(&edges, &road.edges, &mut used)?;
        require(count <= 2, &edges, || "a road has one edge or two".into())?;
        check_first_edges(&drawbridge, tile, &road.drawbridge)?;
        let ends = road.drawbridge.is_none() || count == 1;
        let problem = || "a road of two edges has no end on its tile".into();
        require(ends, &drawbridge, problem)?;
    }
    edges_of(&format!("{path}.roads"), tile, Terrain::Road, &used)
}

fn fields(path: &str, tile: &TileParts) -> Checked {
    let mut used: Vec<HalfEdge> = Vec::new();
    for (i, field) in tile.fields.iter().enumerate() {
        let path = format!("{path}.fields[{i}]");
        part(&format!("{path}.half_edges"), &field.half_edges, &mut used)?;
        let cities = format!("{path}.cities");
        ascending(&cities, &field.cities)?;
        check_first_edges(&cities, tile, &field.cities)?;
    }
    for half in HalfEdge::ALL {
        let is_city = tile.edges[half.edge().index()] == Terrain::City;
        let problem = match (is_city, used.contains(&half)) {
            (true, true) => format!("{} is half of a city edge", letters(half)),
            (false, false) => format!("no segment has the half-edge {}", letters(half)),
            _ => continue,
        };
        return EditionError::entry(format!("{path}.fields"), problem);
    }
    Ok(())
}

/// Returns the letters that files use for an edge or a half-edge.
fn letters(part: impl Display) -> String {
    part.to_string().to_ascii_uppercase()
}

/// Checks the fields of a tile along its border. Half-edges that nothing separates must belong to
/// one field, and a field beside a city edge must touch that city.
fn field_borders(path: &str, tile: &TileParts) -> Checked {
    let one_field = |a: HalfEdge, b: HalfEdge| {
        let problem = || {
            let [a, b] = [a, b].map(letters);
            format!("nothing separates {a} and {b}, so one field must have both")
        };
        let is_one = tile.field_at(a) == tile.field_at(b);
        require(is_one, &format!("{path}.fields"), problem)
    };
    let touches = |half: HalfEdge, city: Edge| {
        let (Some(field), Some(city)) = (tile.field_at(half), tile.city_at(city)) else {
            return Ok(());
        };
        let first = tile.cities[city].edges[0];
        let cities = format!("{path}.fields[{field}].cities");
        let problem = || {
            format!(
                "must list the city {}, which the field touches",
                first.letter()
            )
        };
        require(tile.fields[field].cities.contains(&first), &cities, problem)
    };
    let terrain = |half: HalfEdge| tile.edges[half.edge().index()];
    for half in HalfEdge::ALL {
        let next = HalfEdge::ALL[(half.index() + 1) % HALF_EDGES];
        match (terrain(half), terrain(next)) {
            (Terrain::City, Terrain::City) => {}
            (Terrain::City, _) => touches(next, half.edge())?,
            (_, Terrain::City) => touches(half, next.edge())?,
            (Terrain::Road, _) if half.edge() == next.edge() => {}
            _ => one_field(half, next)?,
        }
    }
    for road in &tile.roads {
        for half in road.edges.iter().flat_map(|edge| edge.halves()) {
            road.drawbridge.map_or(Ok(()), |city| touches(half, city))?;
        }
    }
    Ok(())
}

/// The number of border points per edge: the left half, the middle and the right half.
const POINTS: usize = 3;

/// Checks that no segment of a tile cuts through another. For this check, a city and the roads that
/// end at its drawbridges count as one segment. Each city, each road of two edges and each field
/// must be on one side of every other.
fn crossings(path: &str, tile: &TileParts) -> Checked {
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
            let problem = || format!("cuts through {other}");
            require(
                !cross(*mask, *other_mask),
                &format!("{path}.{name}"),
                problem,
            )?;
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

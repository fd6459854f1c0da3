//! Checks of edition data: every rule that the game relies on.

use std::fmt::Display;

use super::components::{EDGES, Edge, HalfEdge, Terrain};
use super::edition_parts::{CityParts, TileParts};
use crate::edition::{EditionError, exactly};

/// Nothing, or what is wrong.
type Checked = Result<(), EditionError>;

/// Checks a tile; `path` is the path of its entry.
pub(super) fn tile(path: &str, tile: &TileParts) -> Checked {
    let _: &[Terrain; EDGES] = exactly(&format!("{path}.edges"), &tile.edges)?;
    cities(path, tile)?;
    roads(path, tile)?;
    fields(path, tile)?;
    field_borders(path, tile)?;
    crossings(path, tile)
}

fn ascending<T: PartialOrd>(path: &str, items: &[T]) -> Checked {
    match items.is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => EditionError::entry(path, "must ascend, without repetition"),
    }
}

/// Checks that `items` are there, ascend, and are not in `used`; adds them to it.
fn part<T: Copy + Display + PartialOrd>(path: &str, items: &[T], used: &mut Vec<T>) -> Checked {
    if items.is_empty() {
        return EditionError::entry(path, "must not be empty");
    }
    ascending(path, items)?;
    for &item in items {
        if used.contains(&item) {
            return EditionError::entry(
                path,
                format!("{} is in another segment too", letters(item)),
            );
        }
        used.push(item);
    }
    Ok(())
}

/// Checks that segments have all edges of their terrain and no others.
fn edges_of(path: &str, tile: &TileParts, terrain: Terrain, used: &[Edge]) -> Checked {
    for edge in Edge::ALL {
        let (letter, found) = (edge.letter(), tile.edges[edge.index()]);
        match (found == terrain, used.contains(&edge)) {
            (true, false) => {
                return EditionError::entry(path, format!("no segment has the edge {letter}"));
            }
            (false, true) => {
                let problem = format!("edge {letter} is {} in edges", found);
                return EditionError::entry(path, problem);
            }
            _ => {}
        }
    }
    Ok(())
}

fn cities(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, city) in tile.cities.iter().enumerate() {
        let path = format!("{path}.cities[{i}].edges");
        part(&path, &city.edges, &mut used)?;
    }
    edges_of(&format!("{path}.cities"), tile, Terrain::City, &used)
}

/// Checks that a tile has the city segments with these first edges.
fn has_cities(path: &str, tile: &TileParts, firsts: &[Edge]) -> Checked {
    match firsts.iter().find(|first| tile.city_of(**first).is_none()) {
        None => Ok(()),
        Some(first) => {
            let problem = format!("{} is the first edge of no city segment", first.letter());
            EditionError::entry(path, problem)
        }
    }
}

fn roads(path: &str, tile: &TileParts) -> Checked {
    let mut used = Vec::new();
    for (i, road) in tile.roads.iter().enumerate() {
        let path = format!("{path}.roads[{i}]");
        let edges = format!("{path}.edges");
        part(&edges, &road.edges, &mut used)?;
        if road.edges.len() > 2 {
            return EditionError::entry(edges, "a road has one edge or two");
        }
        let Some(city) = road.drawbridge else {
            continue;
        };
        let drawbridge = format!("{path}.drawbridge");
        has_cities(&drawbridge, tile, &[city])?;
        if road.edges.len() == 2 {
            return EditionError::entry(drawbridge, "a road of two edges has no end on its tile");
        }
    }
    edges_of(&format!("{path}.roads"), tile, Terrain::Road, &used)
}

fn fields(path: &str, tile: &TileParts) -> Checked {
    let mut used: Vec<HalfEdge> = Vec::new();
    for (i, field) in tile.fields.iter().enumerate() {
        let path = format!("{path}.fields[{i}]");
        let halves = format!("{path}.half_edges");
        part(&halves, &field.half_edges, &mut used)?;
        let cities = format!("{path}.cities");
        ascending(&cities, &field.cities)?;
        has_cities(&cities, tile, &field.cities)?;
    }
    for half in HalfEdge::ALL {
        let is_city = tile.edges[half.edge().index()] == Terrain::City;
        if is_city && used.contains(&half) {
            let problem = format!("{} is half of a city edge", letters(half));
            return EditionError::entry(format!("{path}.fields"), problem);
        }
        if !is_city && !used.contains(&half) {
            let problem = format!("no segment has the half-edge {}", letters(half));
            return EditionError::entry(format!("{path}.fields"), problem);
        }
    }
    Ok(())
}

/// The letters of an edge or a half-edge in files.
fn letters(part: impl Display) -> String {
    part.to_string().to_ascii_uppercase()
}

/// The field segment of a half-edge.
fn field_of(tile: &TileParts, half: HalfEdge) -> Option<usize> {
    let mut fields = tile.fields.iter();
    fields.position(|field| field.half_edges.contains(&half))
}

/// Checks what the fields of a tile must have in common with their neighbours on its border:
/// half-edges that nothing separates are one field, and a field that meets a city there touches
/// it.
fn field_borders(path: &str, tile: &TileParts) -> Checked {
    let one_field = |a: HalfEdge, b: HalfEdge| {
        if field_of(tile, a) == field_of(tile, b) {
            return Ok(());
        }
        let [a, b] = [a, b].map(letters);
        let problem = format!("nothing separates {a} and {b}: they are in one field");
        EditionError::entry(format!("{path}.fields"), problem)
    };
    let touches = |half: HalfEdge, city: Edge| {
        let of_city = |parts: &&CityParts| parts.edges.contains(&city);
        let first = tile.cities.iter().find(of_city).map(|parts| parts.edges[0]);
        let (Some(field), Some(first)) = (field_of(tile, half), first) else {
            return Ok(());
        };
        if tile.fields[field].cities.contains(&first) {
            return Ok(());
        }
        let problem = format!("the field touches the city {}", first.letter());
        EditionError::entry(format!("{path}.fields[{field}].cities"), problem)
    };
    let terrain = |edge: Edge| tile.edges[edge.index()];
    for edge in Edge::ALL {
        let next = Edge::ALL[(edge.index() + 1) % EDGES];
        let ([left, right], [next_left, _]) = (edge.halves(), next.halves());
        if terrain(edge) == Terrain::Field {
            one_field(left, right)?;
        }
        match (
            terrain(edge) == Terrain::City,
            terrain(next) == Terrain::City,
        ) {
            (false, false) => one_field(right, next_left)?,
            (true, false) => touches(next_left, edge)?,
            (false, true) => touches(right, next)?,
            (true, true) => {}
        }
    }
    for road in &tile.roads {
        if let Some(city) = road.drawbridge {
            for half in road.edges.iter().flat_map(|edge| edge.halves()) {
                touches(half, city)?;
            }
        }
    }
    Ok(())
}

/// Points of an edge on the border: its left half, what runs through it, its right half.
const POINTS: usize = 3;

/// Checks that no segment of a tile cuts through another: a city together with the roads that end
/// at its drawbridges, a road of two edges, and a field each lie within one side of any other.
fn crossings(path: &str, tile: &TileParts) -> Checked {
    let middles = |edges: &[Edge]| -> u16 {
        let points = edges.iter().map(|edge| edge.index() * POINTS + 1);
        points.fold(0, |mask, point| mask | 1 << point)
    };
    let mut segments: Vec<(String, u16)> = Vec::new();
    for (i, city) in tile.cities.iter().enumerate() {
        let first = city.edges.first().copied();
        let ending = tile.roads.iter().filter(|road| road.drawbridge == first);
        let mask = ending.fold(middles(&city.edges), |mask, road| {
            mask | middles(&road.edges)
        });
        segments.push((format!("cities[{i}]"), mask));
    }
    for (i, road) in tile.roads.iter().enumerate() {
        if road.drawbridge.is_none() {
            segments.push((format!("roads[{i}]"), middles(&road.edges)));
        }
    }
    for (i, field) in tile.fields.iter().enumerate() {
        let points = field.half_edges.iter().map(|half| {
            let right = half.index() % 2;
            half.edge().index() * POINTS + 2 * right
        });
        let mask = points.fold(0, |mask, point| mask | 1 << point);
        segments.push((format!("fields[{i}]"), mask));
    }
    for (i, (name, mask)) in segments.iter().enumerate() {
        for (other, other_mask) in &segments[..i] {
            if cross(*mask, *other_mask) {
                return EditionError::entry(
                    format!("{path}.{name}"),
                    format!("cuts through {other}"),
                );
            }
        }
    }
    Ok(())
}

/// Whether two sets of border points cannot both be joined inside the tile.
fn cross(a: u16, b: u16) -> bool {
    let points = (0..EDGES * POINTS).filter(|point| (a | b) & 1 << point != 0);
    let of_a: Vec<bool> = points.map(|point| a & 1 << point != 0).collect();
    let next = of_a.iter().cycle().skip(1);
    of_a.iter()
        .zip(next)
        .filter(|(one, two)| one != two)
        .count()
        > 2
}

//! Tile shapes. A shape determines the positions of segments in each rotation, and the rotations
//! that fit a cell.

use arrayvec::ArrayVec;

use super::components::{
    EDGES, Edge, HALF_EDGES, HalfEdge, MAX_TILE_FIELDS, MAX_TILE_GATES, MAX_TILE_SEGMENTS,
    Rotation, Segment, Terrain,
};
use super::edition_parts::{CityParts, FieldParts, RoadParts, TileParts};

/// The terrain that the tiles around an empty cell require at its edges. There are two bits per
/// edge, with north in the lowest. The bits are 0 for an edge without a tile beyond it, and
/// otherwise 1 plus the index of the terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Demand(u8);

impl Demand {
    /// The number of possible demands.
    const COUNT: usize = 1 << (2 * EDGES);

    /// Adds a terrain at an edge that has no requirement yet.
    pub(super) fn add(&mut self, edge: Edge, terrain: Terrain) {
        self.0 |= (terrain as u8 + 1) << (2 * edge.index());
    }

    /// Returns the terrain required at an edge.
    pub(super) fn at(self, edge: Edge) -> Option<Terrain> {
        let required = self.0 >> (2 * edge.index()) & 3;
        let index = usize::from(required).checked_sub(1)?;
        Terrain::ALL.get(index).copied()
    }
}

/// A set of rotations as a bit mask: bit n is n quarter turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RotationSet(u8);

impl RotationSet {
    pub(super) const fn contains(self, rotation: Rotation) -> bool {
        self.0 & 1 << rotation.number() != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the rotations of the set in ascending order.
    pub(super) const fn list(self) -> RotationList {
        ROTATION_LISTS[self.0 as usize % ROTATION_LISTS.len()]
    }
}

/// The rotations in a set, as an array.
#[derive(Clone, Copy)]
pub(super) struct RotationList {
    /// The number of rotations in the set.
    pub(super) len: u8,
    /// The rotations of the set in order, followed by arbitrary rotations.
    pub(super) rotations: [Rotation; EDGES],
}

/// The array for each set of rotations.
const ROTATION_LISTS: [RotationList; 1 << EDGES] = {
    let none = RotationList { len: 0, rotations: Rotation::ALL };
    let mut all = [none; 1 << EDGES];
    let mut pair = 0;
    while pair < all.len() * EDGES {
        let (set, rotation) = (pair / EDGES, Rotation::ALL[pair % EDGES]);
        if RotationSet(set as u8).contains(rotation) {
            all[set].rotations[all[set].len as usize] = rotation;
            all[set].len += 1;
        }
        pair += 1;
    }
    all
};

/// A drawbridge on a tile, with the indices of its road and its city on the tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeGate {
    pub(super) road: u8,
    pub(super) city: u8,
    /// The city's first edge.
    pub(super) city_edge: Edge,
}

/// A tile in one rotation. Each type's segments are indexed in the order of their names.
#[derive(Clone, Debug)]
pub(super) struct RotatedTile {
    pub(super) terrain: [Terrain; EDGES],
    /// The index of the road or the city at each edge; 0 if the edge has neither.
    pub(super) through: [u8; EDGES],
    /// The index of the field at each half-edge; 0 for the halves of city edges.
    pub(super) field_at: [u8; HALF_EDGES],
    /// All segments in order, each with its index among the segments of its type.
    pub(super) segments: ArrayVec<(Segment, u8), MAX_TILE_SEGMENTS>,
    /// For each road, its number of edges.
    pub(super) road_edges: ArrayVec<u8, EDGES>,
    /// For each city, its numbers of edges and shields.
    pub(super) cities: ArrayVec<(u8, u8), EDGES>,
    /// For each field, a bit mask with the indices of the cities that it touches.
    pub(super) fields: ArrayVec<u8, MAX_TILE_FIELDS>,
    pub(super) gates: ArrayVec<ShapeGate, MAX_TILE_GATES>,
}

impl RotatedTile {
    fn new(tile: &TileParts) -> Self {
        let (roads, cities, fields) = (&tile.roads, &tile.cities, &tile.fields);
        let through = |edge: Edge| {
            let road = roads.iter().position(|road| road.edges.contains(&edge));
            road.or_else(|| tile.city_at(edge)).unwrap_or(0) as u8
        };
        let field_at = |half| tile.field_at(half).unwrap_or(0) as u8;
        let field_name = |field: &FieldParts| Segment::Field(field.half_edges[0]);
        let road_names = roads.iter().map(|road| Segment::Road(road.edges[0]));
        let city_names = cities.iter().map(|city| Segment::City(city.edges[0]));
        let field_names = fields.iter().map(field_name);
        let monastery = tile.monastery.then_some((Segment::Monastery, 0));
        let segments = road_names.zip(0..).chain(city_names.zip(0..));
        let segments = segments.chain(monastery).chain(field_names.zip(0..));
        let gates = roads.iter().zip(0..).filter_map(|(road, place)| {
            let city_edge = road.drawbridge?;
            Some(ShapeGate { road: place, city: tile.city_at(city_edge)? as u8, city_edge })
        });
        let city = |city: &CityParts| (city.edges.len() as u8, city.shield.into());
        let touched = |field: &FieldParts| {
            let cities = field.cities.iter();
            mask(cities.filter_map(|&first| tile.city_at(first)))
        };
        Self {
            terrain: Edge::ALL.map(|edge| tile.edges[edge.index()]),
            through: Edge::ALL.map(through),
            field_at: HalfEdge::ALL.map(field_at),
            segments: segments.collect(),
            road_edges: roads.iter().map(|road| road.edges.len() as u8).collect(),
            cities: cities.iter().map(city).collect(),
            fields: fields.iter().map(touched).collect(),
            gates: gates.collect(),
        }
    }

    /// Returns the index of a segment, which must be named by its first edge or half-edge.
    pub(super) fn index_of(&self, segment: Segment) -> Option<u8> {
        let mut segments = self.segments.iter();
        let found = segments.find(|(other, _)| *other == segment);
        found.map(|&(_, place)| place)
    }

    /// Returns the first edge that does not have the required terrain.
    pub(super) fn mismatch(&self, demand: Demand) -> Option<Edge> {
        let differs = |edge: &Edge| {
            let required = demand.at(*edge);
            required.is_some_and(|required| required != self.terrain[edge.index()])
        };
        Edge::ALL.into_iter().find(differs)
    }
}

/// A tile kind in all rotations. The parts that it is created from must have been checked.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) monastery: bool,
    /// The number of distinct rotations: 1, 2 or 4.
    distinct_rotations: usize,
    rotated: [RotatedTile; EDGES],
    /// The rotations that meet each [`Demand`], without equivalent rotations.
    fitting: Box<[RotationSet; Demand::COUNT]>,
}

impl Shape {
    pub(super) fn new(parts: &TileParts) -> Self {
        let turned = Rotation::ALL.map(|rotation| turned(parts, rotation));
        let repeated = (1..EDGES).find(|&turns| turned[turns] == turned[0]);
        let distinct_rotations = repeated.unwrap_or(EDGES);
        let rotated = turned.each_ref().map(RotatedTile::new);
        let fitting = |demand| {
            let demand = Demand(demand as u8);
            let fits = |&rotation: &usize| rotated[rotation].mismatch(demand).is_none();
            RotationSet(mask((0..distinct_rotations).filter(fits)))
        };
        Self {
            monastery: parts.monastery,
            distinct_rotations,
            fitting: Box::new(std::array::from_fn(fitting)),
            rotated,
        }
    }

    /// Returns the tile in a rotation.
    pub(super) fn rotated(&self, rotation: Rotation) -> &RotatedTile {
        &self.rotated[rotation.index()]
    }

    /// Returns the smallest rotation that is equivalent to this rotation.
    pub(super) fn first_equivalent(&self, rotation: Rotation) -> Rotation {
        Rotation::ALL[rotation.index() % self.distinct_rotations]
    }

    /// Returns the rotations that meet a demand, the smallest of each equivalence class.
    pub(super) fn fitting(&self, demand: Demand) -> RotationSet {
        self.fitting[usize::from(demand.0)]
    }
}

/// Returns a bit mask with these indices set.
fn mask(places: impl Iterator<Item = usize>) -> u8 {
    places.fold(0, |mask, place| mask | 1 << place)
}

/// Rotates a tile and sorts its parts, so that the results for equivalent rotations are equal.
pub(super) fn turned(parts: &TileParts, rotation: Rotation) -> TileParts {
    let edges = |edges: &[Edge]| sorted(edges.iter().map(|edge| edge.turned(rotation)));
    let city = |edge: &Edge| Some(edges(&parts.cities[parts.city_at(*edge)?].edges)[0]);
    let cities = parts
        .cities
        .iter()
        .map(|city| CityParts { edges: edges(&city.edges), shield: city.shield });
    let roads = parts.roads.iter().map(|road| RoadParts {
        edges: edges(&road.edges),
        drawbridge: road.drawbridge.as_ref().and_then(city),
    });
    let fields = parts.fields.iter().map(|field| FieldParts {
        half_edges: sorted(field.half_edges.iter().map(|half| half.turned(rotation))),
        cities: sorted(field.cities.iter().filter_map(city)),
    });
    let mut terrain = parts.edges.clone();
    terrain.rotate_right(rotation.index());
    TileParts {
        edges: terrain,
        cities: sorted(cities),
        roads: sorted(roads),
        fields: sorted(fields),
        monastery: parts.monastery,
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}

#[cfg(test)]
mod tests {
    use super::super::components::TileKind;
    use super::super::edition::Edition;
    use super::*;

    #[test]
    fn symmetric_tiles_have_fewer_distinct_rotations() {
        let edition = Edition::built_in();
        let of = |distinct_rotations: usize| -> Vec<String> {
            let kinds = TileKind::all()
                .filter(|&kind| edition.shape(kind).distinct_rotations == distinct_rotations);
            kinds.map(|kind| kind.to_string()).collect()
        };
        assert_eq!(of(1), ["B", "C", "X"]);
        assert_eq!(of(2), ["F", "G", "H", "U", "D9"]);
        assert_eq!(of(4).len(), 28);
        assert_eq!(of(3), [""; 0]);
    }

    #[test]
    fn a_rotation_fits_where_all_edges_meet_the_demand() {
        let edition = Edition::built_in();
        let mut demand = Demand::default();
        demand.add(Edge::East, Terrain::City);
        demand.add(Edge::West, Terrain::Road);
        let fitting = |kind: TileKind| -> Vec<u8> {
            let fitting = edition.shape(kind).fitting(demand).list();
            let rotations = &fitting.rotations[..usize::from(fitting.len)];
            rotations.iter().map(|rotation| rotation.number()).collect()
        };
        let kind = |number| TileKind::new(number).map(fitting);
        // K is CFRR: after one turn, its city is east of its south road.
        assert_eq!(kind(10), Some(vec![1]));
        // L is CRRR.
        assert_eq!(kind(11), Some(vec![1]));
        // V is FFRR.
        assert_eq!(kind(21), Some(vec![]));
        assert_eq!(demand.at(Edge::East), Some(Terrain::City));
        assert_eq!(demand.at(Edge::North), None);
    }
}

//! Tiles as the rules use them: where each segment comes out in each rotation, and which rotations
//! fit where.

use arrayvec::ArrayVec;

use super::components::{
    EDGES, Edge, HALF_EDGES, HalfEdge, MAX_TILE_FIELDS, MAX_TILE_GATES, MAX_TILE_SEGMENTS,
    Rotation, Segment, Terrain,
};
use super::edition_parts::TileParts;

/// What the tiles round an empty cell ask of a tile in it: two bits an edge, north lowest; 0 for
/// an edge without a tile beyond, else 1 and the index of the terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Demand(u8);

impl Demand {
    /// Values that a demand can have.
    const COUNT: usize = 1 << (2 * EDGES);

    /// Asks for a terrain at an edge where nothing was asked for.
    pub(super) fn add(&mut self, edge: Edge, terrain: Terrain) {
        self.0 |= (terrain as u8 + 1) << (2 * edge.index());
    }

    /// What is asked for at an edge.
    pub(super) fn at(self, edge: Edge) -> Option<Terrain> {
        let asked = self.0 >> (2 * edge.index()) & 3;
        let index = usize::from(asked).checked_sub(1)?;
        Terrain::ALL.get(index).copied()
    }
}

/// Rotations as a bit mask: bit n is n quarter turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RotationSet(u8);

impl RotationSet {
    pub(super) const fn contains(self, rotation: Rotation) -> bool {
        self.0 & 1 << rotation.quarter_turns() != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The rotations of the set, ascending.
    pub(super) const fn listed(self) -> Listed {
        LISTED[self.0 as usize % LISTED.len()]
    }
}

/// The rotations of a set.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    /// How many there are.
    pub(super) len: u8,
    /// These in order, then any others.
    pub(super) rotations: [Rotation; EDGES],
}

/// All sets of rotations.
const LISTED: [Listed; 1 << EDGES] = {
    let none = Listed {
        len: 0,
        rotations: Rotation::ALL,
    };
    let mut all = [none; 1 << EDGES];
    let mut set = 0;
    while set < all.len() {
        let mut turns = 0;
        while turns < EDGES {
            let rotation = Rotation::ALL[turns];
            if RotationSet(set as u8).contains(rotation) {
                all[set].rotations[all[set].len as usize] = rotation;
                all[set].len += 1;
            }
            turns += 1;
        }
        set += 1;
    }
    all
};

/// A drawbridge of a tile: places of its road and its city among those of the tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeGate {
    pub(super) road: u8,
    pub(super) city: u8,
}

/// One way that a tile can lie. Segments are places in the lists of [`TileParts`].
#[derive(Clone, Debug)]
pub(super) struct Lying {
    pub(super) terrain: [Terrain; EDGES],
    /// The road or the city of each edge, whichever runs through it; 0 where neither does.
    pub(super) through: [u8; EDGES],
    /// The field of each half-edge; 0 for those of city edges.
    pub(super) field_at: [u8; HALF_EDGES],
    /// All segments in order, each with its place among those of its sort.
    pub(super) segments: ArrayVec<(Segment, u8), MAX_TILE_SEGMENTS>,
}

impl Lying {
    /// The segment of an edge, or the field of its left half, with its place.
    pub(super) fn place_of(&self, segment: Segment) -> Option<u8> {
        let mut segments = self.segments.iter();
        let found = segments.find(|(other, _)| *other == segment);
        found.map(|&(_, place)| place)
    }

    /// The name of the city segment of this place.
    pub(super) fn city_name(&self, place: u8) -> Option<Edge> {
        self.segments
            .iter()
            .find_map(|&(segment, other)| match segment {
                Segment::City(edge) if other == place => Some(edge),
                _ => None,
            })
    }
}

/// A kind of tile. Must be made of parts that have been checked.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Edges of each road.
    pub(super) road_edges: ArrayVec<u8, EDGES>,
    /// Edges and shields of each city.
    pub(super) cities: ArrayVec<(u8, u8), EDGES>,
    /// For each field the cities that it touches, as a bit mask of their places.
    pub(super) fields: ArrayVec<u8, MAX_TILE_FIELDS>,
    pub(super) monastery: bool,
    pub(super) gates: ArrayVec<ShapeGate, MAX_TILE_GATES>,
    /// Rotations that look different: 1, 2 or 4.
    looks: u8,
    lying: [Lying; EDGES],
    /// For each [`Demand`] the rotations that meet it, one of each look.
    fitting: Box<[RotationSet; Demand::COUNT]>,
}

impl Shape {
    pub(super) fn new(parts: &TileParts) -> Self {
        let gates = parts.roads.iter().zip(0..).filter_map(|(road, place)| {
            let city = parts.city_of(road.drawbridge?)? as u8;
            Some(ShapeGate { road: place, city })
        });
        let lying = Rotation::ALL.map(|rotation| lie(parts, rotation));
        let upright = look(parts, Rotation::ALL[0]);
        let mut turned = Rotation::ALL.into_iter().skip(1);
        let repeated = turned.find(|&rotation| look(parts, rotation) == upright);
        let looks = repeated.map_or(EDGES as u8, Rotation::quarter_turns);
        Self {
            road_edges: parts
                .roads
                .iter()
                .map(|road| road.edges.len() as u8)
                .collect(),
            cities: parts
                .cities
                .iter()
                .map(|city| (city.edges.len() as u8, u8::from(city.shield)))
                .collect(),
            fields: parts
                .fields
                .iter()
                .map(|field| {
                    let places = field
                        .cities
                        .iter()
                        .filter_map(|&first| parts.city_of(first));
                    mask(places)
                })
                .collect(),
            monastery: parts.monastery,
            gates: gates.collect(),
            looks,
            fitting: Box::new(std::array::from_fn(|demand| {
                fitting(Demand(demand as u8), looks, &lying)
            })),
            lying,
        }
    }

    /// How the tile lies when it is turned.
    pub(super) fn lying(&self, rotation: Rotation) -> &Lying {
        &self.lying[rotation.index()]
    }

    /// The smallest rotation that looks like this one.
    pub(super) fn first_alike(&self, rotation: Rotation) -> Rotation {
        Rotation::ALL[rotation.index() % usize::from(self.looks)]
    }

    /// The rotations that meet a demand, the smallest of each look.
    pub(super) fn fitting(&self, demand: Demand) -> RotationSet {
        self.fitting[usize::from(demand.0)]
    }
}

fn fitting(demand: Demand, looks: u8, lying: &[Lying; EDGES]) -> RotationSet {
    let fits = |lying: &Lying| {
        let mut edges = Edge::ALL.into_iter().zip(lying.terrain);
        edges.all(|(edge, terrain)| demand.at(edge).is_none_or(|asked| asked == terrain))
    };
    let rotations = (0..usize::from(looks)).filter(|&rotation| fits(&lying[rotation]));
    RotationSet(mask(rotations))
}

/// Places as a bit mask.
fn mask(places: impl Iterator<Item = usize>) -> u8 {
    places.fold(0, |mask, place| mask | 1 << place)
}

fn lie(parts: &TileParts, rotation: Rotation) -> Lying {
    let mut lying = Lying {
        terrain: [Terrain::Field; EDGES],
        through: [0; EDGES],
        field_at: [0; HALF_EDGES],
        segments: ArrayVec::new(),
    };
    for edge in Edge::ALL {
        lying.terrain[edge.turned(rotation).index()] = parts.edges[edge.index()];
    }
    let roads = parts.roads.iter().map(|road| &road.edges).zip(0..);
    let cities = parts.cities.iter().map(|city| &city.edges).zip(0..);
    let named = |name: fn(Edge) -> Segment| move |(edges, place)| (name, edges, place);
    let of_edges = roads.map(named(Segment::Road));
    for (name, edges, place) in of_edges.chain(cities.map(named(Segment::City))) {
        let edges = edges.iter().map(|edge| edge.turned(rotation));
        let first = edges.clone().min();
        lying.segments.extend(first.map(|edge| (name(edge), place)));
        edges.for_each(|edge| lying.through[edge.index()] = place);
    }
    if parts.monastery {
        lying.segments.push((Segment::Monastery, 0));
    }
    for (field, place) in parts.fields.iter().zip(0..) {
        let halves = field.half_edges.iter().map(|half| half.turned(rotation));
        let first = halves.clone().min();
        lying
            .segments
            .extend(first.map(|half| (Segment::Field(half), place)));
        halves.for_each(|half| lying.field_at[half.index()] = place);
    }
    lying.segments.sort_unstable();
    lying
}

/// Edges as a bit mask.
fn edge_mask(edges: &[Edge], rotation: Rotation) -> u8 {
    mask(edges.iter().map(|edge| edge.turned(rotation).index()))
}

/// What a turned tile looks like, whatever the order of its parts: for each segment what sort it
/// is, its edges or half-edges, and what it has or touches.
fn look(parts: &TileParts, rotation: Rotation) -> Vec<(u8, u8, Vec<u8>)> {
    let city_mask = |first: &Edge| {
        let city = parts.city_of(*first);
        city.map_or(0, |city| edge_mask(&parts.cities[city].edges, rotation))
    };
    let roads = parts.roads.iter().map(|road| {
        let gate = road.drawbridge.iter().map(city_mask).collect();
        (0, edge_mask(&road.edges, rotation), gate)
    });
    let cities = parts.cities.iter().map(|city| {
        (
            1,
            edge_mask(&city.edges, rotation),
            vec![u8::from(city.shield)],
        )
    });
    let fields = parts.fields.iter().map(|field| {
        let halves = field.half_edges.iter();
        let halves = halves.map(|half: &HalfEdge| half.turned(rotation).index());
        let mut touched: Vec<u8> = field.cities.iter().map(city_mask).collect();
        touched.sort_unstable();
        (2, mask(halves), touched)
    });
    let mut look: Vec<_> = roads.chain(cities).chain(fields).collect();
    look.sort_unstable();
    look
}

#[cfg(test)]
mod tests {
    use super::super::components::TileKind;
    use super::super::edition::Edition;
    use super::*;

    #[test]
    fn tiles_have_as_many_looks_as_they_show() {
        let edition = Edition::built_in();
        let of = |looks: u8| -> Vec<String> {
            let kinds = TileKind::all().filter(|&kind| edition.shape(kind).looks == looks);
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
            let fitting = edition.shape(kind).fitting(demand).listed();
            let rotations = &fitting.rotations[..usize::from(fitting.len)];
            rotations
                .iter()
                .map(|rotation| rotation.quarter_turns())
                .collect()
        };
        let kind = |number| TileKind::new(number).map(fitting);
        // K is CFRR: its city is east of its south road when it is turned once.
        assert_eq!(kind(10), Some(vec![1]));
        // L is CRRR.
        assert_eq!(kind(11), Some(vec![1]));
        // V is FFRR.
        assert_eq!(kind(21), Some(vec![]));
        assert_eq!(demand.at(Edge::East), Some(Terrain::City));
        assert_eq!(demand.at(Edge::North), None);
    }
}

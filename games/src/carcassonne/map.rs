//! The map: the tiles on the table, the features of their segments, and the meeples.

use arrayvec::ArrayVec;

use super::components::{
    Cell, DRAWBRIDGE_TILES, EDGES, Edge, MAX_GATES, MAX_MEEPLES, MAX_PLAYERS, MAX_TILE_FIELDS,
    MAX_TILE_SEGMENTS, MAX_TILES, Rotation, Segment, Terrain, TileKind,
};
use super::decision::{Gate, Placement};
use super::edition::Edition;
use super::features::{
    Drawbridge, Feature, Field, Monastery, PlacedMeeple, Structure, TILES_AROUND,
};
use super::forest::Forest;
use super::frontier::{Frontier, OpenIndex};
use super::observation::LaidTile;
use super::tile::{RotatedTile, Shape};

/// The number of road segments on all base tiles.
const BASE_ROADS: usize = 62;
/// The number of city segments on all base tiles.
const BASE_CITIES: usize = 49;
/// The number of field segments on all base tiles.
const BASE_FIELDS: usize = 126;
/// The number of monasteries on all base tiles.
const BASE_MONASTERIES: usize = 6;

/// The maximum number of road segments in a match. A drawbridge tile has at most one per edge.
const MAX_ROADS: usize = BASE_ROADS + DRAWBRIDGE_TILES * EDGES;
/// The maximum number of city segments in a match.
const MAX_CITIES: usize = BASE_CITIES + DRAWBRIDGE_TILES * EDGES;
/// The maximum number of field segments in a match.
const MAX_FIELDS: usize = BASE_FIELDS + DRAWBRIDGE_TILES * MAX_TILE_FIELDS;
/// The maximum number of monasteries in a match.
const MAX_MONASTERIES: usize = BASE_MONASTERIES + DRAWBRIDGE_TILES;

/// The number of base tiles with several road segments. Fewer base tiles have several city
/// segments.
const BASE_SPLIT_TILES: usize = 8;

/// Each tile with several segments of a type has a bit in [`Structure::split_tiles`].
const _: () = assert!(BASE_SPLIT_TILES + DRAWBRIDGE_TILES <= u32::BITS as usize);

/// A completed city has at least two segments, so [`Field::completed_cities`] has a bit for each.
const _: () = assert!(MAX_CITIES / 2 <= u64::BITS as usize);

/// A tile on the table, with the numbers of its segments.
#[derive(Clone, Copy, Debug)]
struct MapTile {
    tile: LaidTile,
    /// The number of the tile's first road segment. The numbers of its other road segments follow.
    first_road: u8,
    /// The number of the tile's first city segment.
    first_city: u8,
    /// The number of the tile's first field segment.
    first_field: u8,
    /// The index of the tile's monastery, if any.
    monastery: u8,
}

/// Everything on the table. A map has about 9 KiB and no pointers, so a clone is a single copy.
#[derive(Clone, Debug)]
pub(super) struct Map {
    laid: [MapTile; MAX_TILES],
    tile_count: u8,
    pub(super) frontier: Frontier,
    pub(super) roads: Forest<Structure, MAX_ROADS>,
    pub(super) cities: Forest<Structure, MAX_CITIES>,
    /// For each city segment, its tile's index.
    city_tiles: [u8; MAX_CITIES],
    /// For each city segment, the next segment of the same city. The segments of a city form a
    /// cyclic list.
    city_rings: [u8; MAX_CITIES],
    pub(super) fields: Forest<Field, MAX_FIELDS>,
    pub(super) monasteries: ArrayVec<Monastery, MAX_MONASTERIES>,
    /// The number of tiles with several road segments so far.
    split_road_tiles: u8,
    /// The number of tiles with several city segments so far.
    split_city_tiles: u8,
    completed_cities: u8,
    /// Drawbridges in the order of their gates.
    pub(super) drawbridges: ArrayVec<Drawbridge, MAX_GATES>,
    /// The features on the tile placed last, each with its first segment, in the order of segments.
    pub(super) last_features: ArrayVec<(Segment, Feature), MAX_TILE_SEGMENTS>,
    pub(super) meeples: ArrayVec<PlacedMeeple, MAX_MEEPLES>,
}

impl Map {
    /// Creates a map with only the start tile.
    pub(super) fn new(edition: &Edition) -> Self {
        let start = MapTile {
            tile: LaidTile::START,
            first_road: 0,
            first_city: 0,
            first_field: 0,
            monastery: 0,
        };
        let mut map = Self {
            laid: [start; MAX_TILES],
            tile_count: 0,
            frontier: Frontier::new(),
            roads: Forest::new(),
            cities: Forest::new(),
            city_tiles: [0; MAX_CITIES],
            city_rings: [0; MAX_CITIES],
            fields: Forest::new(),
            monasteries: ArrayVec::new(),
            split_road_tiles: 0,
            split_city_tiles: 0,
            completed_cities: 0,
            drawbridges: ArrayVec::new(),
            last_features: ArrayVec::new(),
            meeples: ArrayVec::new(),
        };
        let LaidTile { tile, placement } = LaidTile::START;
        map.lay(edition, tile, placement.rotation, OpenIndex::START);
        map
    }

    /// Returns the tiles in the order of placement.
    pub(super) fn tiles(&self) -> impl ExactSizeIterator<Item = LaidTile> {
        let laid = &self.laid[..usize::from(self.tile_count)];
        laid.iter().map(|laid| laid.tile)
    }

    /// Returns the index of the tile in a cell. The time is linear in the number of tiles.
    pub(super) fn tile_in(&self, cell: Cell) -> Option<u8> {
        let tile = self.tiles().position(|tile| tile.placement.cell == cell);
        tile.map(|tile| tile as u8)
    }

    /// Returns the index of the tile placed last.
    pub(super) const fn last(&self) -> u8 {
        self.tile_count - 1
    }

    /// Returns the cell of a tile.
    pub(super) fn cell(&self, tile: u8) -> Cell {
        self.laid[usize::from(tile)].tile.placement.cell
    }

    /// Returns the shape of a tile on the table, as rotated.
    pub(super) fn rotated<'e>(&self, edition: &'e Edition, tile: u8) -> &'e RotatedTile {
        let LaidTile { tile, placement } = self.laid[usize::from(tile)].tile;
        edition.shape(tile).rotated(placement.rotation)
    }

    /// Places a tile in an open cell, where it must fit, and joins its segments to the segments of
    /// the neighbours.
    pub(super) fn lay(
        &mut self,
        edition: &Edition,
        tile: TileKind,
        rotation: Rotation,
        place: OpenIndex,
    ) {
        let shape = edition.shape(tile);
        let rotated = shape.rotated(rotation);
        let number = self.tile_count;
        let open = self.frontier.occupy(place, &rotated.terrain, number);
        let cell = open.cell;
        let placement = Placement { cell, rotation };
        let laid = self.add_segments(rotated, LaidTile { tile, placement });
        self.laid[usize::from(number)] = laid;
        self.tile_count += 1;
        for edge in Edge::ALL {
            if let Some(other) = open.beyond(edge) {
                self.join_edge(edition, &laid, rotated, edge, other);
            }
        }
        self.count_around_monasteries(shape, cell);
        for gate in &rotated.gates {
            let city = gate.city_edge;
            let drawbridge = Drawbridge {
                gate: Gate { cell, city },
                tile: number,
                road: laid.first_road + gate.road,
                city: laid.first_city + gate.city,
            };
            let before = |other: &Drawbridge| other.gate <= drawbridge.gate;
            let place = self.drawbridges.partition_point(before);
            self.drawbridges.insert(place, drawbridge);
        }
        self.last_features.clear();
        for &(segment, place) in &rotated.segments {
            let feature = self.feature_at(number, segment, place);
            let mut existing = self.last_features.iter();
            if existing.all(|&(_, other)| other != feature) {
                self.last_features.push((segment, feature));
            }
        }
        self.complete_cities(edition);
    }

    /// Adds the segments of a tile without joining them.
    fn add_segments(&mut self, rotated: &RotatedTile, tile: LaidTile) -> MapTile {
        let laid = MapTile {
            tile,
            first_road: self.roads.next(),
            first_city: self.cities.next(),
            first_field: self.fields.next(),
            monastery: self.monasteries.len() as u8,
        };
        let split = split_bit(rotated.road_edges.len(), &mut self.split_road_tiles);
        for &edges in &rotated.road_edges {
            self.roads.add(Structure::segment(edges, 0, split));
        }
        let split = split_bit(rotated.cities.len(), &mut self.split_city_tiles);
        for &(edges, shields) in &rotated.cities {
            let segment = self.cities.next();
            self.city_tiles[usize::from(segment)] = self.tile_count;
            self.city_rings[usize::from(segment)] = segment;
            self.cities.add(Structure::segment(edges, shields, split));
        }
        for _ in &rotated.fields {
            self.fields.add(Field::default());
        }
        laid
    }

    /// Joins a new tile's segments to those of the tile beyond an edge.
    fn join_edge(
        &mut self,
        edition: &Edition,
        laid: &MapTile,
        rotated: &RotatedTile,
        edge: Edge,
        other: u8,
    ) {
        let other_rotated = self.rotated(edition, other);
        let other = self.laid[usize::from(other)];
        let through = rotated.through[edge.index()];
        let other_through = other_rotated.through[edge.opposite().index()];
        match rotated.terrain[edge.index()] {
            Terrain::Field => {}
            Terrain::Road => {
                let (a, b) = (laid.first_road + through, other.first_road + other_through);
                let root = self.roads.join(a, b);
                self.roads.feature_mut(root).open_ends -= 2;
            }
            Terrain::City => {
                let (a, b) = (laid.first_city + through, other.first_city + other_through);
                if self.cities.root(a) != self.cities.root(b) {
                    // Swapping the successors merges two cyclic lists into one.
                    self.city_rings.swap(usize::from(a), usize::from(b));
                }
                let root = self.cities.join(a, b);
                self.cities.feature_mut(root).open_ends -= 2;
                return;
            }
        }
        for half in edge.halves() {
            let field = laid.first_field + rotated.field_at[half.index()];
            let other_field = other.first_field + other_rotated.field_at[half.opposite().index()];
            self.fields.join(field, other_field);
        }
    }

    fn count_around_monasteries(&mut self, shape: &Shape, cell: Cell) {
        for monastery in &mut self.monasteries {
            monastery.tiles_around += u8::from(monastery.cell.is_near(cell));
        }
        if shape.monastery {
            let cells = self.tiles().map(|tile| tile.placement.cell);
            let near = cells.filter(|other| other.is_near(cell));
            let tiles_around = near.count() as u8 - 1;
            self.monasteries.push(Monastery {
                tile: self.last(),
                cell,
                tiles_around,
                meeples: [0; MAX_PLAYERS],
            });
        }
    }

    /// Marks each city that a new tile has completed in the fields that touch the city.
    fn complete_cities(&mut self, edition: &Edition) {
        for at in 0..self.last_features.len() {
            if let (_, Feature::City(root)) = self.last_features[at]
                && self.cities.feature(root).is_complete()
            {
                let number = 1 << self.completed_cities;
                self.completed_cities += 1;
                let mut segment = root;
                loop {
                    self.mark_fields_beside(edition, segment, number);
                    segment = self.city_rings[usize::from(segment)];
                    if segment == root {
                        break;
                    }
                }
            }
        }
    }

    /// Marks a completed city in the fields that touch any of its segments.
    fn mark_fields_beside(&mut self, edition: &Edition, segment: u8, number: u64) {
        let tile = self.city_tiles[usize::from(segment)];
        let laid = self.laid[usize::from(tile)];
        let city = segment - laid.first_city;
        for (field, &touched) in (laid.first_field..).zip(&self.rotated(edition, tile).fields) {
            if touched & 1 << city != 0 {
                let field = self.fields.root(field);
                self.fields.feature_mut(field).completed_cities |= number;
            }
        }
    }

    /// Returns the feature that a tile's segment belongs to, or `None` if the tile has no such
    /// segment. The segment must be named by its first edge.
    pub(super) fn feature(&self, edition: &Edition, tile: u8, segment: Segment) -> Option<Feature> {
        let place = self.rotated(edition, tile).index_of(segment)?;
        Some(self.feature_at(tile, segment, place))
    }

    /// Returns the feature of a segment, given its index among the segments of its type.
    pub(super) fn feature_at(&self, tile: u8, segment: Segment, place: u8) -> Feature {
        let laid = &self.laid[usize::from(tile)];
        match segment {
            Segment::Road(_) => Feature::Road(self.roads.root(laid.first_road + place)),
            Segment::City(_) => Feature::City(self.cities.root(laid.first_city + place)),
            Segment::Monastery => Feature::Monastery(laid.monastery),
            Segment::Field(_) => Feature::Field(self.fields.root(laid.first_field + place)),
        }
    }

    /// Returns `true` if a feature is complete; a field never is.
    pub(super) fn is_complete(&self, feature: Feature) -> bool {
        match feature {
            Feature::Road(root) => self.roads.feature(root).is_complete(),
            Feature::City(root) => self.cities.feature(root).is_complete(),
            Feature::Monastery(place) => {
                self.monasteries[usize::from(place)].tiles_around == TILES_AROUND
            }
            Feature::Field(_) => false,
        }
    }
}

/// Returns the bit for a tile with several segments of a type, allocated from `count`. Returns 0
/// for other tiles.
fn split_bit(segments: usize, count: &mut u8) -> u32 {
    if segments < 2 {
        return 0;
    }
    let bit = 1 << *count;
    *count += 1;
    bit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_segments_are_those_of_the_base_tiles() {
        let edition = Edition::built_in();
        let sum = |number: &dyn Fn(&RotatedTile) -> usize| -> usize {
            let base = TileKind::all().filter(|kind| !kind.is_drawbridge_tile());
            let upright = |kind| edition.shape(kind).rotated(Rotation::default());
            let numbers =
                base.map(|kind| number(upright(kind)) * usize::from(Edition::count(kind)));
            numbers.sum()
        };
        assert_eq!(sum(&|rotated| rotated.road_edges.len()), BASE_ROADS);
        assert_eq!(sum(&|rotated| rotated.cities.len()), BASE_CITIES);
        assert_eq!(sum(&|rotated| rotated.fields.len()), BASE_FIELDS);
        let monastery = |segment: &(Segment, u8)| segment.0 == Segment::Monastery;
        let monasteries =
            |rotated: &RotatedTile| rotated.segments.iter().copied().filter(monastery).count();
        assert_eq!(sum(&monasteries), BASE_MONASTERIES);
        let split = |segments: usize| usize::from(segments > 1);
        assert_eq!(sum(&|rotated| split(rotated.road_edges.len())), BASE_SPLIT_TILES);
        assert!(sum(&|rotated| split(rotated.cities.len())) <= BASE_SPLIT_TILES);
    }

    #[test]
    fn a_carcassonne_state_takes_less_than_10_kib() {
        assert!(size_of::<super::super::State>() < 10 * 1024);
    }
}

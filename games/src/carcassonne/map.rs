//! The tiles on the table, the features that their segments join to, and the meeples on them.

use arrayvec::ArrayVec;

use super::components::{
    Cell, DRAWBRIDGE_TILES, EDGES, Edge, MAX_GATES, MAX_MEEPLES, MAX_PLAYERS, MAX_TILE_FIELDS,
    MAX_TILE_SEGMENTS, MAX_TILES, Rotation, Segment, Terrain, TileKind,
};
use super::decision::{Gate, Placement};
use super::edition::Edition;
use super::features::{Drawbridge, Feature, Field, Monastery, Standing, Structure, TILES_ROUND};
use super::forest::Forest;
use super::frontier::{Frontier, OpenPlace};
use super::observation::LaidTile;
use super::tile::{Lying, Shape};

/// Road segments of the base tiles.
const BASE_ROADS: usize = 62;
/// City segments of the base tiles.
const BASE_CITIES: usize = 49;
/// Field segments of the base tiles.
const BASE_FIELDS: usize = 126;
/// Monasteries of the base tiles.
const BASE_MONASTERIES: usize = 6;

/// Most road segments of a match: a drawbridge tile has at most one an edge.
const MAX_ROADS: usize = BASE_ROADS + DRAWBRIDGE_TILES * EDGES;
/// Most city segments of a match.
const MAX_CITIES: usize = BASE_CITIES + DRAWBRIDGE_TILES * EDGES;
/// Most field segments of a match.
const MAX_FIELDS: usize = BASE_FIELDS + DRAWBRIDGE_TILES * MAX_TILE_FIELDS;
/// Most monasteries of a match.
const MAX_MONASTERIES: usize = BASE_MONASTERIES + DRAWBRIDGE_TILES;

/// Base tiles with several road segments; those with several city segments are fewer.
const BASE_SPLIT_TILES: usize = 8;

/// Each tile with several segments of a sort has a bit in [`Structure::split_tiles`].
const _: () = assert!(BASE_SPLIT_TILES + DRAWBRIDGE_TILES <= u32::BITS as usize);

/// A completed city has at least two segments, so the numbers of all fit into a
/// [`Field::completed_cities`].
const _: () = assert!(MAX_CITIES / 2 <= u64::BITS as usize);

/// A tile on the table.
#[derive(Clone, Copy, Debug)]
struct Laid {
    tile: LaidTile,
    /// The number of its first road segment; the others follow.
    first_road: u8,
    /// The number of its first city segment.
    first_city: u8,
    /// The number of its first field segment.
    first_field: u8,
    /// The place of its monastery, if it has one.
    monastery: u8,
}

/// Everything on the table. Some 9 KiB without any pointer: a clone is one copy.
#[derive(Clone, Debug)]
pub(super) struct Map {
    laid: [Laid; MAX_TILES],
    tile_count: u8,
    pub(super) frontier: Frontier,
    pub(super) roads: Forest<Structure, MAX_ROADS>,
    pub(super) cities: Forest<Structure, MAX_CITIES>,
    /// The tile of each city segment, by the order in which tiles were laid.
    city_tiles: [u8; MAX_CITIES],
    /// For each city segment the next of its city, which after the last is the first again.
    city_rings: [u8; MAX_CITIES],
    pub(super) fields: Forest<Field, MAX_FIELDS>,
    pub(super) monasteries: ArrayVec<Monastery, MAX_MONASTERIES>,
    /// Tiles with several road segments so far.
    split_road_tiles: u8,
    /// Tiles with several city segments so far.
    split_city_tiles: u8,
    completed_cities: u8,
    /// Drawbridges in the order of their gates.
    pub(super) drawbridges: ArrayVec<Drawbridge, MAX_GATES>,
    /// The features of the tile laid last with their first segments, in the order of segments.
    pub(super) last_features: ArrayVec<(Segment, Feature), MAX_TILE_SEGMENTS>,
    pub(super) meeples: ArrayVec<Standing, MAX_MEEPLES>,
}

impl Map {
    /// The start tile alone.
    pub(super) fn new(edition: &Edition) -> Self {
        let start = Laid {
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
        map.lay(edition, tile, placement.rotation, OpenPlace::START);
        map
    }

    /// The tiles in the order in which they were laid.
    pub(super) fn tiles(&self) -> impl ExactSizeIterator<Item = LaidTile> {
        let laid = &self.laid[..usize::from(self.tile_count)];
        laid.iter().map(|laid| laid.tile)
    }

    /// The tile in a cell. Takes a look at every tile.
    pub(super) fn tile_in(&self, cell: Cell) -> Option<u8> {
        let tile = self.tiles().position(|tile| tile.placement.cell == cell);
        tile.map(|tile| tile as u8)
    }

    /// The tile laid last: its place in the order.
    pub(super) const fn last(&self) -> u8 {
        self.tile_count - 1
    }

    /// The cell of a tile.
    pub(super) fn cell(&self, tile: u8) -> Cell {
        self.laid[usize::from(tile)].tile.placement.cell
    }

    /// How a tile on the table lies.
    pub(super) fn lying<'e>(&self, edition: &'e Edition, tile: u8) -> &'e Lying {
        let LaidTile { tile, placement } = self.laid[usize::from(tile)].tile;
        edition.shape(tile).lying(placement.rotation)
    }

    /// Lays a tile in an open cell, where it must fit, and joins its segments to what is there.
    pub(super) fn lay(
        &mut self,
        edition: &Edition,
        tile: TileKind,
        rotation: Rotation,
        place: OpenPlace,
    ) {
        let shape = edition.shape(tile);
        let lying = shape.lying(rotation);
        let number = self.tile_count;
        let open = self.frontier.occupy(place, &lying.terrain, number);
        let cell = open.cell;
        let placement = Placement { cell, rotation };
        let laid = self.add_segments(lying, LaidTile { tile, placement });
        self.laid[usize::from(number)] = laid;
        self.tile_count += 1;
        for edge in Edge::ALL {
            if let Some(other) = open.beyond(edge) {
                self.join_edge(edition, &laid, lying, edge, other);
            }
        }
        self.count_round_monasteries(shape, cell);
        for gate in &lying.gates {
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
        for &(segment, place) in &lying.segments {
            let feature = self.feature_at(number, segment, place);
            let mut known = self.last_features.iter();
            if known.all(|&(_, other)| other != feature) {
                self.last_features.push((segment, feature));
            }
        }
        self.complete_cities(edition);
    }

    /// Adds the segments of a tile, joined to nothing yet.
    fn add_segments(&mut self, lying: &Lying, tile: LaidTile) -> Laid {
        let laid = Laid {
            tile,
            first_road: self.roads.next(),
            first_city: self.cities.next(),
            first_field: self.fields.next(),
            monastery: self.monasteries.len() as u8,
        };
        let split = split_bit(lying.road_edges.len(), &mut self.split_road_tiles);
        for &edges in &lying.road_edges {
            self.roads.add(Structure::segment(edges, 0, split));
        }
        let split = split_bit(lying.cities.len(), &mut self.split_city_tiles);
        for &(edges, shields) in &lying.cities {
            let segment = self.cities.next();
            self.city_tiles[usize::from(segment)] = self.tile_count;
            self.city_rings[usize::from(segment)] = segment;
            self.cities.add(Structure::segment(edges, shields, split));
        }
        for _ in &lying.fields {
            self.fields.add(Field::default());
        }
        laid
    }

    /// Joins a new tile to the one beyond an edge.
    fn join_edge(&mut self, edition: &Edition, laid: &Laid, lying: &Lying, edge: Edge, other: u8) {
        let other_lying = self.lying(edition, other);
        let other = self.laid[usize::from(other)];
        let through = lying.through[edge.index()];
        let other_through = other_lying.through[edge.opposite().index()];
        match lying.terrain[edge.index()] {
            Terrain::Field => {}
            Terrain::Road => {
                let (a, b) = (laid.first_road + through, other.first_road + other_through);
                let root = self.roads.join(a, b);
                self.roads.feature_mut(root).open_ends -= 2;
            }
            Terrain::City => {
                let (a, b) = (laid.first_city + through, other.first_city + other_through);
                if self.cities.root(a) != self.cities.root(b) {
                    // Two rings of which each goes on in the other are one.
                    self.city_rings.swap(usize::from(a), usize::from(b));
                }
                let root = self.cities.join(a, b);
                self.cities.feature_mut(root).open_ends -= 2;
                return;
            }
        }
        for half in edge.halves() {
            let field = laid.first_field + lying.field_at[half.index()];
            let other_field = other.first_field + other_lying.field_at[half.opposite().index()];
            self.fields.join(field, other_field);
        }
    }

    fn count_round_monasteries(&mut self, shape: &Shape, cell: Cell) {
        for monastery in &mut self.monasteries {
            monastery.tiles_round += u8::from(monastery.cell.is_near(cell));
        }
        if shape.monastery {
            let cells = self.tiles().map(|tile| tile.placement.cell);
            let near = cells.filter(|other| other.is_near(cell));
            let tiles_round = near.count() as u8 - 1;
            self.monasteries.push(Monastery {
                tile: self.last(),
                cell,
                tiles_round,
                meeples: [0; MAX_PLAYERS],
            });
        }
    }

    /// Tells the fields of the cities that a new tile completed.
    fn complete_cities(&mut self, edition: &Edition) {
        for at in 0..self.last_features.len() {
            if let (_, Feature::City(root)) = self.last_features[at]
                && self.cities.feature(root).is_complete()
            {
                let number = 1 << self.completed_cities;
                self.completed_cities += 1;
                let mut segment = root;
                loop {
                    self.tell_fields_beside(edition, segment, number);
                    segment = self.city_rings[usize::from(segment)];
                    if segment == root {
                        break;
                    }
                }
            }
        }
    }

    /// Tells the fields that touch a segment of a completed city.
    fn tell_fields_beside(&mut self, edition: &Edition, segment: u8, number: u64) {
        let tile = self.city_tiles[usize::from(segment)];
        let laid = self.laid[usize::from(tile)];
        let city = segment - laid.first_city;
        for (field, &touched) in (laid.first_field..).zip(&self.lying(edition, tile).fields) {
            if touched & 1 << city != 0 {
                let field = self.fields.root(field);
                self.fields.feature_mut(field).completed_cities |= number;
            }
        }
    }

    /// The feature of a segment of a tile, which must be named by its first edge; `None` when the
    /// tile has no such segment.
    pub(super) fn feature(&self, edition: &Edition, tile: u8, segment: Segment) -> Option<Feature> {
        let place = self.lying(edition, tile).place_of(segment)?;
        Some(self.feature_at(tile, segment, place))
    }

    /// The feature of the segment that is at this place among those of its sort.
    pub(super) fn feature_at(&self, tile: u8, segment: Segment, place: u8) -> Feature {
        let laid = &self.laid[usize::from(tile)];
        match segment {
            Segment::Road(_) => Feature::Road(self.roads.root(laid.first_road + place)),
            Segment::City(_) => Feature::City(self.cities.root(laid.first_city + place)),
            Segment::Monastery => Feature::Monastery(laid.monastery),
            Segment::Field(_) => Feature::Field(self.fields.root(laid.first_field + place)),
        }
    }

    /// Whether a feature is complete; a field never is.
    pub(super) fn is_complete(&self, feature: Feature) -> bool {
        match feature {
            Feature::Road(root) => self.roads.feature(root).is_complete(),
            Feature::City(root) => self.cities.feature(root).is_complete(),
            Feature::Monastery(place) => {
                self.monasteries[usize::from(place)].tiles_round == TILES_ROUND
            }
            Feature::Field(_) => false,
        }
    }
}

/// The bit of a tile with several segments of a sort, which it takes from `count`; 0 for others.
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
        let sum = |number: &dyn Fn(&Lying) -> usize| -> usize {
            let base = TileKind::all().filter(|kind| !kind.is_drawbridge_tile());
            let upright = |kind| edition.shape(kind).lying(Rotation::default());
            let numbers =
                base.map(|kind| number(upright(kind)) * usize::from(Edition::count(kind)));
            numbers.sum()
        };
        assert_eq!(sum(&|lying| lying.road_edges.len()), BASE_ROADS);
        assert_eq!(sum(&|lying| lying.cities.len()), BASE_CITIES);
        assert_eq!(sum(&|lying| lying.fields.len()), BASE_FIELDS);
        let monastery = |segment: &(Segment, u8)| segment.0 == Segment::Monastery;
        let monasteries = |lying: &Lying| lying.segments.iter().copied().filter(monastery).count();
        assert_eq!(sum(&monasteries), BASE_MONASTERIES);
        let split = |segments: usize| usize::from(segments > 1);
        assert_eq!(
            sum(&|lying| split(lying.road_edges.len())),
            BASE_SPLIT_TILES
        );
        assert!(sum(&|lying| split(lying.cities.len())) <= BASE_SPLIT_TILES);
    }

    #[test]
    fn a_state_is_small() {
        assert!(size_of::<super::super::State>() < 10 * 1024);
    }
}

//! The map counted from scratch: a flood fill over an observation, based only on the rules page and
//! the tile tables.

use std::collections::BTreeSet;

use bridgemaster_games::carcassonne::{
    Cell, Config, Edge, FeatureKind, Gate, HalfEdge, Observation, Rotation, Segment, Terrain,
    TileKind, TileParts,
};

/// The half-edge that each half-edge meets across an edge, in the order of [`HalfEdge::ALL`]: NL
/// meets SR, NR meets SL, EL meets WR, ER meets WL.
const MEETS: [usize; 8] = [5, 4, 7, 6, 1, 0, 3, 2];

/// Steps across the edges N, E, S and W.
const STEPS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// A segment of a rotated tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) name: Segment,
    pub(crate) edges: Vec<usize>,
    pub(crate) halves: Vec<usize>,
    shield: bool,
    /// The names of the cities that a field touches; for a road, of the city of its drawbridge.
    cities: Vec<Segment>,
}

/// A rotated tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) terrain: [Terrain; 4],
    pub(crate) parts: Vec<Part>,
}

pub(crate) fn piece(tile: &TileParts, turns: usize) -> Piece {
    let edge = |edge: &Edge| (edge.index() + turns) % 4;
    let turned = |edges: &[Edge]| -> Vec<usize> {
        let set: BTreeSet<usize> = edges.iter().map(edge).collect();
        set.into_iter().collect()
    };
    let city = |first: &Edge| {
        let city = tile.cities.iter().find(|city| city.edges[0] == *first);
        Segment::City(Edge::ALL[turned(&city.unwrap().edges)[0]])
    };
    let mut parts = Vec::new();
    for road in &tile.roads {
        let edges = turned(&road.edges);
        parts.push(Part {
            name: Segment::Road(Edge::ALL[edges[0]]),
            halves: Vec::new(),
            shield: false,
            cities: road.drawbridge.iter().map(city).collect(),
            edges,
        });
    }
    for parts_of_city in &tile.cities {
        let edges = turned(&parts_of_city.edges);
        parts.push(Part {
            name: Segment::City(Edge::ALL[edges[0]]),
            halves: Vec::new(),
            shield: parts_of_city.shield,
            cities: Vec::new(),
            edges,
        });
    }
    if tile.monastery {
        parts.push(Part {
            name: Segment::Monastery,
            edges: Vec::new(),
            halves: Vec::new(),
            shield: false,
            cities: Vec::new(),
        });
    }
    for field in &tile.fields {
        let halves: BTreeSet<usize> =
            field.half_edges.iter().map(|half| (half.index() + 2 * turns) % 8).collect();
        let cities: BTreeSet<Segment> = field.cities.iter().map(city).collect();
        parts.push(Part {
            name: Segment::Field(HalfEdge::ALL[*halves.first().unwrap()]),
            edges: Vec::new(),
            halves: halves.into_iter().collect(),
            shield: false,
            cities: cities.into_iter().collect(),
        });
    }
    parts.sort();
    let mut terrain = [Terrain::Field; 4];
    for (place, found) in tile.edges.iter().enumerate() {
        terrain[(place + turns) % 4] = *found;
    }
    Piece { terrain, parts }
}

/// Every tile of a config in every rotation, and its distinct rotations.
pub(crate) struct Pieces {
    lying: Vec<[Piece; 4]>,
}

impl Pieces {
    pub(crate) fn new(config: &Config) -> Self {
        let all = TileKind::all().map(|kind| config.edition.tile(kind));
        Self { lying: all.map(|tile| [0, 1, 2, 3].map(|turns| piece(tile, turns))).collect() }
    }

    pub(crate) fn get(&self, tile: TileKind, turns: usize) -> &Piece {
        &self.lying[tile.index()][turns]
    }

    /// The rotations that do not look like a smaller one.
    pub(crate) fn looks(&self, tile: TileKind) -> impl Iterator<Item = usize> {
        let lying = &self.lying[tile.index()];
        (0..4).filter(move |&turns| !lying[..turns].contains(&lying[turns]))
    }
}

/// A feature, counted from scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) tiles: BTreeSet<usize>,
    pub(crate) open_ends: u8,
    pub(crate) shields: u8,
    pub(crate) meeples: [u8; 5],
    /// The completed cities that a field touches, as indices into [`Recount::features`].
    pub(crate) cities: BTreeSet<usize>,
    pub(crate) tiles_around: u8,
    sort: u8,
}

/// Number of cells of the grid to each side of the start tile.
const REACH: i32 = 86;

/// The whole map, counted from scratch.
pub(crate) struct Recount<'a> {
    pieces: &'a Pieces,
    view: &'a Observation,
    /// The tile of each cell, by row.
    grid: Vec<Option<usize>>,
    pub(crate) features: Vec<Counted>,
    /// For each tile, the feature of each of its parts.
    feature_of: Vec<Vec<usize>>,
}

fn place_of(x: i32, y: i32) -> usize {
    ((y + REACH) * 2 * REACH + x + REACH) as usize
}

impl<'a> Recount<'a> {
    pub(crate) fn new(pieces: &'a Pieces, view: &'a Observation) -> Self {
        let mut grid = vec![None; (4 * REACH * REACH) as usize];
        for (i, laid) in view.tiles.iter().enumerate() {
            let Cell { x, y } = laid.placement.cell;
            let before = grid[place_of(x.into(), y.into())].replace(i);
            assert_eq!(before, None, "two tiles at {x} {y}");
        }
        let mut recount = Self { pieces, view, grid, features: Vec::new(), feature_of: Vec::new() };
        recount.flood();
        recount.count_meeples();
        recount.touch_cities();
        recount
    }

    pub(crate) fn piece(&self, tile: usize) -> &'a Piece {
        let laid = &self.view.tiles[tile];
        let turns = laid.placement.rotation.number();
        self.pieces.get(laid.tile, turns.into())
    }

    fn xy(&self, tile: usize) -> (i32, i32) {
        let Cell { x, y } = self.view.tiles[tile].placement.cell;
        (x.into(), y.into())
    }

    fn beyond(&self, tile: usize, edge: usize) -> Option<usize> {
        let (x, y) = self.xy(tile);
        self.grid[place_of(x + STEPS[edge].0, y + STEPS[edge].1)]
    }

    fn flood(&mut self) {
        const NONE: usize = usize::MAX;
        let count = self.view.tiles.len();
        self.feature_of = (0..count).map(|tile| vec![NONE; self.piece(tile).parts.len()]).collect();
        for tile in 0..count {
            for part in 0..self.feature_of[tile].len() {
                if self.feature_of[tile][part] != NONE {
                    continue;
                }
                let number = self.features.len();
                let mut feature =
                    Counted { sort: sort(self.piece(tile).parts[part].name), ..Counted::default() };
                self.feature_of[tile][part] = number;
                let mut todo = vec![(tile, part)];
                while let Some((tile, part)) = todo.pop() {
                    feature.tiles.insert(tile);
                    let found = &self.piece(tile).parts[part];
                    feature.shields += u8::from(found.shield);
                    if found.name == Segment::Monastery {
                        feature.tiles_around = self.tiles_around(tile);
                    }
                    let by_edge = found.edges.iter().map(|&edge| (edge, None));
                    let by_half = found.halves.iter().map(|&half| (half / 2, Some(half)));
                    for (edge, half) in by_edge.chain(by_half) {
                        let Some(next) = self.beyond(tile, edge) else {
                            feature.open_ends += u8::from(half.is_none());
                            continue;
                        };
                        let parts = &self.piece(next).parts;
                        let joined = parts.iter().position(|other| match half {
                            Some(half) => other.halves.contains(&MEETS[half]),
                            None => other.edges.contains(&((edge + 2) % 4)),
                        });
                        let joined = joined.expect("the edges match");
                        assert_eq!(sort(parts[joined].name), feature.sort);
                        if self.feature_of[next][joined] == NONE {
                            self.feature_of[next][joined] = number;
                            todo.push((next, joined));
                        }
                    }
                }
                self.features.push(feature);
            }
        }
    }

    fn tiles_around(&self, tile: usize) -> u8 {
        let (x, y) = self.xy(tile);
        let round = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
        let laid = round.filter(|&(x, y)| self.grid[place_of(x, y)].is_some());
        laid.count() as u8 - 1
    }

    fn count_meeples(&mut self) {
        for meeple in &self.view.meeples {
            let feature = self.feature(meeple.cell, meeple.segment).unwrap();
            self.features[feature].meeples[meeple.seat.index()] += 1;
        }
    }

    fn touch_cities(&mut self) {
        for tile in 0..self.view.tiles.len() {
            let parts = &self.piece(tile).parts;
            for (part, found) in parts.iter().enumerate() {
                if !matches!(found.name, Segment::Field(_)) {
                    continue;
                }
                let cell = self.view.tiles[tile].placement.cell;
                let touched = found.cities.iter().map(|&city| self.feature(cell, city).unwrap());
                let complete: Vec<usize> =
                    touched.filter(|&city| self.features[city].open_ends == 0).collect();
                self.features[self.feature_of[tile][part]].cities.extend(complete);
            }
        }
    }

    /// The number of the feature of a segment.
    pub(crate) fn feature(&self, cell: Cell, segment: Segment) -> Option<usize> {
        let tile = self.grid[place_of(cell.x.into(), cell.y.into())]?;
        let parts = &self.piece(tile).parts;
        let part = parts.iter().position(|part| part.name == segment)?;
        Some(self.feature_of[tile][part])
    }

    /// All segments on the table with the numbers of their features.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (usize, Segment, usize)> {
        (0..self.view.tiles.len()).flat_map(move |tile| {
            let parts = self.piece(tile).parts.iter().zip(&self.feature_of[tile]);
            parts.map(move |(part, &feature)| (tile, part.name, feature))
        })
    }

    /// The features of a tile with their first segments.
    pub(crate) fn features_of(&self, tile: usize) -> Vec<(Segment, usize)> {
        let mut found: Vec<(Segment, usize)> = Vec::new();
        for (part, &feature) in self.piece(tile).parts.iter().zip(&self.feature_of[tile]) {
            if found.iter().all(|&(_, other)| other != feature) {
                found.push((part.name, feature));
            }
        }
        found
    }

    /// The expected description of a feature by the rules.
    pub(crate) fn kind(&self, feature: usize) -> FeatureKind {
        let Counted { tiles, open_ends, shields, cities, tiles_around, sort, .. } =
            &self.features[feature];
        let (open_ends, shields) = (*open_ends, *shields);
        let tiles = tiles.len() as u8;
        match sort {
            0 => FeatureKind::Road { open_ends, tiles },
            1 => FeatureKind::City { open_ends, tiles, shields },
            2 => FeatureKind::Monastery { tiles_around: *tiles_around },
            _ => FeatureKind::Field { completed_cities: cities.len() as u8 },
        }
    }

    pub(crate) fn is_complete(&self, feature: usize) -> bool {
        match self.kind(feature) {
            FeatureKind::Road { open_ends, .. } | FeatureKind::City { open_ends, .. } => {
                open_ends == 0
            }
            FeatureKind::Monastery { tiles_around } => tiles_around == 8,
            FeatureKind::Field { .. } => false,
        }
    }

    /// The points of a feature.
    pub(crate) fn points(&self, feature: usize) -> u16 {
        let complete = self.is_complete(feature);
        u16::from(match self.kind(feature) {
            FeatureKind::Road { tiles, .. } => tiles,
            FeatureKind::City { tiles, shields, .. } if complete => 2 * (tiles + shields),
            FeatureKind::City { tiles, shields, .. } => tiles + shields,
            FeatureKind::Monastery { tiles_around } => tiles_around + 1,
            FeatureKind::Field { completed_cities } => 3 * completed_cities,
        })
    }

    /// The features completed by the last tile, by their first segments on it; monasteries by their
    /// own.
    pub(crate) fn completed(&self) -> Vec<(Segment, usize)> {
        let last = self.view.tiles.len() - 1;
        let mut completed = self.features_of(last);
        completed.retain(|&(segment, feature)| {
            self.is_complete(feature) && segment != Segment::Monastery
        });
        let (x, y) = self.xy(last);
        for (tile, segment, feature) in self.segments() {
            let (other_x, other_y) = self.xy(tile);
            let near = (x - other_x).abs() <= 1 && (y - other_y).abs() <= 1;
            if segment == Segment::Monastery && near && self.is_complete(feature) {
                completed.push((segment, feature));
            }
        }
        completed
    }

    /// The lowered drawbridges of a road.
    pub(crate) fn gates(&self, road: usize) -> Vec<Gate> {
        let mut gates: Vec<(Gate, usize)> = Vec::new();
        for tile in 0..self.view.tiles.len() {
            let cell = self.view.tiles[tile].placement.cell;
            let parts = self.piece(tile).parts.iter().zip(&self.feature_of[tile]);
            for (part, _) in parts.filter(|&(_, &feature)| feature == road) {
                for &city in &part.cities {
                    let Segment::City(first) = city else { panic!("{city} has a drawbridge") };
                    let reached = self.feature(cell, city).unwrap();
                    if self.features[reached].open_ends > 0 {
                        gates.push((Gate { cell, city: first }, reached));
                    }
                }
            }
        }
        gates.sort_by_key(|&(gate, _)| gate);
        let mut named: Vec<usize> = Vec::new();
        gates.retain(|&(_, city)| {
            let first = !named.contains(&city);
            named.push(city);
            first
        });
        gates.into_iter().map(|(gate, _)| gate).collect()
    }

    /// All placements of a tile in canonical order.
    pub(crate) fn placements(&self, tile: TileKind) -> Vec<(Cell, Rotation)> {
        let mut fitting = Vec::new();
        let open: BTreeSet<(i32, i32)> = (0..self.view.tiles.len())
            .flat_map(|tile| (0..4).map(move |edge| (tile, edge)))
            .filter(|&(tile, edge)| self.beyond(tile, edge).is_none())
            .map(|(tile, edge)| {
                let (x, y) = self.xy(tile);
                (x + STEPS[edge].0, y + STEPS[edge].1)
            })
            .collect();
        for (x, y) in open {
            for turns in self.pieces.looks(tile) {
                let terrain = &self.pieces.get(tile, turns).terrain;
                let fits = (0..4).all(|edge| {
                    let (dx, dy) = STEPS[edge];
                    let beyond = self.grid[place_of(x + dx, y + dy)];
                    beyond.is_none_or(|other| {
                        self.piece(other).terrain[(edge + 2) % 4] == terrain[edge]
                    })
                });
                if fits {
                    let cell = Cell { x: x as i8, y: y as i8 };
                    fitting.push((cell, Rotation::new(turns as u8).unwrap()));
                }
            }
        }
        fitting
    }
}

fn sort(segment: Segment) -> u8 {
    match segment {
        Segment::Road(_) => 0,
        Segment::City(_) => 1,
        Segment::Monastery => 2,
        Segment::Field(_) => 3,
    }
}

/// The seats with the most meeples; none if there is no meeple.
pub(crate) fn majority(meeples: &[u8; 5]) -> Vec<usize> {
    let most = *meeples.iter().max().unwrap();
    (0..5).filter(|&seat| most > 0 && meeples[seat] == most).collect()
}

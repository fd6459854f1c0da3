//! Matches with tiles in an order named by the test, played in notation.

use bridgemaster_games::carcassonne::{
    Carcassonne, Cell, Config, Decision, Edge, Event, FeatureView, Gate, HalfEdge, Illegal, Meeple,
    Observation, Phase, Segment, Setup, State, TileKind,
};
use bridgemaster_games::{
    ChanceStream, Game, Outcome, Rules, Sample, Seat, SeatCount, Seed, Viewer,
};

use crate::play::seat;

pub(crate) fn cell(x: i8, y: i8) -> Cell {
    Cell { x, y }
}

pub(crate) fn kind(name: &str) -> TileKind {
    TileKind::from_name(name).unwrap()
}

/// Parses a segment such as `road n`.
pub(crate) fn segment(text: &str) -> Segment {
    match format!("meeple {text}").parse().unwrap() {
        Decision::Meeple(Some(segment)) => segment,
        other => panic!("{other} names no segment"),
    }
}

pub(crate) fn half(name: &str) -> HalfEdge {
    HalfEdge::from_name(name).unwrap()
}

pub(crate) fn gate(x: i8, y: i8, city: Edge) -> Gate {
    let cell = cell(x, y);
    Gate { cell, city }
}

/// A match in progress.
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) config: Config,
    pub(crate) state: State,
    /// Events of the last decision, or of the start.
    pub(crate) events: Vec<Event>,
}

impl Position {
    /// A match of two seats, seat 0 first, that starts with the tiles `tiles`.
    pub(crate) fn new(tiles: &str) -> Self {
        Self::with(2, Config::default(), tiles)
    }

    /// A match with this number of seats and this config.
    pub(crate) fn with(seats: u8, config: Config, tiles: &str) -> Self {
        let count = SeatCount::new(seats).unwrap();
        let drawn = Carcassonne::draw_setup(&config, count, &Seed::from(1)).unwrap();
        let setup = Setup { first: seat(0), tiles: reordered(&drawn, tiles).into_iter().collect() };
        let mut events = Vec::new();
        let state = Carcassonne::start(&config, count, &setup, &mut events).unwrap();
        Self { config, state, events }
    }

    pub(crate) fn seat_to_decide(&self) -> Option<Seat> {
        Carcassonne::seats_to_decide(&self.state).iter().next()
    }

    /// Applies decisions in notation, separated by `;`, each of the seat that owes it.
    pub(crate) fn play(mut self, decisions: &str) -> Self {
        for text in decisions.split(';').map(str::trim) {
            let seat = self.seat_to_decide().unwrap();
            let decision = text.parse().unwrap();
            self.events.clear();
            Carcassonne::apply(&mut self.state, seat, &decision, &mut self.events)
                .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        }
        self
    }

    /// The error of a refused decision of the seat that owes one.
    pub(crate) fn refusal(&self, decision: &str) -> Illegal {
        let seat = self.seat_to_decide().unwrap();
        let decision = decision.parse().unwrap();
        let mut after = self.state.clone();
        let applied = Carcassonne::apply(&mut after, seat, &decision, &mut Vec::new());
        assert_eq!(Carcassonne::digest(&after), Carcassonne::digest(&self.state));
        applied.unwrap_err()
    }

    /// The legal decisions of the seat that owes one, in notation.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut list = Vec::new();
        let seat = self.seat_to_decide().unwrap();
        Carcassonne::legal(&self.state, seat, &mut list);
        list.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn view(&self) -> Observation {
        Carcassonne::observe(&self.state, Viewer::Spectator)
    }

    pub(crate) fn feature(&self, x: i8, y: i8, name: &str) -> FeatureView {
        self.state.feature(cell(x, y), segment(name)).unwrap()
    }

    /// The points so far, by seat: roads, cities, monasteries.
    pub(crate) fn points(&self) -> Vec<[u16; 3]> {
        let view = self.view();
        let points = view.seats.iter().map(|seat| seat.points);
        points.map(|points| [points.roads, points.cities, points.monasteries]).collect()
    }

    /// This position with these meeples on the table; the rest are in the supply.
    pub(crate) fn with_meeples(mut self, meeples: &[(u8, i8, i8, &str)]) -> Self {
        let mut view = self.view();
        view.meeples = meeples
            .iter()
            .map(|&(number, x, y, name)| Meeple {
                seat: seat(number),
                cell: cell(x, y),
                segment: segment(name),
            })
            .collect();
        let tiles: Vec<_> = view.tiles.iter().map(|laid| laid.placement.cell).collect();
        view.meeples.sort_by_key(|meeple| {
            let tile = tiles.iter().position(|&cell| cell == meeple.cell);
            (tile, meeple.segment, meeple.seat)
        });
        for (number, player) in view.seats.iter_mut().enumerate() {
            let own = meeples.iter().filter(|meeple| usize::from(meeple.0) == number);
            player.supply = 7 - own.count() as u8;
        }
        self.state = resampled(&self.config, &view);
        self
    }

    /// The end of the match: the tile of the turn and all others leave the game.
    pub(crate) fn ended(mut self) -> Outcome {
        let mut view = self.view();
        if let Phase::PlaceTile { tile } = view.phase {
            view.removed.push(tile);
        }
        for tile in TileKind::all() {
            let left = std::mem::take(&mut view.unseen[tile.index()]);
            view.removed.extend((0..left).map(|_| tile));
        }
        view.phase = Phase::Over;
        self.state = resampled(&self.config, &view);
        Carcassonne::outcome(&self.state).unwrap()
    }
}

/// A sampled state that fits an observation.
pub(crate) fn resampled(config: &Config, view: &Observation) -> State {
    let mut chance = ChanceStream::new(&Seed::from(1), 1_000_000);
    Carcassonne::sample_state(config, view, &mut chance).unwrap()
}

/// The tiles of a setup, with the named ones first.
fn reordered(setup: &Setup, first: &str) -> Vec<TileKind> {
    let mut rest: Vec<TileKind> = setup.tiles.to_vec();
    rest.sort_unstable();
    let mut tiles: Vec<TileKind> = Vec::new();
    for name in first.split_ascii_whitespace() {
        let place = rest.iter().position(|&tile| tile == kind(name)).unwrap();
        tiles.push(rest.remove(place));
    }
    tiles.extend(rest);
    tiles
}

/// The lines of a breakdown that have points, as (category, points).
pub(crate) fn lines(outcome: &Outcome, seat: usize) -> Vec<(&'static str, i32)> {
    let lines = outcome.seats[seat].breakdown.iter();
    lines.filter(|line| line.points != 0).map(|line| (line.category, line.points)).collect()
}

//! Rare events, both ends of every range, and message sizes.

use bridgemaster_games::{
    Seat, SeatCount, SeatSet, Viewer,
    carcassonne::{
        Carcassonne, Cell, Config, Crossing, Decision, Edge, Event, Gate, HalfEdge, LaidTile,
        MAX_COORDINATE, MAX_DRAWS, MAX_POINTS, MAX_TILES, Meeple, Observation, Phase, Placement,
        Points, Rotation, SeatView, Segment, TileKind,
    },
};
use bridgemaster_proto::games::WireGame;
use prost::Message;

use crate::random_match::play;

/// Two corners of the plane, and the start.
fn cells() -> [Cell; 3] {
    let (low, high) = (-MAX_COORDINATE, MAX_COORDINATE);
    [(low, high), (high, low), (0, 0)].map(|(x, y)| Cell { x, y })
}

fn segments() -> impl Iterator<Item = Segment> {
    let roads = Edge::ALL.into_iter().map(Segment::Road);
    let cities = Edge::ALL.into_iter().map(Segment::City);
    let fields = HalfEdge::ALL.into_iter().map(Segment::Field);
    roads.chain(cities).chain([Segment::Monastery]).chain(fields)
}

/// Every form of decision, in the corners of the plane.
pub(super) fn decisions() -> Vec<Decision> {
    let place = |cell| Rotation::ALL.map(|rotation| Decision::Place(Placement { cell, rotation }));
    let gates = |cell| Edge::ALL.map(|city| Decision::Drawbridge(Some(Gate { cell, city })));
    cells()
        .into_iter()
        .flat_map(|cell| place(cell).into_iter().chain(gates(cell)))
        .chain(segments().map(|segment| Decision::Meeple(Some(segment))))
        .chain([Decision::Meeple(None), Decision::Drawbridge(None)])
        .collect()
}

/// Events at both ends of their ranges.
pub(super) fn events() -> Vec<Event> {
    let [first, last] = [0, 4].map(|number| Seat::new(number).unwrap());
    let all = SeatSet::all(SeatCount::new(5).unwrap());
    let tiles = TileKind::all().flat_map(|tile| {
        [Event::TileDrawn { seat: first, tile }, Event::TileRemoved { seat: last, tile }]
    });
    let scored = segments().zip(cells().into_iter().cycle()).flat_map(|(segment, cell)| {
        [(0, SeatSet::EMPTY, true), (MAX_POINTS, all, false)].map(|(points, seats, completed)| {
            Event::Scored { cell, segment, completed, points, seats }
        })
    });
    let bridges = Edge::ALL.into_iter().flat_map(|edge| {
        let [_, cell, _] = cells();
        let gate = Gate { cell, city: edge };
        [
            Event::DrawbridgeDown { seat: first, cell, road: edge, meeples: 1 },
            Event::DrawbridgeDown { seat: last, cell, road: edge, meeples: 7 },
            Event::MeepleSent { seat: last, gate },
        ]
    });
    let rest =
        [Event::MeepleTakenHome { seat: last }, Event::MeepleKept { seat: last }, Event::GameEnded];
    tiles.chain(scored).chain(bridges).chain(rest).collect()
}

/// The largest well-formed observation.
pub(super) fn largest() -> Observation {
    let seat = Seat::new(4).unwrap();
    let [cell, ..] = cells();
    let crossing = Crossing { road: Edge::West, seat, meeples: 7 };
    let view = SeatView {
        supply: 7,
        points: Points { roads: MAX_POINTS, cities: MAX_POINTS, monasteries: MAX_POINTS },
    };
    let last = TileKind::all().next_back().unwrap();
    let laid = LaidTile { tile: last, placement: Placement { cell, rotation: Rotation::ALL[3] } };
    let meeple = Meeple { seat, cell, segment: Segment::Field(HalfEdge::WestRight) };
    Observation {
        viewer: Viewer::Seat(seat),
        turn: seat,
        phase: Phase::Drawbridge { crossings: [crossing; 4].into() },
        seats: std::iter::repeat_n(view, 5).collect(),
        tiles: [laid; MAX_TILES].into(),
        meeples: [meeple; 35].into(),
        removed: [last; MAX_DRAWS].into(),
        unseen: [9; 36],
    }
}

/// The maximum size of an observation with five seats, in bytes.
const MAX_OBSERVATION_BYTES: usize = 1280;
/// The maximum number of bytes that a decision adds to a legal list, including tag and length.
const MAX_LISTED_BYTES: usize = 14;
/// The maximum size of a config with the built-in edition, in bytes. Each seat gets the config
/// once.
const MAX_CONFIG_BYTES: usize = 2048;

#[test]
fn messages_of_a_table_of_five_stay_small() {
    for seed in 0..20 {
        let config = Config::default();
        let check = |observation: &Observation| {
            let bytes = Carcassonne::observation_to_wire(observation).encoded_len();
            assert!(bytes <= MAX_OBSERVATION_BYTES, "observation of {bytes} bytes");
        };
        let played = play::<Carcassonne>(&config, 5, seed, |step| {
            check(step.observation);
            for decision in step.legal {
                let bytes = Carcassonne::decision_to_wire(decision).encoded_len() + 2;
                assert!(bytes <= MAX_LISTED_BYTES, "{decision} takes {bytes} bytes");
            }
        });
        check(&played.end);
    }
    let bytes = Carcassonne::config_to_wire(&Config::default()).encoded_len();
    assert!(bytes <= MAX_CONFIG_BYTES, "config of {bytes} bytes");
}

//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use std::collections::HashSet;

use bridgemaster_games::carcassonne::{
    Carcassonne, Cell, Config, Crossing, Edge, HalfEdge, Meeple, Observation, Phase, Rotation,
    Segment, Setup, State, TileKind,
};
use bridgemaster_games::{
    ChanceStream, Game, NoEvents, Rules, Sample, Seat, SeatCount, Seed, Show, Viewer,
};

use crate::position::{Position, kind, resampled, seat};

fn any_segment(chance: &mut ChanceStream) -> Segment {
    let edge = Edge::ALL[chance.below(4) as usize];
    match chance.below(4) {
        0 => Segment::Road(edge),
        1 => Segment::City(edge),
        2 => Segment::Monastery,
        _ => Segment::Field(HalfEdge::ALL[chance.below(8) as usize]),
    }
}

/// Changes one random field of an observation.
fn mutate(view: &mut Observation, chance: &mut ChanceStream) {
    let random_seat = Seat::new(chance.below(8) as u8).unwrap();
    let tile = TileKind::new(chance.below(36) as u8).unwrap();
    let place = chance.below(view.tiles.len() as u32) as usize;
    let player = chance.below(view.seats.len() as u32) as usize;
    let number = chance.below(9) as u8;
    let segment = any_segment(chance);
    let crossing = Crossing {
        road: Edge::ALL[chance.below(4) as usize],
        seat: random_seat,
        meeples: number,
    };
    let meeple = Meeple {
        seat: random_seat,
        cell: view.tiles[place].placement.cell,
        segment,
    };
    match chance.below(20) {
        0 => view.viewer = Viewer::Seat(random_seat),
        1 => view.turn = random_seat,
        2 => view.phase = Phase::PlaceTile { tile },
        3 => view.phase = Phase::PlaceMeeple,
        4 => view.phase = Phase::Over,
        5 => {
            let crossings = [crossing].into_iter().collect();
            view.phase = Phase::Drawbridge { crossings };
        }
        6 => view.seats[player].supply = number,
        7 => view.seats[player].points.cities = u16::from(number) * 1000,
        8 => view.tiles[place].tile = tile,
        9 => view.tiles[place].placement.rotation = Rotation::new(number % 4).unwrap(),
        10 => {
            view.tiles[place].placement.cell = Cell {
                x: chance.below(256) as u8 as i8,
                y: chance.below(256) as u8 as i8,
            };
        }
        11 => view.tiles.truncate(place.max(1)),
        12 => {
            let other = chance.below(view.tiles.len() as u32) as usize;
            view.tiles.swap(place, other);
        }
        13 => drop(view.meeples.try_push(meeple)),
        14 => {
            // A meeple moves out of the supply.
            if view.meeples.try_push(meeple).is_ok()
                && let Some(owner) = view.seats.get_mut(random_seat.index())
            {
                owner.supply = owner.supply.wrapping_sub(1);
            }
        }
        15 => drop(view.meeples.pop()),
        16 => drop(view.removed.try_push(tile)),
        17 => view.unseen[tile.index()] = number * 30,
        18 => {
            if let Some(first) = view.meeples.first_mut() {
                first.segment = segment;
            }
        }
        _ => view.seats.truncate(player.max(1)),
    }
}

/// Plays a match to its end with uniform random decisions.
fn finish(state: &mut State, chance: &mut ChanceStream) {
    let mut list = Vec::new();
    while let Some(player) = Carcassonne::seats_to_decide(state).iter().next() {
        Carcassonne::legal(state, player, &mut list);
        assert!(
            !list.is_empty(),
            "seat {player} owes a decision and has none"
        );
        let choice = &list[chance.below(list.len() as u32) as usize];
        Carcassonne::apply(state, player, choice, &mut NoEvents).unwrap();
    }
    assert!(Carcassonne::outcome(state).is_some());
}

#[test]
fn an_altered_observation_is_refused_or_plays_on_without_a_panic() {
    let config = Config::default();
    let (mut refused, mut sampled) = (0, 0);
    for seed in 0..60u64 {
        let seats = SeatCount::new(2 + (seed % 4) as u8).unwrap();
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1_000_000);
        let setup = Carcassonne::draw_setup(&config, seats, &seed).unwrap();
        let mut state = Carcassonne::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut list = Vec::new();
        while let Some(player) = Carcassonne::seats_to_decide(&state).iter().next() {
            for _ in 0..3 {
                let mut view = Carcassonne::observe(&state, Viewer::Seat(player));
                for _ in 0..1 + chance.below(2) {
                    mutate(&mut view, &mut chance);
                }
                let mut text = String::new();
                Carcassonne::render(&config, &view, &mut text).unwrap();
                match Carcassonne::sample_state(&config, &view, &mut chance) {
                    Err(error) => {
                        assert!(error.to_string().contains(": "), "{error} names no field");
                        refused += 1;
                    }
                    Ok(mut other) => {
                        assert_eq!(Carcassonne::observe(&other, view.viewer), view);
                        finish(&mut other, &mut chance);
                        sampled += 1;
                    }
                }
            }
            Carcassonne::legal(&state, player, &mut list);
            let choice = &list[chance.below(list.len() as u32) as usize];
            Carcassonne::apply(&mut state, player, choice, &mut NoEvents).unwrap();
        }
    }
    assert!(
        refused > 10_000 && sampled > 1_000,
        "{refused} refused, {sampled} sampled"
    );
}

#[test]
fn a_fact_that_no_match_shows_is_refused_with_its_field() {
    let refused = |position: &Position, alter: &dyn Fn(&mut Observation)| {
        let mut view = position.view();
        alter(&mut view);
        let mut chance = ChanceStream::new(&Seed::from(1), 1_000_000);
        let sampled = Carcassonne::sample_state(&position.config, &view, &mut chance);
        sampled.unwrap_err().to_string()
    };
    let road = Position::new("D6 A U").play("place -1 0 0; meeple road e; place 1 0 1");
    let waiting = road.clone().play("meeple none");
    let field = "seats[0].supply: must be seven with meeples on the table and in crossings";
    assert_eq!(refused(&road, &|view| view.seats[0].supply = 7), field);
    assert_eq!(
        refused(&road, &|view| view.seats[1].points.cities = 2000),
        "seats[1].points: exceed the maximum points of a match"
    );
    assert_eq!(
        refused(&road, &|view| view.turn = seat(2)),
        "turn: is a seat that is not at the table"
    );
    assert_eq!(
        refused(&road, &|view| view.tiles[1].placement.cell.y = 1),
        "tiles[1]: does not fit in its cell, or has a rotation equivalent to a smaller one"
    );
    assert_eq!(
        refused(&road, &|view| _ = view.tiles.remove(0)),
        "unseen[3]: the observation has 3 tiles of kind D, not 4"
    );
    assert_eq!(
        refused(&road, &|view| view.tiles.swap(0, 1)),
        "tiles[0]: is not the start tile"
    );
    assert_eq!(
        refused(&Position::new("E"), &|view| {
            view.tiles.clear();
            view.unseen[TileKind::START.index()] += 1;
        }),
        "tiles[0]: is not the start tile"
    );
    assert_eq!(
        refused(&road, &|view| view.meeples[0].segment = Segment::Monastery),
        "meeples[0].segment: the tile has no monastery"
    );
    assert_eq!(
        refused(&road, &|view| view.meeples[0].cell.y = 4),
        "meeples[0].cell: has no tile"
    );
    let alter_crossing = |alter: &dyn Fn(&mut Crossing)| {
        refused(&waiting, &|view| {
            if let Phase::Drawbridge { crossings } = &mut view.phase {
                alter(&mut crossings[0]);
            }
        })
    };
    assert_eq!(
        alter_crossing(&|crossing| crossing.meeples = 0),
        "phase.crossings[0].meeples: 0 is out of range (1..=7)"
    );
    assert_eq!(
        refused(&waiting, &|view| {
            view.phase = Phase::Drawbridge {
                crossings: [].into_iter().collect(),
            };
            view.seats[0].supply = 7;
        }),
        "phase.crossings: is empty"
    );
    assert_eq!(
        refused(&Position::new("E"), &|view| {
            view.phase = Phase::PlaceTile { tile: kind("A") };
        }),
        "unseen[0]: the observation has 3 tiles of kind A, not 2"
    );
}

#[test]
fn what_the_last_tile_completed_keeps_its_meeples_until_it_is_scored() {
    let monastery = Position::new("B U U E E E E E").play(
        "place 0 1 0; meeple monastery; place -1 0 0; meeple none; place 1 0 0; meeple none; \
         place -1 1 3; meeple none; place 1 1 1; meeple none; place 0 2 2; meeple none; \
         place -1 2 3; meeple none; place 1 2 1",
    );
    let road = Position::new("D6 A").play("place -1 0 0; meeple road e; place 1 0 1");
    for (mut position, points) in [(monastery, [0, 0, 9]), (road, [3, 0, 0])] {
        assert_eq!(position.view().meeples.len(), 1);
        position.state = resampled(&position.config, &position.view());
        assert_eq!(position.play("meeple none").points()[0], points);
    }
}

#[test]
fn the_order_of_the_tiles_to_come_is_hidden() {
    let config = Config::default();
    let seats = SeatCount::new(2).unwrap();
    let setup = Carcassonne::draw_setup(&config, seats, &Seed::from(5)).unwrap();
    let mut tiles: Vec<TileKind> = setup.tiles.to_vec();
    tiles[1..].reverse();
    let reversed = Setup {
        tiles: tiles.into_iter().collect(),
        ..setup.clone()
    };
    let view = |setup: &Setup| {
        let state = Carcassonne::start(&config, seats, setup, &mut NoEvents).unwrap();
        let digest = Carcassonne::digest(&state);
        (Carcassonne::observe(&state, Viewer::Spectator), digest)
    };
    assert_eq!(view(&setup).0, view(&reversed).0);
    assert_ne!(view(&setup).1, view(&reversed).1);
}

#[test]
fn sampling_draws_every_tile_to_come_about_equally_often() {
    let position = Position::new("U").play("place 1 0 0");
    let view = position.view();
    let mut chance = ChanceStream::new(&Seed::from(9), 1_000_000);
    let mut next = [0u32; 36];
    let mut digests = HashSet::new();
    for _ in 0..8200 {
        let mut state = Carcassonne::sample_state(&position.config, &view, &mut chance).unwrap();
        digests.insert(Carcassonne::digest(&state));
        let decision = "meeple none".parse().unwrap();
        Carcassonne::apply(&mut state, seat(0), &decision, &mut NoEvents).unwrap();
        if let Phase::PlaceTile { tile } = Carcassonne::observe(&state, Viewer::Spectator).phase {
            next[tile.index()] += 1;
        }
    }
    assert_eq!(digests.len(), 8200);
    // All 82 undrawn tiles fit somewhere.
    for tile in TileKind::all() {
        let expected = 100 * u32::from(view.unseen[tile.index()]);
        let found = next[tile.index()];
        assert!(
            found.abs_diff(expected) <= 50 + expected / 8,
            "{tile}: {found} of {expected}"
        );
    }
}

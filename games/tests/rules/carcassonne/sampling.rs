//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use std::collections::HashSet;

use bridgemaster_games::carcassonne::{
    Carcassonne, Crossing, Observation, Phase, Segment, TileKind,
};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Rules, Sample, Seed, Viewer};

use crate::carcassonne::position::{Position, kind, resampled};
use crate::play::seat;

#[test]
fn an_impossible_observation_is_refused_with_its_field() {
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
    refused! { refused:
        &road, &|view| view.seats[0].supply = 7 => field,
        &road, &|view| view.seats[1].points.cities = 2000
            => "seats[1].points: exceed the maximum points of a match",
        &road, &|view| view.turn = seat(2) => "turn: is a seat that is not at the table",
        &road, &|view| view.tiles[1].placement.cell.y = 1
            => "tiles[1]: does not fit in its cell, or has a rotation equivalent to a smaller one",
        &road, &|view| _ = view.tiles.remove(0)
            => "unseen[3]: the observation has 3 tiles of kind D, not 4",
        &road, &|view| view.tiles.swap(0, 1) => "tiles[0]: is not the start tile",
        &Position::new("E"), &|view| {
            view.tiles.clear();
            view.unseen[TileKind::START.index()] += 1;
        } => "tiles[0]: is not the start tile",
        &road, &|view| view.meeples[0].segment = Segment::Monastery
            => "meeples[0].segment: the tile has no monastery",
        &road, &|view| view.meeples[0].cell.y = 4 => "meeples[0].cell: has no tile",
    }
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
    refused! { refused:
        &waiting, &|view| {
            view.phase = Phase::Drawbridge {
                crossings: [].into_iter().collect(),
            };
            view.seats[0].supply = 7;
        } => "phase.crossings: is empty",
        &Position::new("E"), &|view| {
            view.phase = Phase::PlaceTile { tile: kind("A") };
        } => "unseen[0]: the observation has 3 tiles of kind A, not 2",
    }
}

#[test]
fn features_that_the_last_tile_completes_are_scored_after_sampling() {
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
        assert!(found.abs_diff(expected) <= 50 + expected / 8, "{tile}: {found} of {expected}");
    }
}

//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use crate::old_london_bridge::position::Position;
use crate::play::{assert_fit, drawn, sample_error, seat};
use bridgemaster_games::Viewer;
use bridgemaster_games::old_london_bridge::{
    Face, Observation, OldLondonBridge, TileKind, TurnStep,
};

fn altered(change: impl FnOnce(&mut Observation)) -> String {
    let Position { config, mut view } = Position::new(4);
    change(&mut view);
    sample_error::<OldLondonBridge>(&config, &view)
}

#[test]
fn a_refused_observation_names_its_field() {
    refused! { altered:
        |view| view.seats.clear() => "seats: must have an entry for each seat of a match",
        |view| view.seats.truncate(1) => "seats: 1 is out of range (2..=4)",
        |view| view.viewer = Viewer::Seat(seat(4)) => "viewer: is a seat that is not at the table",
        |view| view.faces[1] = Face::TileTable
            => "faces.gate: is tile_table, but the config has gate_track",
        |view| view.rounds = 6
            => "rounds: \"6\" contradicts the other fields, which require \"12\"",
        |view| view.seats[2].money = -1 => "seats[2].money: is out of range (0..=1000000)",
        |view| view.supply[3] = 0
            => "supply[3]: with hands and played cards is not the number in the box",
    }
    let swapped = altered(|view| view.stacks[1].unseen.swap(0, 1));
    assert!(swapped.starts_with("stacks[1].unseen[0]"), "{swapped}");
}

#[test]
fn buildings_below_a_top_are_drawn_uniformly() {
    let start = Position::new(4).supplied();
    let unseen = start.view.stacks[0].unseen.clone();
    let first = start.view.chapel_order[0].number();
    let plays = [(0, "play 0"), (1, "play 0"), (2, "play 0"), (3, "play 0")];
    let decisions = [&plays[..], &[(first, "place centre chapel")]].concat();
    let counts = drawn::<OldLondonBridge, 11>(&start.config, &start.view, &decisions, |view| {
        let top = view.stacks[0].top.unwrap();
        unseen.iter().position(|&other| other == top).unwrap()
    });
    assert_fit(counts, [1; 11]);
}

#[test]
fn bonus_tiles_below_the_open_one_are_drawn_uniformly() {
    let start = Position::new(4)
        .tiles(0, &[TileKind::GatePlus2])
        .gate(&[2, 0, 0, 0])
        .turn(&[(0, 4), (1, 0), (2, 0), (3, 0)], 0)
        .supplied();
    let unseen = start.view.bonus_stacks[1].unseen.clone();
    let decisions = [(0, "use gate_plus_2"), (0, "take_tile 1")];
    let counts = drawn::<OldLondonBridge, 7>(&start.config, &start.view, &decisions, |view| {
        let tile = view.bonus_stacks[1].face_up.unwrap();
        unseen.iter().position(|&other| other == tile).unwrap()
    });
    assert_fit(counts, [1; 7]);
}

#[test]
fn later_markers_are_drawn_from_all_that_no_round_has_revealed() {
    let start = Position::new(4)
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3)
        .step(3, TurnStep::Finish)
        .supplied();
    let counts = drawn::<OldLondonBridge, 3>(&start.config, &start.view, &[(3, "end")], |view| {
        usize::from(view.marker) - 1
    });
    assert_fit(counts, start.view.unseen_markers);
}

#[test]
fn unrevealed_choices_of_other_seats_are_drawn_from_all_legal_ones() {
    let mut start = Position::new(4).supplied();
    start.seat(1).has_chosen = true;
    let decisions = [(0, "play 0"), (2, "play 0"), (3, "play 0")];
    let counts = drawn::<OldLondonBridge, 5>(&start.config, &start.view, &decisions, |view| {
        usize::from(view.seats[1].played.unwrap().first)
    });
    assert_fit(counts, [1; 5]);
}

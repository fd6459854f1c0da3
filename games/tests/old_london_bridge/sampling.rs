//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use crate::position::{Position, seat};
use bridgemaster_games::old_london_bridge::{
    Face, Observation, OldLondonBridge, TileKind, TurnStep,
};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Sample, Seed, Viewer};

fn sample_error(change: impl FnOnce(&mut Observation)) -> String {
    let Position { config, mut view } = Position::new(4);
    change(&mut view);
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let sampled = OldLondonBridge::sample_state(&config, &view, &mut chance);
    sampled.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_refused_observation_names_its_field() {
    refused! { sample_error:
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
    let swapped = sample_error(|view| view.stacks[1].unseen.swap(0, 1));
    assert!(swapped.starts_with("stacks[1].unseen[0]"), "{swapped}");
}

/// Samples `view` 1400 times, continues each state with decisions in notation, and counts the
/// revealed items by the index that `shown` assigns to them.
fn drawn<const N: usize>(
    Position { config, view }: &Position,
    decisions: &[(u8, &str)],
    shown: impl Fn(&Observation) -> usize,
) -> [u32; N] {
    let mut chance = ChanceStream::new(&Seed::from(9), 0);
    let mut counts = [0; N];
    for _ in 0..1400 {
        let mut state = OldLondonBridge::sample_state(config, view, &mut chance).unwrap();
        for (number, text) in decisions {
            let decision = text.parse().unwrap();
            OldLondonBridge::apply(&mut state, seat(*number), &decision, &mut NoEvents).unwrap();
        }
        counts[shown(&OldLondonBridge::observe(&state, Viewer::Spectator))] += 1;
    }
    counts
}

/// True if counts of 1400 draws fit their shares of the whole within 4 standard deviations.
fn fit<const N: usize>(counts: [u32; N], shares: [u8; N]) -> bool {
    let whole: f64 = shares.iter().copied().map(f64::from).sum();
    counts.iter().zip(shares).all(|(&count, share)| {
        let share = f64::from(share) / whole;
        let deviation = (1400.0 * share * (1.0 - share)).sqrt();
        (f64::from(count) - 1400.0 * share).abs() <= 4.0 * deviation
    })
}

#[test]
fn buildings_below_a_top_are_drawn_uniformly() {
    let start = Position::new(4).supplied();
    let unseen = start.view.stacks[0].unseen.clone();
    let first = start.view.chapel_order[0].number();
    let plays = [(0, "play 0"), (1, "play 0"), (2, "play 0"), (3, "play 0")];
    let decisions = [&plays[..], &[(first, "place centre chapel")]].concat();
    let counts: [u32; 11] = drawn(&start, &decisions, |view| {
        let top = view.stacks[0].top.unwrap();
        unseen.iter().position(|&other| other == top).unwrap()
    });
    assert!(fit(counts, [1; 11]), "{counts:?}");
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
    let counts: [u32; 7] = drawn(&start, &decisions, |view| {
        let tile = view.bonus_stacks[1].face_up.unwrap();
        unseen.iter().position(|&other| other == tile).unwrap()
    });
    assert!(fit(counts, [1; 7]), "{counts:?}");
}

#[test]
fn later_markers_are_drawn_from_all_that_no_round_has_revealed() {
    let start = Position::new(4)
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3)
        .step(3, TurnStep::Finish)
        .supplied();
    let counts: [u32; 3] = drawn(&start, &[(3, "end")], |view| usize::from(view.marker) - 1);
    assert!(fit(counts, start.view.unseen_markers), "{counts:?}");
}

#[test]
fn unrevealed_choices_of_other_seats_are_drawn_from_all_legal_ones() {
    let mut start = Position::new(4).supplied();
    start.seat(1).has_chosen = true;
    let decisions = [(0, "play 0"), (2, "play 0"), (3, "play 0")];
    let counts: [u32; 5] =
        drawn(&start, &decisions, |view| usize::from(view.seats[1].played.unwrap().first));
    assert!(fit(counts, [1; 5]), "{counts:?}");
}

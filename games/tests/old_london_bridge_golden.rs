//! Golden playthroughs: one readable transcript a seat count, compared to the last byte. They pin
//! chance, setup, rules, canonical order, notation, event texts and digests.
//!
//! After an intended change, `BLESS=1 cargo test -p bridgemaster-games --test old_london_bridge_golden`
//! writes them anew; whoever does so reads the difference, and raises `RULES_VERSION` where equal
//! decisions now lead to another state.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use bridgemaster_games::old_london_bridge::{
    Config, Face, FaceChoice, Observation, OldLondonBridge,
};
use bridgemaster_games::{ChanceStream, Game, SeatCount, Seed, Viewer};

/// What each seat has, and what lies on the board.
fn write_board(text: &mut String, view: &Observation) {
    for (number, seat) in view.seats.iter().enumerate() {
        let bridge: Vec<String> = seat
            .bridge
            .iter()
            .map(|building| {
                building
                    .number
                    .map_or("park".to_owned(), |number| number.to_string())
            })
            .collect();
        writeln!(
            text,
            "  seat {number}: £{} hand {:?} chapel {} gate {} tiles {:?} bridge [{}]",
            seat.money,
            seat.hand,
            seat.chapel_position,
            seat.gate_position,
            seat.tiles,
            bridge.join(" ")
        )
        .unwrap();
    }
    let tops: Vec<String> = view
        .stacks
        .iter()
        .map(|stack| {
            stack
                .top
                .map_or(format!("no {}", stack.kind), |top| top.to_string())
        })
        .collect();
    writeln!(text, "  tops: {}", tops.join(", ")).unwrap();
    let tiles: Vec<&str> = view
        .bonus_stacks
        .iter()
        .map(|stack| stack.face_up.map_or("none", |tile| tile.name()))
        .collect();
    writeln!(
        text,
        "  tiles: {}; supply {:?}",
        tiles.join(", "),
        view.supply
    )
    .unwrap();
}

fn transcript(seats: u8, faces: [FaceChoice; 4]) -> String {
    let count = SeatCount::new(seats).unwrap();
    let seed: Seed = "golden".parse().unwrap();
    let config = Config {
        faces,
        ..Config::default()
    };
    let setup = OldLondonBridge::draw_setup(&config, count, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = OldLondonBridge::start(&config, count, &setup, &mut events).unwrap();
    let mut chance = ChanceStream::new(&seed, 1000);
    let mut text = format!(
        "seed golden, {seats} seats, faces {}\n",
        setup.faces.map(|face| face.name()).join(", ")
    );
    let (mut list, mut round_shown) = (Vec::new(), None);
    loop {
        events
            .drain(..)
            .for_each(|event| writeln!(text, "  {event}").unwrap());
        let view = OldLondonBridge::observe(&state, Viewer::Spectator);
        if round_shown != Some(view.round) {
            round_shown = Some(view.round);
            write_board(&mut text, &view);
        }
        writeln!(text, "digest {}", OldLondonBridge::digest(&state)).unwrap();
        let Some(seat) = OldLondonBridge::owing(&state).iter().next() else {
            break;
        };
        OldLondonBridge::legal(&state, seat, &mut list);
        let decision = list[chance.below(list.len() as u32) as usize];
        let names: Vec<String> = list.iter().map(ToString::to_string).collect();
        writeln!(text, "seat {seat} may: {}", names.join("; ")).unwrap();
        writeln!(text, "seat {seat}: {decision}").unwrap();
        OldLondonBridge::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    write_board(
        &mut text,
        &OldLondonBridge::observe(&state, Viewer::Spectator),
    );
    for (number, seat) in OldLondonBridge::outcome(&state)
        .unwrap()
        .seats
        .iter()
        .enumerate()
    {
        let lines: Vec<String> = seat
            .breakdown
            .iter()
            .map(|line| format!("{} {}", line.category, line.points))
            .collect();
        let (place, score) = (seat.place, seat.score);
        writeln!(
            text,
            "seat {number}: place {place}, £{score}: {}",
            lines.join(", ")
        )
        .unwrap();
    }
    text
}

fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (number, (found, expected)) in text.lines().zip(golden.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {}", number + 1);
    }
    assert_eq!(text.len(), golden.len(), "{name} has another length");
}

#[test]
fn a_match_of_two_seats_with_random_faces_is_as_pinned() {
    compare("two_seats.txt", &transcript(2, [FaceChoice::Random; 4]));
}

#[test]
fn a_match_of_three_seats_with_faces_that_pay_each_round_is_as_pinned() {
    let faces = [
        Face::ChapelLeader,
        Face::GateLeader,
        Face::HighestCard,
        Face::LowestNumber,
    ];
    compare(
        "three_seats.txt",
        &transcript(3, faces.map(FaceChoice::Face)),
    );
}

#[test]
fn a_base_match_of_four_seats_is_as_pinned() {
    compare("four_seats.txt", &transcript(4, Config::default().faces));
}

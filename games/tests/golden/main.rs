//! Golden playthroughs: readable transcripts, compared to the last byte. They pin chance, setup,
//! rules, canonical order, notation, event texts, the text view and digests.
//!
//! After an intended change, `BLESS=1 cargo test -p bridgemaster-games --test golden` writes them
//! anew; whoever does so reads the difference, and raises `RULES_VERSION` where equal decisions
//! now lead to another state.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "BLESS=1 asks to write files anew"
)]

use std::fmt::Write;
use std::path::Path;

use bridgemaster_games::alhambra::Alhambra;
use bridgemaster_games::bridges_to_nowhere::BridgesToNowhere;
use bridgemaster_games::carcassonne::Carcassonne;
use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_games::{ChanceStream, Game, SeatCount, Seed, Viewer, settle};

/// The table is shown at the start, after each so many decisions, and at the end.
const DECISIONS_A_TABLE: usize = 20;
/// Legal decisions that are written out; of the others there is the number.
const DECISIONS_SHOWN: usize = 12;

/// Plays a match of uniform random decisions and tells all of it.
fn transcript<G: Game>(seats: u8, options: &[(&str, &str)]) -> String {
    let count = SeatCount::new(seats).unwrap();
    let seed: Seed = "golden".parse().unwrap();
    let mut config = G::Config::default();
    let mut text = format!("{}, seed {seed}, {seats} seats\n", G::NAME);
    for (name, value) in options {
        G::set_option(&mut config, name, value).unwrap();
        writeln!(text, "{name} {value}").unwrap();
    }
    let setup = G::draw_setup(&config, count, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = G::start(&config, count, &setup, &mut events).unwrap();
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let mut list = Vec::new();
    for decisions in 0.. {
        settle::<G>(&mut state, &mut chance, &mut events);
        for event in events.drain(..) {
            writeln!(text, "  {event}").unwrap();
        }
        let owing: Vec<_> = G::owing(&state).iter().collect();
        if decisions % DECISIONS_A_TABLE == 0 || owing.is_empty() {
            let view = G::observe(&state, Viewer::Spectator);
            G::render(&config, &view, &mut text).unwrap();
        }
        writeln!(text, "digest {}", G::digest(&state)).unwrap();
        if owing.is_empty() {
            break;
        }
        let seat = owing[chance.below(owing.len() as u32) as usize];
        G::legal(&state, seat, &mut list);
        let mut names: Vec<String> = list.iter().map(ToString::to_string).collect();
        if names.len() > DECISIONS_SHOWN {
            names.truncate(DECISIONS_SHOWN - 1);
            names.push(format!(
                "... {} in all, last {}",
                list.len(),
                list[list.len() - 1]
            ));
        }
        let decision = list[chance.below(list.len() as u32) as usize].clone();
        writeln!(text, "seat {seat} may: {}", names.join("; ")).unwrap();
        writeln!(text, "seat {seat}: {decision}").unwrap();
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    for (number, seat) in G::outcome(&state).unwrap().seats.iter().enumerate() {
        let lines: Vec<String> = seat
            .breakdown
            .iter()
            .map(|line| format!("{} {}", line.category, line.points))
            .collect();
        let (place, score) = (seat.place, seat.score);
        let lines = lines.join(", ");
        writeln!(text, "seat {number}: place {place}, score {score}: {lines}").unwrap();
    }
    text
}

/// Compares a match with its file below the folder of its game.
fn check<G: Game>(name: &str, seats: u8, options: &[(&str, &str)]) {
    let text = transcript::<G>(seats, options);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(G::ID)
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (number, (found, expected)) in text.lines().zip(golden.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {}", number + 1);
    }
    assert_eq!(text.len(), golden.len(), "{name} has another length");
}

macro_rules! golden {
    ($($module:ident: $game:ident { $($name:ident: $seats:literal $options:expr;)* })*) => {
        $(mod $module {
            use super::*;
            $(#[test]
            fn $name() {
                check::<$game>(concat!(stringify!($name), ".txt"), $seats, &$options);
            })*
        })*
    };
}

golden! {
    alhambra: Alhambra {
        two_seats_with_the_dummy: 2 [];
        three_seats_of_the_other_scoring: 3 [("without-buildings", "place")];
        six_seats: 6 [];
    }
    bridges_to_nowhere: BridgesToNowhere {
        a_match_for_two_contracts: 2 [];
        a_single_game_without_a_contract: 2 [("contracts", "off"), ("games", "1")];
    }
    carcassonne: Carcassonne {
        two_seats_with_drawbridges: 2 [];
        three_seats_without_drawbridges: 3 [("drawbridges", "off")];
        five_seats_without_fields: 5 [("fields", "off")];
    }
    old_london_bridge: OldLondonBridge {
        two_seats_with_random_faces: 2 [("faces", "random")];
        three_seats_with_faces_that_pay_each_round: 3 [
            ("faces", "chapel_leader,gate_leader,highest_card,lowest_number"),
        ];
        two_seats_whose_leaders_earn_at_the_start: 2 [
            ("faces", "chapel_leader,gate_leader"), ("start-leaders", "paid"),
        ];
        four_seats_of_the_base_game: 4 [];
    }
}

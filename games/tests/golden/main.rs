//! Golden playthroughs: readable transcripts, compared byte for byte. They pin chance, setup,
//! rules, canonical order, notation, event texts, the text view and digests.
//!
//! Each file of `tests/golden/GAME` is one match; its first lines have the number of seats and the
//! options. After an intended change, `BLESS=1 cargo test -p bridgemaster-games --test golden`
//! rewrites them; review the difference, and raise `RULES_VERSION` where equal decisions now lead
//! to another state. A game without playthroughs gets one for its minimum and one for its maximum
//! number of seats; a new file needs only its first lines, such as `Carcassonne, seed golden, 2
//! seats` and `fields off`.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "BLESS=1 rewrites the files")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, SeatCount, Seed, Viewer, for_each_game, resolve_chance,
};

/// The table is written at the start, each time after this number of decisions, and at the end.
const DECISIONS_PER_TABLE: usize = 20;
/// The maximum number of legal decisions written in full; of the others only the number is written.
const DECISIONS_SHOWN: usize = 12;

/// Plays a match of uniform random decisions and returns its transcript.
fn transcript<G: Game>(seats: u8, options: &[(String, String)]) -> String {
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
        resolve_chance::<G>(&mut state, &mut chance, &mut events);
        for event in events.drain(..) {
            writeln!(text, "  {event}").unwrap();
        }
        let seats_to_decide: Vec<_> = G::seats_to_decide(&state).iter().collect();
        if decisions % DECISIONS_PER_TABLE == 0 || seats_to_decide.is_empty() {
            let view = G::observe(&state, Viewer::Spectator);
            G::render(&config, &view, &mut text).unwrap();
        }
        writeln!(text, "digest {}", G::digest(&state)).unwrap();
        if seats_to_decide.is_empty() {
            break;
        }
        let seat = seats_to_decide[chance.below(seats_to_decide.len() as u32) as usize];
        G::legal(&state, seat, &mut list);
        let mut names: Vec<String> = list.iter().map(ToString::to_string).collect();
        if names.len() > DECISIONS_SHOWN {
            names.truncate(DECISIONS_SHOWN - 1);
            names.push(format!("... {} in all, last {}", list.len(), list[list.len() - 1]));
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

/// The seats and options in the first lines of a playthrough.
fn match_of<G: Game>(text: &str) -> (u8, Vec<(String, String)>) {
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    let seats = first.split(", ").last().and_then(|last| last.strip_suffix(" seats"));
    let names: Vec<&str> = G::options().iter().map(|option| option.name).collect();
    let options = lines.map_while(|line| {
        let (name, value) = line.split_once(' ')?;
        names.contains(&name).then(|| (name.to_owned(), value.to_owned()))
    });
    (seats.unwrap().parse().unwrap(), options.collect())
}

/// Compares every playthrough of a game with its file.
fn check<G: Game>() {
    let is_blessed = std::env::var_os("BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(G::ID);
    if is_blessed && !folder.exists() {
        fs::create_dir_all(&folder).unwrap();
        for seats in [*G::SEATS.start(), *G::SEATS.end()] {
            let text = transcript::<G>(seats, &[]);
            fs::write(folder.join(format!("{seats}_seats.txt")), text).unwrap();
        }
    }
    let files = fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}; BLESS=1 creates it", folder.display());
    });
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut playthroughs = 0;
    for file in files {
        let golden = fs::read_to_string(&file).unwrap();
        playthroughs += 1;
        let (seats, options) = match_of::<G>(&golden);
        let text = transcript::<G>(seats, &options);
        if is_blessed {
            fs::write(&file, text).unwrap();
            continue;
        }
        let name = file.display();
        for (number, (found, expected)) in text.lines().zip(golden.lines()).enumerate() {
            assert_eq!(found, expected, "{name}, line {}", number + 1);
        }
        assert_eq!(text.len(), golden.len(), "{name} has another length");
    }
    assert!(playthroughs > 0, "no playthrough in {}", folder.display());
}

macro_rules! golden {
    ($($module:ident: $game:ident,)*) => {
        $(#[test]
        fn $module() {
            check::<bridgemaster_games::$module::$game>();
        })*
    };
}
for_each_game!(golden);

#[test]
fn every_playthrough_belongs_to_a_known_game() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "main.rs" || GAME_IDS.contains(&name.as_str()), "{name}");
    }
}

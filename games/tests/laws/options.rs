//! Options: each example is accepted; other values are refused with the valid ones.

use std::collections::HashSet;

use bridgemaster_games::{GAME_IDS, Game, OptionSource, SeatCount, with_game};

/// Values that are invalid for every option.
const INVALID_VALUES: [&str; 6] = ["", "maybe", "-1", "+1", "256", "on off"];

fn check<G: Game>() {
    let options = G::options();
    let names: HashSet<&str> = options.iter().map(|option| option.name).collect();
    assert_eq!(names.len(), options.len(), "two options have one name");
    for option in &options {
        let name = option.name;
        let is_flag = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(name.chars().all(is_flag) && !name.starts_with('-'), "{name}");
        assert!(!option.help.is_empty() && option.help.trim() == option.help, "{name}");
        let mut configs = Vec::new();
        for value in &option.examples {
            let mut config = G::Config::default();
            G::set_option(&mut config, name, value).unwrap();
            assert!(!configs.contains(&config), "{name} {value} equals another example");
            configs.push(config);
        }
        let is_file = option.source == OptionSource::File;
        assert_eq!(configs.is_empty(), is_file, "{name} has no example");
        for value in INVALID_VALUES {
            let mut config = G::Config::default();
            let error = G::set_option(&mut config, name, value).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name}: ")), "{error}");
            assert_eq!(config, G::Config::default(), "a refused value was set");
        }
    }
    let error = G::set_option(&mut G::Config::default(), "colour", "red").unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("colour is not an option of this game"), "{error}");
    assert!(names.iter().all(|name| error.contains(name)), "{error}");
}

/// Configs and decisions that no game accepts are refused with a text of one form.
fn check_refusals<G: Game>() {
    for seats in (1..=8).filter(|seats| !G::SEATS.contains(seats)) {
        let count = SeatCount::new(seats).unwrap();
        let error = G::check_config(&G::Config::default(), count).unwrap_err();
        let expected = match (*G::SEATS.start(), *G::SEATS.end()) {
            (least, most) if least == most => format!("seats: must be {most}, found {seats}"),
            (least, most) => format!("seats: {seats} is out of range ({least}..={most})"),
        };
        assert_eq!(error.to_string(), expected);
    }
    for text in ["", "no decision", "place +1", "take", "buy", "meeple field n"] {
        let error = text.parse::<G::Decision>().unwrap_err().to_string();
        let start = format!("{text:?} is not a decision; expected ");
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn seats_out_of_range_and_unknown_notation_are_refused() {
    for id in GAME_IDS {
        with_game!(*id, G => check_refusals::<G>()).unwrap();
    }
}

#[test]
fn options_take_their_examples_and_refuse_other_values() {
    for id in GAME_IDS {
        with_game!(*id, G => check::<G>()).unwrap();
    }
}

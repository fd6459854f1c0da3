//! Options: each example is accepted; other values are refused with the valid ones.

use std::collections::HashSet;

use bridgemaster_games::{GAME_IDS, Game, OptionSource, with_game};

/// Values that are invalid for every option.
const INVALID_VALUES: [&str; 6] = ["", "maybe", "-1", "+1", "256", "on off"];

fn check<G: Game>() {
    let options = G::options();
    let names: HashSet<&str> = options.iter().map(|option| option.name).collect();
    assert_eq!(names.len(), options.len(), "two options have one name");
    for option in &options {
        let name = option.name;
        let is_flag = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(
            name.chars().all(is_flag) && !name.starts_with('-'),
            "{name}"
        );
        assert!(
            !option.help.is_empty() && option.help.trim() == option.help,
            "{name}"
        );
        let mut configs = Vec::new();
        for value in &option.examples {
            let mut config = G::Config::default();
            G::set_option(&mut config, name, value).unwrap();
            assert!(
                !configs.contains(&config),
                "{name} {value} equals another example"
            );
            configs.push(config);
        }
        let is_file = option.source == OptionSource::File;
        assert_eq!(configs.is_empty(), is_file, "{name} has no example");
        for value in INVALID_VALUES {
            let mut config = G::Config::default();
            let error = G::set_option(&mut config, name, value).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("{name}: ")),
                "{error}"
            );
            assert_eq!(config, G::Config::default(), "a refused value was set");
        }
    }
    let error = G::set_option(&mut G::Config::default(), "colour", "red").unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("colour is not an option of this game"),
        "{error}"
    );
    assert!(names.iter().all(|name| error.contains(name)), "{error}");
}

#[test]
fn options_take_their_examples_and_refuse_other_values() {
    for id in GAME_IDS {
        with_game!(*id, G => check::<G>()).unwrap();
    }
}

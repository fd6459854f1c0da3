//! Help texts, and errors that say what would be valid.

use crate::program::{Ran, bridgemaster, run, succeed, words};

/// Runs a command line that makes no sense, and gives what is said about it.
fn refused(arguments: &[&str]) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(2), "{arguments:?}: {}{}", ran.out, ran.err);
    assert_eq!(ran.out, "", "{arguments:?}");
    ran.err
}

fn assert_names(text: &str, names: &[&str]) {
    for name in names {
        assert!(text.contains(name), "{name:?} is missing in:\n{text}");
    }
}

#[test]
fn help_shows_the_first_steps_and_every_command() {
    let commands = words(
        "demo serve match ladder contest replay bot key data cluster new-bot check-bot attend",
    );
    let help = succeed(["--help"]);
    assert_names(&help, &commands);
    assert_names(
        &help,
        &[
            "bridgemaster demo",
            "replay show FILE",
            "BRIDGEMASTER_TICKET",
        ],
    );
    for command in commands {
        assert_names(&succeed([command, "--help"]), &["Usage: bridgemaster"]);
    }
}

#[test]
fn help_of_demo_and_create_shows_the_options_of_the_games() {
    for command in [&["demo"][..], &["match", "create"]] {
        let help = succeed(command.iter().chain(&["--help"]));
        assert_names(
            &help,
            &words("--game old_london_bridge --faces random --edition"),
        );
    }
}

#[test]
fn help_of_demo_and_bot_names_the_built_in_bots() {
    for command in ["demo", "bot"] {
        assert_names(&succeed([command, "--help"]), bridgemaster_bots::NAMES);
    }
}

#[test]
fn a_number_of_seats_that_the_game_lacks_is_refused_with_its_range() {
    assert_names(
        &refused(&["demo", "--seats", "9"]),
        &["--seats 9", "2 to 4"],
    );
    assert_names(
        &refused(&["demo", "--seats", "1"]),
        &["--seats 1", "2 to 4"],
    );
    assert_names(
        &refused(&["demo", "--bots", "random"]),
        &["--bots with 1 bot", "2 to 4"],
    );
    assert_names(
        &refused(&["match", "create", "--seats", "five"]),
        &["--seats", "five"],
    );
}

#[test]
fn seats_and_bots_that_disagree_are_refused_with_both_numbers() {
    let text = refused(&["demo", "--seats", "3", "--bots", "greedy,random"]);
    assert_names(&text, &["--seats 3", "2 bots of --bots"]);
}

#[test]
fn a_bot_that_is_neither_built_in_nor_a_program_is_refused_with_the_built_in_bots() {
    let text = refused(&["demo", "--bots", "greddy,random"]);
    assert_names(&text, &["greddy"]);
    assert_names(&text, bridgemaster_bots::NAMES);
    assert_names(
        &refused(&["bot", "greddy", "--ticket", "t"]),
        bridgemaster_bots::NAMES,
    );
}

#[test]
fn a_bad_seed_is_refused_with_what_a_seed_is() {
    assert_names(
        &refused(&["demo", "--seed", "a b"]),
        &["printable ASCII without spaces"],
    );
    assert_names(
        &refused(&["demo", "--seed", &"x".repeat(65)]),
        &["1 to 64", "65"],
    );
}

#[test]
fn a_bad_face_is_refused_with_the_faces_that_there_are() {
    let text = refused(&["demo", "--faces", "chapel_leader,spire"]);
    assert_names(&text, &["--faces", "spire", "longest_series", "random"]);
}

#[test]
fn a_bad_edition_is_refused_with_its_entry() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edition.toml");
    let text = include_str!("../../../../games/data/old_london_bridge/built_in.toml");
    std::fs::write(&file, text.replacen("number = 59", "number = 58", 1)).unwrap();
    let text = refused(&["demo", "--edition", file.to_str().unwrap()]);
    let named = file.to_str().unwrap();
    assert_names(&text, &["--edition", named, "buildings[", ".number", "58"]);
    let missing = refused(&["demo", "--edition", "no/such/file.toml"]);
    assert_names(&missing, &["--edition", "no/such/file.toml"]);
}

#[test]
fn an_unknown_game_is_refused_with_those_that_there_are() {
    assert_names(
        &refused(&["match", "create", "--game", "chess"]),
        &["chess", "old_london_bridge"],
    );
}

#[test]
fn clock_and_fault_rules_that_the_server_refuses_are_told_with_their_range() {
    assert_names(
        &refused(&["demo", "--bank-ms", "0"]),
        &["clock.bank_ms", "1..=86400000"],
    );
    assert_names(
        &refused(&["demo", "--on-late", "refuse"]),
        &["faults.late", "SUBSTITUTE"],
    );
}

#[test]
fn a_server_for_other_machines_must_be_asked_for() {
    let text = refused(&["serve", "--listen", "0.0.0.0:0"]);
    assert_names(
        &text,
        &["0.0.0.0:0", "--insecure", "--tls-cert", "127.0.0.1"],
    );
}

#[test]
fn an_address_that_is_none_is_refused_with_one_that_would_do() {
    for flag in ["--listen", "--metrics"] {
        let text = refused(&["serve", flag, "localhost:0"]);
        assert_names(&text, &[flag, "not resolved", "127.0.0.1:0"]);
    }
}

#[test]
fn an_address_that_is_taken_is_told_with_what_to_do() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = other.local_addr().unwrap().to_string();
    let ran = run(["serve", "--listen", &addr]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_names(&ran.err, &[&addr, "another program", "127.0.0.1:0"]);
}

#[test]
fn a_bot_without_a_ticket_is_told_the_variable_for_it() {
    let text = refused(&["bot", "greedy"]);
    assert_names(&text, &["BRIDGEMASTER_TICKET", "--ticket"]);
}

#[test]
fn a_demo_tells_before_the_match_that_a_file_cannot_be_written() {
    for flag in ["--json", "--replay"] {
        let text = refused(&["demo", flag, "no/such/folder/file"]);
        assert_names(&text, &[flag, "no/such/folder/file", "cannot write"]);
    }
}

#[test]
fn metrics_for_other_machines_must_be_asked_for() {
    let text = refused(&["serve", "--metrics", "0.0.0.0:9464"]);
    assert_names(
        &text,
        &["--metrics 0.0.0.0:9464", "--insecure", "127.0.0.1:9464"],
    );
}

#[test]
fn a_server_that_is_not_there_is_a_failure_that_says_how_to_start_one() {
    // Port 1 is reserved, and nothing listens on it.
    for arguments in [
        ["match", "watch", "m", "--server"].as_slice(),
        &["match", "create", "--server"],
    ] {
        let ran = run(arguments.iter().chain(&["http://127.0.0.1:1"]));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_names(&ran.err, &["http://127.0.0.1:1", "bridgemaster serve"]);
    }
    assert_names(
        &refused(&["match", "watch", "m", "--server", "nonsense"]),
        &["nonsense", "http://"],
    );
}

#[test]
fn a_bot_that_does_not_search_is_not_told_how_far_to() {
    for name in ["human", "greedy"] {
        for flag in ["--playouts", "--time-ms"] {
            let text = refused(&["bot", name, "--ticket", "t", flag, "5"]);
            assert_names(&text, &[flag, "search", name]);
        }
    }
    let text = refused(&["bot", "human", "--ticket", "t", "--seed", "s"]);
    assert_names(&text, &["--seed", "human"]);
}

#[test]
fn a_secret_that_cannot_be_read_is_refused_without_being_shown() {
    for arguments in [
        &["match", "list"][..],
        &["contest", "--bot", "greedy"],
        &["bot", "greedy"],
    ] {
        for variable in ["BRIDGEMASTER_KEY", "BRIDGEMASTER_TICKET"] {
            let mut command = bridgemaster(arguments);
            let ran = Ran::from(command.env(variable, "two hushwords").output().unwrap());
            assert_ne!(ran.code, Some(0), "{arguments:?}");
            assert!(!ran.err.contains("hush"), "{}", ran.err);
        }
    }
}

#[test]
fn an_unknown_parameter_of_a_store_is_refused_by_name_and_its_value_is_not_logged() {
    for command in [&["serve"][..], &["cluster", "nodes"], &["key", "list"]] {
        let store = "postgres://n@127.0.0.1:1/g?sslpassword=hush";
        let mut command = bridgemaster(command);
        let command = command
            .env("BRIDGEMASTER_STORE", store)
            .env("RUST_LOG", "trace");
        let ran = Ran::from(command.output().unwrap());
        assert_ne!(ran.code, Some(0), "{command:?}");
        assert_names(&ran.err, &["sslpassword", "sslmode"]);
        assert!(
            !format!("{}{}", ran.out, ran.err).contains("hush"),
            "{}",
            ran.err
        );
    }
}

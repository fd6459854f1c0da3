//! `bridgemaster bot human`: a seat that is played by hand.

#![cfg(unix)]

use std::{
    io::Write as _,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::{program::bridgemaster, served_match::Served};

/// A match of two with time enough for a loaded machine.
fn create(served: &Served, game: &str) -> Value {
    served.create(&format!("--game {game}"))
}

fn human(served: &Served, made: &Value) -> Child {
    bridgemaster(["bot", "human"])
        .env("BRIDGEMASTER_SERVER", &served.url)
        .env(
            "BRIDGEMASTER_TICKET",
            made["tickets"][1]["ticket"].as_str().unwrap(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_whole_match_of_each_game_is_played_by_typing_numbers() {
    let served = Served::start(&["--no-page"]);
    for game in bridgemaster_games::GAME_IDS {
        let made = create(&served, game);
        let mut player = human(&served, &made);
        let mut other = served.bots(&made, &["random"]).remove(0);
        let mut typing = player.stdin.take().unwrap();
        // More lines than any match has decisions, and at first some that choose nothing.
        let lines = format!(
            "help\nnothing like this\n99999\nresign\nno\n{}",
            "1\n".repeat(2_000)
        );
        // It ends before it has read them all.
        let _ = typing.write_all(lines.as_bytes());
        let ended = player.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stdout).unwrap();
        let why = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{game}: {why}");
        assert!(other.wait().unwrap().success());
        for text in [
            "you are seat 1",
            "no decision contains",
            "the number is out of range (1..=",
            "in the bank",
            "place",
        ] {
            assert!(said.contains(text), "{game}: {text} is missing in:\n{said}");
        }
    }
}

#[test]
fn input_that_ends_leaves_the_seat_to_whoever_comes_back_with_the_ticket() {
    let served = Served::start(&["--no-page"]);
    let made = create(&served, "bridges_to_nowhere");
    let mut other = served.bots(&made, &["random"]).remove(0);
    let mut player = human(&served, &made);
    player.stdin.take().unwrap().write_all(b"1\n").unwrap();
    let left = player.wait_with_output().unwrap();
    assert_eq!(left.status.code(), Some(1));
    let why = String::from_utf8(left.stderr).unwrap();
    assert!(why.contains("standard input is closed"), "{why}");
    let mut back = human(&served, &made);
    let _ = back
        .stdin
        .take()
        .unwrap()
        .write_all("1\n".repeat(2_000).as_bytes());
    let ended = back.wait_with_output().unwrap();
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8(ended.stderr).unwrap()
    );
    assert!(other.wait().unwrap().success());
}

//! Tests `bridgemaster bot human`: a seat that is played by hand.

use std::{
    io::Write as _,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::{
    kit::{
        program::{Ran, bridgemaster},
        served::Served,
    },
    served_match::{bots, create},
};

/// A person in seat 1.
fn human(served: &Served, made: &Value) -> Child {
    let ticket = made["tickets"][1]["ticket"].as_str().unwrap();
    bridgemaster("bot human")
        .env("BRIDGEMASTER_SERVER", &served.url)
        .env("BRIDGEMASTER_TICKET", ticket)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Types lines, and waits for the end, which may come before all lines are read.
fn types(mut player: Child, lines: &str) -> Ran {
    let _ = player.stdin.take().unwrap().write_all(lines.as_bytes());
    player.wait_with_output().unwrap().into()
}

#[test]
fn a_whole_match_of_each_game_is_played_by_typing_numbers() {
    let served = Served::start("--no-page");
    // Input with more lines than any match has decisions. The first lines do not choose a decision.
    let wrong = "help\nnothing like this\n99999\nresign\nno\n";
    let lines = format!("{wrong}{}", "1\n".repeat(2_000));
    for game in bridgemaster_games::GAME_IDS {
        let made = create(&served, &format!("--game {game}"));
        let player = human(&served, &made);
        let mut other = bots(&served, &made, &["random"]).remove(0);
        let shown = [
            "you are seat 1",
            "no decision contains",
            "the number is out of range (1..=",
            "in the bank",
            "place",
        ];
        types(player, &lines).prints(0, &shown);
        assert!(other.wait().unwrap().success(), "{game}");
    }
}

#[test]
fn closed_input_leaves_the_seat_open_for_its_ticket() {
    let served = Served::start("--no-page");
    let made = create(&served, "--game bridges_to_nowhere");
    let mut other = bots(&served, &made, &["random"]).remove(0);
    types(human(&served, &made), "1\n").fails(1, &["standard input is closed"]);
    types(human(&served, &made), &"1\n".repeat(2_000)).exits(0);
    assert!(other.wait().unwrap().success());
}

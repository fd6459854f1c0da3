//! Clocks of single seats and of single bots.

use serde_json::Value;

use crate::{contest::Contest, program::succeed, served_match::Served};

const ODDS: &str = "random=bank_ms:70000,increment_ms:0";

#[test]
fn a_bot_has_its_own_clock_in_whatever_seat_it_sits_and_the_report_says_so() {
    let contest = Contest::new();
    let json = contest.path.with_extension("json").display().to_string();
    let ran = contest.run(&[
        "--bot",
        "greedy",
        "--against",
        "random",
        "--groups",
        "1",
        "--clock-of",
        ODDS,
        "--json",
        &json,
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let expected = "time odds: random has bank 70000 ms, increment 0 ms";
    assert!(ran.out.contains(expected), "{}", ran.out);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let clock = &report["spec"]["bots"][1]["clock"];
    assert_eq!(clock["bank_ms"], 70_000, "{report}");
    let mut seen = Vec::new();
    for row in contest.rows() {
        let bots = row["seats"].as_array().unwrap().iter();
        let seat = bots.map(|seat| &seat["bot"]).position(|bot| *bot == 1);
        let seat = seat.unwrap();
        let replay = contest.path.join(row["replay"].as_str().unwrap());
        let replay = replay.display().to_string();
        let shown = succeed(["replay", "show", &replay]);
        let expected = format!("clock of seat {seat}: bank 70000 ms, increment 0 ms");
        assert!(shown.contains(&expected), "{shown}");
        succeed(["replay", "verify", &replay]);
        if row["annulled"].is_null() {
            seen.push(seat);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1], "each seat once");
}

#[test]
fn time_odds_of_nobody_are_refused_before_anything_starts() {
    let contest = Contest::new();
    let flags = ["--bot", "greedy", "--against", "random", "--clock-of"];
    for (odds, expected) in [
        (
            "nobody=bank_ms:1",
            "unknown bot \"nobody\"; the bots are greedy, random",
        ),
        (
            "greedy=time:1",
            "not one of bank_ms, increment_ms and cap_ms",
        ),
        ("greedy", "WHO=bank_ms:5000"),
    ] {
        let ran = contest.run(&[&flags[..], &[odds]].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    let ran = contest.run(&[&flags[..], &["greedy=bank_ms:0"]].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("seat_clocks.odds.bank_ms"), "{}", ran.err);
}

#[test]
fn a_match_is_made_with_a_clock_for_each_seat() {
    let server = Served::start(&[]);
    let made = server.create("--clock-of 1=cap_ms:250");
    let clocks = &made["match"]["config"]["seatClocks"];
    assert_eq!(clocks[0]["seat"], 1, "{made}");
    assert_eq!(clocks[0]["odds"]["capMs"], 250);
}

//! Contests in which a bot tries to take the win, and what came of it.

use std::{env, process::Command};

use serde_json::Value;

use crate::thief::Theft;

/// The bot that wins by what it plays, if it is let: it starts when the thief has had time.
const VICTIM: &str = "sh -c 'sleep 1; exec \"$0\" bot greedy' ";

/// Plays a contest for each theft.
///
/// # Errors
/// With what the thief came to, if it came to anything.
pub(crate) fn run_all(groups: u32) -> Result<(), String> {
    for theft in Theft::ALL {
        let report = run(theft, groups)?;
        check(theft, groups, &report)
            .map_err(|problem| format!("{theft:?}: {problem}\n{report:#}"))?;
        println!("{theft:?}: refused in {groups} groups");
    }
    Ok(())
}

/// The report of a contest of a thief against a bot that starts after it.
fn run(theft: Theft, groups: u32) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let thief = env::current_exe().map_err(|error| error.to_string())?;
    let mut contest = Command::new(program);
    contest
        .args(["contest", "--game", "carcassonne", "--quiet", "--json", "-"])
        .args(["--referee-lag-limit-ms", "10000", "--concurrency", "2"])
        .args(["--groups", &groups.to_string(), "--candidate", "thief"])
        .args([
            "--bot",
            &format!("thief={} thief {}", thief.display(), theft.name()),
        ])
        .args([
            "--against",
            "victim",
            "--bot",
            &format!("victim={VICTIM}{program}"),
        ])
        .arg("--folder")
        .arg(folder.path().join("contest"));
    let ran = contest.output().map_err(|error| error.to_string())?;
    let complaint = String::from_utf8_lossy(&ran.stderr);
    if ran.status.code() != Some(0) {
        return Err(format!(
            "{theft:?} ended the contest: {} {complaint}",
            ran.status
        ));
    }
    serde_json::from_slice(&ran.stdout).map_err(|error| format!("{error}: {complaint}"))
}

fn check(theft: Theft, groups: u32, report: &Value) -> Result<(), String> {
    let matches = u64::from(groups) * 2;
    let expect = |what: &str, holds: bool| match holds {
        true => Ok(()),
        false => Err(format!("not so: {what}")),
    };
    expect("all matches count", report["counts"]["matches"] == matches)?;
    expect(
        "no match is forfeited",
        report["counts"]["forfeited_matches"] == 0,
    )?;
    let bots = report["bots"].as_array().into_iter().flatten();
    for bot in bots {
        let is_well = bot["faults"] == 0 && bot["restarts"] == 0;
        expect("no bot has a fault", is_well)?;
    }
    let tried = |bot: Option<u64>| {
        let mut calls = report["refused_calls"].as_array().into_iter().flatten();
        calls.any(|calls| {
            calls["bot"].as_u64() == bot
                && calls["method"] == format!("MatchService/{}", theft.name())
        })
    };
    let thief = |bot: &Value| bot["name"] == "thief";
    let bots = report["bots"].as_array().into_iter().flatten();
    let thief = bots
        .clone()
        .find(|bot| thief(bot))
        .and_then(|bot| bot["bot"].as_u64());
    expect("its calls are reported as the thief's", tried(thief))?;
    expect("those without a ticket are reported too", tried(None))?;
    let blamed = |bot: &Value| bot["name"] == "victim" && tried(bot["bot"].as_u64());
    expect("the other bot is not blamed", !bots.clone().any(blamed))
}

//! Tests a Python bot that runs out of memory in the middle of its matches.

use std::{fs, path::Path, process::Command};

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::tool::PYTHON;

/// A bot that allocates more memory than its limit after three answers.
const BOT: &str = "\
import bridgemaster

answers = []


def decide(request):
    answers.append(bytearray(1 << 30 if len(answers) == 3 else 1))
    return 0


bridgemaster.run(decide)
";

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    // Only Linux limits memory.
    let trial =
        Trial::ignorable_test("starved_bot::has_a_note_beside_the_fault_of_the_referee", || {
            PYTHON.with(has_a_note_beside_the_fault_of_the_referee)
        });
    cfg!(target_os = "linux").then_some(trial).into_iter()
}

fn has_a_note_beside_the_fault_of_the_referee(python: &Path) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    fs::write(folder.path().join("bot.py"), BOT)?;
    let bot = format!("mine={} bot.py", python.display());
    let output = Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(["contest", "--game", "old_london_bridge", "--groups", "1"])
        .args(["--bot", &bot, "--against", "random"])
        .args(["--bot-memory", "512M", "--reconnect-ms", "0"])
        .args(["--referee-lag-limit-ms", "10000"])
        .args(["--folder", "contest", "--json", "report.json"])
        .current_dir(folder.path())
        .output()?;
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert_eq!(output.status.code(), Some(55), "{out}{err}");
    assert!(out.contains("--bot-memory allows 512 MiB"), "{out}");
    let report = fs::read_to_string(folder.path().join("report.json"))?;
    let report: serde_json::Value = serde_json::from_str(&report)?;
    let bots = report["bots"].as_array().ok_or("there are no bots")?;
    let mine = bots.iter().find(|bot| bot["name"] == "mine");
    let mine = mine.ok_or("the bot is not in the report")?;
    assert_eq!(mine["out_of_memory"], 2, "{mine}");
    assert_eq!(mine["faults_by_reason"][0][0], "DISCONNECTED", "{mine}");
    assert_eq!(mine["worst"][0]["ran_out_of_memory"], true, "{mine}");
    Ok(())
}

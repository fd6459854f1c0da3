//! Tests of the command line with the real binary, and of matches and contests whose processes are
//! killed.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod attending;
mod bot_environment;
#[cfg(target_os = "linux")]
mod bot_processes;
#[path = "../../../service/tests/certificates/mod.rs"]
mod certificates;
mod check_bot;
#[allow(dead_code)] // Not every target needs all of it.
#[path = "../../../traces/tests/collecting/mod.rs"]
mod collecting;
mod config_file;
mod contest;
mod contest_choices;
mod contest_disturbed;
mod contest_docs;
mod contest_ended;
mod contest_faults;
mod contest_identity;
mod contest_outputs;
mod contest_reuse;
mod contest_served;
mod data;
mod data_folders;
mod demo;
mod every_game;
mod fork;
mod hostile_server;
mod hostile_text;
mod human;
mod keyed_bots;
mod keys;
#[path = "../kit/mod.rs"]
mod kit;
mod ladder_actions;
mod ladder_lost_bot;
mod listing;
mod logs;
mod lost_tail;
mod misuse;
mod new_bot;
mod page;
mod replay_command;
#[path = "../report_files/mod.rs"]
mod report_files;
mod review;
mod rules;
mod served_match;
mod spans;
mod tls;

use std::{path::Path, sync::LazyLock};

use tempfile::TempPath;

/// Returns the replay of a match that is played once for all tests that read a replay.
fn sample_replay() -> &'static Path {
    static SAMPLE: LazyLock<TempPath> = LazyLock::new(|| {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let line = "demo --seats 3 --seed sample --quiet --replay";
        kit::program::succeed(format!("{line} {}", path.display()));
        path
    });
    &SAMPLE
}

//! The command line, by running the real binary.

#![allow(clippy::unwrap_used)]

mod attending;
mod bot_environment;
#[cfg(target_os = "linux")]
mod bot_processes;
mod built_in_bots;
#[path = "../../../service/tests/certificates/mod.rs"]
mod certificates;
mod check_bot;
#[allow(dead_code)] // Not every target needs all of it.
#[path = "../../../traces/tests/collecting/mod.rs"]
mod collecting;
mod config_file;
mod contest;
mod contest_choices;
mod contest_docs;
mod contest_ended;
#[cfg(unix)]
mod contest_faults;
mod contest_games;
mod contest_identity;
#[cfg(unix)]
mod contest_killed;
mod contest_outputs;
mod contest_refused;
#[cfg(unix)]
mod contest_reuse;
#[cfg(unix)]
mod contest_served;
mod contest_unstored;
mod data;
mod demo;
mod every_game;
mod fork;
#[cfg(unix)]
mod health;
mod hostile_ladders;
mod hostile_server;
mod hostile_text;
mod human;
mod keyed_bots;
mod keys;
mod killed_bot;
#[path = "../kit/mod.rs"]
mod kit;
mod ladder_watched;
mod listing;
mod logs;
mod misuse;
mod new_bot;
mod open_files;
mod page;
mod program;
mod replay_command;
#[path = "../report_files/mod.rs"]
mod report_files;
mod rules;
mod served_match;
mod signed_replays;
mod spans;
mod time_odds;
mod tls;

//! Attacks on the real server from outside, over loopback.
//!
//! `cargo test` has a server with small limits hold as much as it lets a caller have, kind by
//! kind, and reads what it takes of the machine's memory; it plays a few matches while everything is
//! tried at once; and it plays contests with a bot that tries to take the win. The long run:
//!
//! ```text
//! cargo test --release -p bridgemaster --test attack -- --long --seconds 600 --matches 64
//! ```
//!
//! The bots and the attackers are processes of this program, called with hidden arguments.

#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "the command prints what it did")]

mod attacker;
mod attacks;
#[path = "../../../service/tests/certificates/mod.rs"]
mod certificates;
mod command;
mod fair_bot;
mod fair_matches;
mod hoards;
mod judging;
mod machine;
mod metrics_page;
mod raw_client;
mod run;
mod server_process;
mod target;
mod thefts;
mod thief;
mod trials;

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("fair-bot") => return fair_bot::run(),
        Some("thief") => return thief::run(&arguments[1..]),
        Some("attacker") => return attacker::run(&arguments[1..]),
        _ => {}
    }
    match command::Command::from_args(&arguments) {
        Ok(Some(command)) => command.run(),
        Ok(None) => {
            let mut arguments = libtest_mimic::Arguments::from_args();
            // Each has a server to itself, and what it takes must not hang on the others.
            arguments.test_threads = Some(1);
            libtest_mimic::run(&arguments, trials::trials()).exit_code()
        }
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

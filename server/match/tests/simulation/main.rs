//! Simulation of matches and their environment in virtual time, from a seed: all kinds of bots,
//! networks that delay and drop, and a server that freezes, stops, is killed and may lose stored
//! data. Matches and journals are those of the real server, and are checked at every step.
//!
//! `cargo test` runs a few hundred. To run more, or to repeat a failure:
//!
//! ```text
//! cargo test -p bridgemaster-match --release --test simulation -- --seed 1 --matches 10000
//! ```
//!
//! A failure is reported with its trace and the command that repeats it.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "the command has arguments and prints its duration")]
#![allow(clippy::print_stdout, reason = "the command prints what it did")]

mod auditor;
mod bot;
mod command;
mod dice;
mod matches;
mod oracle;
mod plan;
mod reported;
mod shell;
mod store;
mod tampering;
mod trace;
mod trials;
mod world;

use std::process::ExitCode;

use bridgemaster_match::Cancellation;

/// The reason of the simulated cancellations.
fn cancellation() -> Cancellation {
    Cancellation { reason: "enough".to_owned(), by: None, declined: None }
}

fn main() -> ExitCode {
    match command::Command::from_args(std::env::args().skip(1)) {
        Ok(Some(command)) => command.run(),
        Ok(None) => {
            libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials::trials()).exit_code()
        }
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

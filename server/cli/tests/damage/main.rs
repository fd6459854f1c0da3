//! Damage: a data folder with finished matches, matches in play, keys and replays is damaged in a
//! way that a seed decides, and then served. Each damage must be refused, mended or said: never may
//! an answer of the server differ from that of the undamaged folder without a word.
//!
//! `cargo test` inflicts a hundred. The long run, or one damage again:
//!
//! ```text
//! cargo test --release -p bridgemaster --test damage -- --long --seed 1 --damages 2000
//! cargo test --release -p bridgemaster --test damage -- --long --seed 1 --only 17
//! ```

#![cfg(unix)]
#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "the command prints what it found")]

mod answers;
mod command;
mod files;
mod fixture;
mod inflicting;
mod judging;
#[path = "../kit/mod.rs"]
mod kit;
#[path = "../long_run/mod.rs"]
mod long_run;
mod run;
mod served;
mod sql;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Damages of `cargo test`.
const SHORT: command::Command = command::Command {
    seed: 1,
    first: 0,
    damages: 100,
};

fn main() -> ExitCode {
    match command::Command::from_args(std::env::args().skip(1)) {
        Ok(Some(command)) => match run::run(&command) {
            Ok(text) => {
                println!("{text}");
                ExitCode::SUCCESS
            }
            Err(text) => {
                println!("{text}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            let trial = Trial::test("no_damage_changes_an_answer_without_a_word", || {
                run::run(&SHORT).map(drop).map_err(Failed::from)
            });
            libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
        }
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

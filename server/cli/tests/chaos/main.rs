//! Chaos: matches of every game between bots of both languages, while connections are cut, bots
//! are killed and the server is killed, with SIGKILL, at moments that a seed decides. In the end
//! every match has one result, every replay holds, no message was out of sequence, nobody was
//! charged with a fault, and what bots decide that go by their requests alone is what they decide
//! in an undisturbed run.
//!
//! `cargo test` plays a few matches. The long run, or one again:
//!
//! ```text
//! cargo test --release -p bridgemaster --test chaos -- --long --seed 1 --matches 200 --server-kills 30
//! ```
//!
//! A run that fails says what is wrong, and keeps its folder with the data and the logs of all
//! servers.

#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "the command prints what it did")]

mod chaos;
mod command;
#[path = "../long_run/mod.rs"]
mod long_run;
mod match_client;
mod plan;
mod proxy;
mod run;
mod seat;
mod sequence_watch;
mod server_process;
mod storm;
#[path = "../tool/mod.rs"]
mod tool;
mod trials;
mod verdict;
mod watched_bot;

use std::process::ExitCode;

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

//! Matches and everything around them in virtual time, from a seed: bots of every kind, networks that
//! delay and drop, a server that stands still, stops, is killed and may forget what it had stored; or
//! several servers over one database that fail in turn. The matches and their journals are those of
//! the real server; each is watched at every step.
//!
//! `cargo test` plays a few hundred. More, or a failure again:
//!
//! ```text
//! cargo test -p bridgemaster-match --release --test simulation -- --seed 1 --matches 10000
//! cargo test -p bridgemaster-match --release --test simulation -- --seed 1 --matches 10000 --nodes 3
//! ```
//!
//! A failure is told with its trace and with the command that repeats it.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "the command has arguments and tells its time"
)]
#![allow(clippy::print_stdout, reason = "the command prints what it did")]
#![allow(unreachable_pub, reason = "the toy games are shared with other tests")]

mod auditor;
mod bot;
mod cluster;
mod command;
mod dice;
mod matches;
mod oracle;
mod plan;
mod reported;
mod route;
mod server;
mod shell;
mod store;
mod tampering;
#[path = "../../../referee/tests/toy/mod.rs"]
mod toy;
mod toy_wire;
mod trace;
mod trials;
mod world;

use std::process::ExitCode;

use bridgemaster_match::Cancellation;

/// Why matches are cancelled here.
fn cancellation() -> Cancellation {
    Cancellation {
        reason: "enough".to_owned(),
        by: None,
        declined: None,
    }
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

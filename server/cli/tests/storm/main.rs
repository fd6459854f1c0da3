//! Tests of the real server under adverse conditions. Each suite plays matches on it, injects
//! faults, and returns a verdict:
//!
//! * `damage`: a data folder is damaged in a way that a seed decides, and then served;
//! * `kills`: backups and restores are killed, and repeated;
//! * `attack`: hostile callers hold what they can and keep the server busy, beside fair matches.
//!
//! `.ci/chaos`, `.ci/ladder-storm` and `.ci/cluster-storm` kill servers and bots, and cut
//! connections, while processes play matches.
//!
//! `cargo test` runs each suite for seconds. For a long run, or to repeat one case:
//!
//! ```text
//! cargo test --release -p bridgemaster --test storm -- --long damage --seed 1 --cases 2000
//! cargo test --release -p bridgemaster --test storm -- --long damage --seed 1 --only 17
//! cargo test --release -p bridgemaster --test storm -- --long kills --seed 1 --kills 40
//! cargo test --release -p bridgemaster --test storm -- --long attack --seconds 600 --matches 64
//! ```

#![cfg(unix)]
#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "long runs print what they found")]

mod attack;
#[path = "../../../service/tests/certificates/mod.rs"]
mod certificates;
mod damage;
mod kills;
#[path = "../kit/mod.rs"]
mod kit;
mod long_run;
mod verdict;

use std::{env, process::ExitCode};

use libtest_mimic::Arguments;

use crate::long_run::LongRun;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    if let Some(exit) = attack::process(&args) {
        return exit;
    }
    let long = match LongRun::from_args(args) {
        Ok(None) => return test(),
        Ok(Some((suite, run))) => match suite.as_str() {
            "damage" => damage::long(run),
            "kills" => kills::long(run),
            "attack" => attack::long(run),
            _ => Err(format!("{suite} is none of: damage, kills, attack")),
        },
        Err(problem) => Err(problem),
    };
    let (Ok(text) | Err(text)) = &long;
    println!("{text}");
    if long.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the tests of `cargo test`.
fn test() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let trials = damage::trials().into_iter().chain(kills::trials()).collect();
    let first = libtest_mimic::run(&arguments, trials);
    // Attacks run one at a time, because a server's resource use must not depend on other tests.
    arguments.test_threads = Some(1);
    let second = libtest_mimic::run(&arguments, attack::trials());
    if first.has_failed() { first.exit_code() } else { second.exit_code() }
}

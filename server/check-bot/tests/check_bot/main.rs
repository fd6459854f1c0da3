//! Tests of `check_bot`: a correct bot passes, and a bot with one flaw fails the checks of that
//! flaw and no others.
//!
//! The bots are processes of this same program: `flawed-bot FLAW` plays with that flaw, and
//! `attending-bot WAY` attends a queue. The built-in test harness does not support that.

#![allow(clippy::unwrap_used)]

mod attending_bot;
mod findings;
mod flaw;
mod flawed_bot;

use std::{env, process::ExitCode};

use libtest_mimic::Arguments;

/// The number of bots checked at once; they mostly wait.
const CONCURRENT_TRIALS: usize = 8;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("attending-bot") {
        return attending_bot::run(&arguments.next().expect("a way to attend"));
    }
    if first.as_deref() == Some("flawed-bot") {
        let flaw = arguments.next().and_then(|name| flaw::Flaw::by_name(&name));
        return flawed_bot::run(flaw.expect("the flaw is one of those in flaw.rs"));
    }
    let mut arguments = Arguments::from_args();
    // The bots mostly wait.
    arguments.test_threads.get_or_insert(CONCURRENT_TRIALS);
    libtest_mimic::run(&arguments, findings::trials().chain(attending_bot::trials()).collect())
        .exit_code()
}

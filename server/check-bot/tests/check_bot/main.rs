//! What `check_bot` finds: a sound bot passes, and a bot with one flaw fails the checks of that
//! flaw and no others.
//!
//! The bots are processes, so this target is its own bot: called with `flawed-bot FLAW`, it plays
//! with that flaw. The built-in harness has no place for that.

#![allow(clippy::unwrap_used)]

mod findings;
mod flaw;
mod flawed_bot;

use std::{env, process::ExitCode};

use libtest_mimic::Arguments;

/// How many bots are checked at once.
const TRIALS_AT_ONCE: usize = 3;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    if arguments.next().as_deref() == Some("flawed-bot") {
        let flaw = arguments.next().and_then(|name| flaw::Flaw::by_name(&name));
        return flawed_bot::run(flaw.expect("the flaw is one of those in flaw.rs"));
    }
    let mut arguments = Arguments::from_args();
    // The bots mostly wait.
    arguments.test_threads.get_or_insert(TRIALS_AT_ONCE);
    libtest_mimic::run(&arguments, findings::trials().collect()).exit_code()
}

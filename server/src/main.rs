//! The one binary of Bridgemaster: server, house bots, demo and tools.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

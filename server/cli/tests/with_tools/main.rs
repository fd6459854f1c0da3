//! Tests that need a tool besides the Rust toolchain: Python with gRPC, PyYAML, buf, PostgreSQL,
//! and Prometheus.
//!
//! `cargo test` must pass on a machine with only Rust, but must not look as if these tests had run.
//! The built-in harness hides the output of passing tests and cannot ignore a test at run time. So
//! this target has another harness: a test whose tool is missing is listed as `ignored`, with the
//! command that installs the tool. If a variable names the tool, or `CI` is set, a missing tool is
//! a failure.

#![allow(clippy::unwrap_used)]

mod action;
#[path = "../../../service/tests/certificates/mod.rs"]
mod certificates;
mod deploy;
#[path = "../kit/mod.rs"]
mod kit;
mod live_display;
#[path = "../../../store/tests/postgres_server/mod.rs"]
mod postgres_server;
mod protocol_lint;
mod python_bot;
mod python_package;
#[path = "../report_files/mod.rs"]
mod report_files;
mod starved_bot;
#[path = "../tool/mod.rs"]
mod tool;

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed};

/// This number does not depend on the number of cores.
const TRIALS_AT_ONCE: usize = 4;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Many tests mostly wait for processes that they have started.
    arguments.test_threads.get_or_insert(TRIALS_AT_ONCE);
    let trials = python_bot::trials()
        .chain(python_package::trials())
        .chain(protocol_lint::trials())
        .chain(action::trials())
        .chain(deploy::trials())
        .chain(starved_bot::trials())
        .chain(live_display::trials());
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Runs a command to its end. If it fails, its output is the message of the failure.
fn must_succeed(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} ended with {}\n{stdout}{stderr}", output.status).into())
}

//! Simulated contests between bots of known strength: error rates and lengths of tests, and
//! coverage of intervals.
//!
//! `cargo test` runs a few hundred of each. This prints a table of
//! `docs/reference/measurements.md`:
//!
//! ```text
//! cargo test -p bridgemaster-contest --release --test simulation -- --table verdicts
//! ```
#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "the command has arguments")]
#![allow(clippy::print_stdout, reason = "the command prints its table")]

mod coverage;
mod groups;
mod ladder;
mod luck;
mod rate;
mod standings;
mod synthetic;
mod verdicts;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// A table and the function that computes it with a number of runs per cell.
type Table = (&'static str, fn(u32) -> Vec<rate::Cell>, u32, u32);

/// Name, function, runs per cell for a table, runs per cell for a test.
const TABLES: &[Table] = &[
    ("verdicts", verdicts::cells, 4_000, 100),
    ("coverage", coverage::cells, 10_000, 300),
    ("fits", coverage::fitted_cells, 500, 5),
    ("standings", standings::cells, 20_000, 1_000),
    ("groups", groups::cells, 4_000, 400),
    ("ladder", ladder::cells, 700, 10),
    ("large_ladder", ladder::large_cells, 70, 1),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(flag) = args.iter().position(|arg| arg == "--table") else {
        let trials = TABLES.iter().map(|(name, cells, _, runs)| {
            Trial::test(format!("{name}_are_what_they_say"), || judge(cells(*runs), false))
        });
        return libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code();
    };
    let named = |(name, ..): &&Table| args.get(flag + 1).is_some_and(|arg| arg == name);
    let Some((_, cells, runs, _)) = TABLES.iter().find(named) else {
        let names: Vec<&str> = TABLES.iter().map(|(name, ..)| *name).collect();
        println!("--table needs one of {}", names.join(", "));
        return ExitCode::FAILURE;
    };
    match judge(cells(*runs), true) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            println!("{}", failed.message().unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

/// Prints the cells if requested, and fails with those that are out of their bounds.
fn judge(cells: Vec<rate::Cell>, prints: bool) -> Result<(), Failed> {
    let mut broken = Vec::new();
    for cell in cells {
        if prints {
            println!("{cell}");
        }
        if !cell.holds() {
            broken.push(cell.to_string());
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(format!("out of their bounds:\n{}", broken.join("\n")).into()),
    }
}

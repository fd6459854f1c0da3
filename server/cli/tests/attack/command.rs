//! The command: a long run.

use std::process::ExitCode;

use crate::{
    run::{self, Order},
    thefts, trials,
};

/// Groups of each contest with a thief, of two matches each.
const THEFT_GROUPS: u32 = 25;

/// A long run.
#[derive(Debug)]
pub(crate) struct Command {
    seconds: u64,
    matches: usize,
    /// Without attacks, to compare with.
    is_calm: bool,
    /// The only way in which is attacked, if it is one.
    only: Option<String>,
}

impl Command {
    /// Reads the arguments; `None` when they are those of a test run.
    pub(crate) fn from_args(args: &[String]) -> Result<Option<Self>, String> {
        if !args.iter().any(|arg| arg == "--long") {
            return Ok(None);
        }
        let mut command = Self {
            seconds: 600,
            matches: 64,
            is_calm: args.iter().any(|arg| arg == "--calm"),
            only: None,
        };
        let is_flag = |arg: &str| matches!(arg, "--long" | "--calm");
        let mut args = args.iter().filter(|arg| !is_flag(arg));
        while let Some(name) = args.next() {
            if name == "--only" {
                let way = args
                    .next()
                    .ok_or("--only: takes the name of a way to attack")?;
                command.only = Some(way.clone());
                continue;
            }
            let value = args.next().and_then(|value| value.parse::<u32>().ok());
            let value = value.ok_or_else(|| format!("{name}: takes a number from 0"))?;
            match name.as_str() {
                "--seconds" => command.seconds = value.into(),
                "--matches" => command.matches = value as usize,
                _ => {
                    return Err(format!(
                        "{name}: --seconds, --matches, --only and --calm are valid"
                    ));
                }
            }
        }
        Ok(Some(command))
    }

    /// Attacks, and tells of each check whether it held.
    pub(crate) fn run(&self) -> ExitCode {
        let hoarded = match self.is_calm || self.only.is_some() {
            true => Ok(()),
            false => trials::hoard_all().and_then(|()| thefts::run_all(THEFT_GROUPS)),
        };
        let report = run::run(&Order::long(
            self.seconds,
            self.matches,
            self.is_calm,
            self.only.clone(),
        ));
        println!("{report}");
        let held = hoarded.and_then(|()| report.must_hold());
        match held {
            Ok(()) => ExitCode::SUCCESS,
            Err(words) => {
                println!("{words}");
                ExitCode::FAILURE
            }
        }
    }
}

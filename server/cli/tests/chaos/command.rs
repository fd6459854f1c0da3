//! The command: a long run, or one again.

use std::{process::ExitCode, time::Duration};

use libtest_mimic::Completion;

use crate::{chaos::chaos, long_run, plan::Order, tool::PYTHON};

/// Matches of a long run that are played at once.
const AT_ONCE: usize = 12;
/// Longest time for each of the two runs: some ten times what they take on two cores.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// A long run.
#[derive(Debug)]
pub(crate) struct Command {
    seed: u64,
    matches: usize,
    server_kills: usize,
}

impl Command {
    /// Reads the arguments; `None` when they are those of a test run.
    pub(crate) fn from_args(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut command = Self {
            seed: 1,
            matches: 200,
            server_kills: 30,
        };
        let valid = "--seed, --matches and --server-kills";
        let is_long = long_run::read(args, valid, |name, value| {
            match name {
                "--seed" => command.seed = value,
                "--matches" => command.matches = value as usize,
                "--server-kills" => command.server_kills = value as usize,
                _ => return false,
            }
            true
        })?;
        Ok(is_long.then_some(command))
    }

    /// Plays, with Python bots where there is Python.
    pub(crate) fn run(&self) -> ExitCode {
        let order = |with_python| Order {
            seed: self.seed,
            matches: self.matches,
            server_kills: self.server_kills,
            with_python,
            with_endless_silence: true,
            at_once: AT_ONCE,
            patience: PATIENCE,
        };
        let played = PYTHON.with(|python| {
            println!("{}", chaos(&order(true), Some(python))?);
            Ok(())
        });
        let played = match played {
            Ok(Completion::Ignored { reason }) => {
                println!("WITHOUT PYTHON BOTS: {}", reason.unwrap_or_default());
                chaos(&order(false), None).map(|figures| println!("{figures}"))
            }
            Ok(_) => Ok(()),
            Err(failed) => Err(failed.message().unwrap_or_default().to_owned()),
        };
        match played {
            Ok(()) => ExitCode::SUCCESS,
            Err(words) => {
                println!("{words}");
                println!(
                    "again: cargo test --release -p bridgemaster --test chaos -- --long --seed {} --matches {} --server-kills {}",
                    self.seed, self.matches, self.server_kills
                );
                ExitCode::FAILURE
            }
        }
    }
}

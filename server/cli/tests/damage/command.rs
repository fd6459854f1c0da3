//! The command: a long run, or one damage again.

use crate::long_run;

/// Which damages are inflicted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) seed: u64,
    /// Number of the first.
    pub(crate) first: u64,
    pub(crate) damages: u64,
}

impl Command {
    /// Reads the arguments; `None` when they are those of a test run.
    pub(crate) fn from_args(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut command = Self {
            seed: 1,
            first: 0,
            damages: 2_000,
        };
        let valid = "--seed, --damages and --only";
        let is_long = long_run::read(args, valid, |name, value| {
            match name {
                "--seed" => command.seed = value,
                "--damages" => command.damages = value,
                "--only" => (command.first, command.damages) = (value, 1),
                _ => return false,
            }
            true
        })?;
        Ok(is_long.then_some(command))
    }
}

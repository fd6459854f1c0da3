//! The command line: runs many seeds, or repeats one.

use std::{process::ExitCode, time::Instant};

use bridgemaster_games::GAME_IDS;

use crate::matches::{Failure, Totals, game_of, play_seed};

/// The seeds to run.
#[derive(Debug)]
pub(crate) struct Command {
    first_seed: u64,
    seeds: u64,
    game: Option<&'static str>,
}

impl Command {
    /// Parses the arguments; `None` if they are those of a test run.
    pub(crate) fn from_args(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let args: Vec<String> = args.collect();
        if !args.iter().any(|arg| arg == "--seed" || arg == "--matches") {
            return Ok(None);
        }
        let mut command = Self { first_seed: 0, seeds: 1, game: None };
        let mut args = args.iter();
        while let Some(name) = args.next() {
            let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
            let number = || {
                let parsed = value.parse();
                parsed.map_err(|_| format!("{name}: {value:?} is not a whole number"))
            };
            match name.as_str() {
                "--seed" => command.first_seed = number()?,
                "--matches" => command.seeds = number()?,
                "--game" => {
                    let game = GAME_IDS.iter().copied().find(|id| *id == value);
                    let unknown = || format!("--game: {value:?} is not one of {GAME_IDS:?}");
                    command.game = Some(game.ok_or_else(unknown)?);
                }
                _ => {
                    return Err(format!("{name} is unknown; valid: --seed, --matches, --game"));
                }
            }
        }
        Ok(Some(command))
    }

    pub(crate) fn run(&self) -> ExitCode {
        let started = Instant::now();
        let mut totals = Totals::default();
        for seed in self.first_seed..self.first_seed.saturating_add(self.seeds) {
            let game = self.game.unwrap_or_else(|| game_of(seed));
            if let Err(failure) = play_seed(seed, game, &mut totals) {
                println!("{}", describe_failure(&failure));
                return ExitCode::FAILURE;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{} matches with {} decisions and {} inputs, {:.0} hours of virtual time, in {seconds:.1} s: {:.0} matches a minute",
            totals.matches,
            totals.decisions,
            totals.inputs,
            totals.virtual_time.as_secs_f64() / 3600.0,
            totals.matches as f64 * 60.0 / seconds,
        );
        println!(
            "{} restarts of servers, {} of them after a loss of stored data",
            totals.restarts, totals.lost_tails
        );
        println!("faults: {:?}", totals.faults);
        println!("bots: {:?}", totals.kinds);
        ExitCode::SUCCESS
    }
}

/// Formats a failure, with the command that repeats it.
pub(crate) fn describe_failure(failure: &Failure) -> String {
    let Failure { seed, game, problem, trace } = failure;
    format!(
        "{trace}\nseed {seed} of {game}: {problem}\nto repeat: cargo test -p bridgemaster-match --test simulation -- --seed {seed} --game {game}"
    )
}

//! Validation of a contest's spec.

use std::collections::HashSet;

use bridgemaster_contest::{MAX_LEVEL, schedule::BotNumber};
use bridgemaster_games::Seed;

use super::{ContestSpec, Format, Seeds};
use crate::SpecError;

/// The maximum number of bots. It is limited because a round-robin at six seats has a table for
/// each combination of six bots.
const MAX_BOTS: usize = 100;
/// The minimum memory limit for a bot, in bytes. No program can start with less.
const MIN_BOT_MEMORY_BYTES: u64 = 1024 * 1024;
/// The maximum number of restarts per match.
const MAX_RESTARTS: u32 = 10;
/// The maximum number of concurrent matches, each with one process per seat.
const MAX_CONCURRENT_MATCHES: u32 = 256;

impl ContestSpec {
    /// Validates the spec.
    ///
    /// # Errors
    /// Returns an error that describes the first invalid entry.
    pub fn validate(&self) -> Result<(), SpecError> {
        self.rules.validate()?;
        self.validate_bots()?;
        self.validate_format()?;
        if self.reuse && matches!(self.format, Format::Fork { .. }) {
            return Err(SpecError::invalid(
                "format",
                "reuse: a bot must not remember the position of a fork; omit `reuse`",
            ));
        }
        match (&self.test, self.test()) {
            (Some(_), None) => {
                return Err(SpecError::invalid(
                    "test",
                    "this format has a number of rounds and no test; omit `test`",
                ));
            }
            (_, Some(test)) => test.validate(self.rules.seats, self.matches_per_group())?,
            (None, None) => {}
        }
        let out_of_range =
            |field, value: String, valid| Err(SpecError::out_of_range(field, value, valid));
        if !(self.level > 0.5 && self.level <= MAX_LEVEL) {
            return out_of_range("level", self.level.to_string(), "above 0.5 and at most 0.9999");
        }
        if let Some(concurrency) = self.concurrency
            && !(1..=MAX_CONCURRENT_MATCHES).contains(&concurrency)
        {
            return out_of_range("concurrency", concurrency.to_string(), "1..=256");
        }
        if self.restarts() > MAX_RESTARTS {
            return out_of_range("restarts", self.restarts().to_string(), "0..=10");
        }
        if let Some(bytes) = self.bot_memory_bytes
            && bytes < MIN_BOT_MEMORY_BYTES
        {
            let valid = "at least 1048576, 1 MiB";
            return out_of_range("bot_memory_bytes", bytes.to_string(), valid);
        }
        for requirement in &self.require {
            let is_bot = |name: &str| self.bot_number(name).is_some();
            requirement.validate(is_bot, self.candidate().is_some())?;
        }
        self.validate_seeds()
    }

    fn validate_bots(&self) -> Result<(), SpecError> {
        // In a fork, one bot can have all seats.
        let min = match self.format {
            Format::Fork { .. } => 1,
            _ => 2,
        };
        if !(min..=MAX_BOTS).contains(&self.bots.len()) {
            return Err(SpecError::out_of_range("number of bots", self.bots.len(), "2..=100"));
        }
        let mut names = HashSet::new();
        for bot in &self.bots {
            bot.validate()?;
            if !names.insert(&bot.name) {
                return Err(bot.invalid("two bots have this name; names must be unique"));
            }
        }
        Ok(())
    }

    fn require_bot(&self, name: &str) -> Result<BotNumber, SpecError> {
        self.bot_number(name).ok_or_else(|| {
            let names = self.bots.iter().map(|bot| bot.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            SpecError::invalid("format", format!("unknown bot {name:?}; the bots are {names}"))
        })
    }

    fn validate_format(&self) -> Result<(), SpecError> {
        let problem = |text: String| Err(SpecError::invalid("format", text));
        let (bots, seats) = (self.bots.len(), usize::from(self.rules.seats));
        match &self.format {
            Format::Series if bots != seats => problem(format!(
                "a series needs one bot for each seat, but there are {bots} bots and {seats} seats"
            )),
            Format::Series => Ok(()),
            Format::Candidate { candidate, against } => {
                let number = self.require_bot(candidate)?;
                let mut opponents = HashSet::new();
                for name in against {
                    let other = self.require_bot(name)?;
                    if other == number || !opponents.insert(other) {
                        return problem(format!(
                            "against: {name:?} is the candidate or listed twice"
                        ));
                    }
                }
                match opponents.len() + 1 {
                    1 => problem("against: list at least one benchmark".to_owned()),
                    playing if playing < bots => problem(
                        "a bot is neither the candidate nor a benchmark; list it in `against` or \
                         remove it"
                            .to_owned(),
                    ),
                    _ => Ok(()),
                }
            }
            Format::Gauntlet { candidate, rounds } => {
                self.require_bot(candidate)?;
                validate_rounds(*rounds)
            }
            Format::RoundRobin { rounds } | Format::Swiss { rounds } => {
                validate_rounds(*rounds)?;
                if bots < seats {
                    return problem(format!(
                        "this format needs at least as many bots as seats, but there are {bots} \
                         bots and {seats} seats"
                    ));
                }
                Ok(())
            }
            Format::Fork { from, seating, candidate, times } => {
                self.require_bot(candidate)?;
                for name in seating {
                    self.require_bot(name)?;
                }
                if seating.len() != seats {
                    let given = seating.len();
                    return problem(format!("seating lists {given} bots for {seats} seats"));
                }
                validate_rounds(*times)?;
                from.validate(seats)
            }
        }
    }

    fn validate_seeds(&self) -> Result<(), SpecError> {
        let seeds = match &self.seeds {
            None => return Ok(()),
            Some(Seeds::From(seed)) => std::slice::from_ref(seed),
            Some(Seeds::Listed(seeds)) if seeds.is_empty() => {
                return Err(SpecError::invalid("seeds", "the list is empty"));
            }
            Some(Seeds::Listed(seeds)) => seeds,
        };
        for seed in seeds {
            seed.parse::<Seed>()
                .map_err(|error| SpecError::invalid("seeds", format!("{seed:?}: {error}")))?;
        }
        Ok(())
    }
}

fn validate_rounds(rounds: u32) -> Result<(), SpecError> {
    match rounds {
        1..=10_000 => Ok(()),
        _ => Err(SpecError::out_of_range("format.rounds", rounds, "1..=10000")),
    }
}

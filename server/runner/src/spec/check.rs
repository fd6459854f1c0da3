//! Whether a contest can be played.

use std::collections::HashSet;

use bridgemaster_games::Seed;

use super::{ContestSpec, Format, Seeds};
use crate::SpecError;

/// Most bots of a contest: a round-robin at six seats has a table for each set of six.
const MOST_BOTS: usize = 100;
/// Least memory that a bot can be given, in bytes: with less no program starts.
const LEAST_BOT_MEMORY_BYTES: u64 = 1024 * 1024;
/// Most times: a bot that dies more often does not play.
const MOST_RESTARTS: u32 = 10;
/// Most matches at once. Each has a process for each seat.
const MOST_CONCURRENT_MATCHES: u32 = 256;

impl ContestSpec {
    /// Whether the contest can be played.
    ///
    /// # Errors
    /// [`SpecError`] for the first entry that makes no sense.
    pub fn check(&self) -> Result<(), SpecError> {
        self.rules.check()?;
        self.check_bots()?;
        self.check_format()?;
        match (&self.test, self.test()) {
            (Some(_), None) => {
                return Err(SpecError::Test(
                    "this format has a number of rounds and no test; leave `test` out".to_owned(),
                ));
            }
            (_, Some(test)) => test.check(self.rules.seats, self.matches_per_group())?,
            (None, None) => {}
        }
        let out_of_range = |field, value: String, valid| {
            Err(SpecError::OutOfRange {
                field,
                value,
                valid,
            })
        };
        if !(self.level > 0.5 && self.level < 1.0) {
            return out_of_range("level", self.level.to_string(), "above 0.5 and below 1");
        }
        if let Some(concurrency) = self.concurrency
            && !(1..=MOST_CONCURRENT_MATCHES).contains(&concurrency)
        {
            return out_of_range("concurrency", concurrency.to_string(), "1 to 256");
        }
        if self.restarts() > MOST_RESTARTS {
            return out_of_range("restarts", self.restarts().to_string(), "0 to 10");
        }
        if let Some(bytes) = self.bot_memory_bytes
            && bytes < LEAST_BOT_MEMORY_BYTES
        {
            let valid = "1048576 (1 MiB) or more";
            return out_of_range("bot_memory_bytes", bytes.to_string(), valid);
        }
        for requirement in &self.require {
            let is_bot = |name: &str| self.bot_number(name).is_some();
            requirement.check(is_bot, self.candidate().is_some())?;
        }
        self.check_seeds()
    }

    fn check_bots(&self) -> Result<(), SpecError> {
        // Where a match is played on, one bot may have all seats.
        let least = match self.format {
            Format::Fork { .. } => 1,
            _ => 2,
        };
        if !(least..=MOST_BOTS).contains(&self.bots.len()) {
            return Err(SpecError::OutOfRange {
                field: "the number of bots",
                value: self.bots.len().to_string(),
                valid: "2 to 100",
            });
        }
        let mut names = HashSet::new();
        for bot in &self.bots {
            bot.check()?;
            if !names.insert(&bot.name) {
                return Err(SpecError::Bot {
                    bot: bot.name.clone(),
                    problem: "two bots have this name; give each its own".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn check_format(&self) -> Result<(), SpecError> {
        let problem = |text: String| Err(SpecError::Format(text));
        let known = |name: &String| {
            let names = self.bots.iter().map(|bot| bot.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            self.bot_number(name)
                .ok_or_else(|| SpecError::Format(format!("there is no bot {name:?}, only {names}")))
        };
        let (bots, seats) = (self.bots.len(), usize::from(self.rules.seats));
        match &self.format {
            Format::Series if bots != seats => problem(format!(
                "a series has one bot for each seat, and there are {bots} bots and {seats} seats"
            )),
            Format::Series => Ok(()),
            Format::Candidate { candidate, against } => {
                let number = known(candidate)?;
                let mut met = HashSet::new();
                for name in against {
                    let other = known(name)?;
                    if other == number || !met.insert(other) {
                        return problem(format!(
                            "against: {name:?} is the candidate, or named twice"
                        ));
                    }
                }
                match met.len() + 1 {
                    1 => problem("against: name one benchmark at least".to_owned()),
                    playing if playing < bots => problem(
                        "a bot is neither the candidate nor a benchmark; name all others in \
                         `against`, or leave it out"
                            .to_owned(),
                    ),
                    _ => Ok(()),
                }
            }
            Format::RoundRobin { rounds } => {
                check_rounds(*rounds)?;
                self.check_table(bots, seats)
            }
            Format::Gauntlet { candidate, rounds } => {
                known(candidate)?;
                check_rounds(*rounds)
            }
            Format::Swiss { rounds } => {
                check_rounds(*rounds)?;
                self.check_table(bots, seats)
            }
            Format::Fork {
                from,
                seating,
                candidate,
                times,
            } => {
                known(candidate)?;
                for name in seating {
                    known(name)?;
                }
                if seating.len() != seats {
                    let given = seating.len();
                    return problem(format!(
                        "{given} bots have seats, and there are {seats} seats"
                    ));
                }
                check_rounds(*times)?;
                from.check(seats)
            }
        }
    }

    fn check_table(&self, bots: usize, seats: usize) -> Result<(), SpecError> {
        if bots < seats {
            return Err(SpecError::Format(format!(
                "this format needs as many bots as seats at least, and there are {bots} bots and \
                 {seats} seats"
            )));
        }
        Ok(())
    }

    fn check_seeds(&self) -> Result<(), SpecError> {
        let seeds = match &self.seeds {
            None => return Ok(()),
            Some(Seeds::From(seed)) => std::slice::from_ref(seed),
            Some(Seeds::Listed(seeds)) if seeds.is_empty() => {
                return Err(SpecError::Seeds("none is listed".to_owned()));
            }
            Some(Seeds::Listed(seeds)) => seeds,
        };
        for seed in seeds {
            seed.parse::<Seed>()
                .map_err(|error| SpecError::Seeds(format!("{seed:?}: {error}")))?;
        }
        Ok(())
    }
}

fn check_rounds(rounds: u32) -> Result<(), SpecError> {
    match rounds {
        1..=10_000 => Ok(()),
        _ => Err(SpecError::OutOfRange {
            field: "format.rounds",
            value: rounds.to_string(),
            valid: "1 to 10000",
        }),
    }
}

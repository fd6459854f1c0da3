//! The command: many seeds, or one again.

use std::{ops::RangeInclusive, process::ExitCode, time::Instant};

use crate::{
    cluster::trouble::Trouble,
    matches::{Failure, Tally, game_ids, game_of, play_over_nodes, play_seed},
};

/// Seeds to play.
#[derive(Debug)]
pub(crate) struct Command {
    first_seed: u64,
    seeds: u64,
    game: Option<&'static str>,
    /// Servers that share a database; one is alone when `None`.
    nodes: Option<usize>,
}

/// How many servers may share a database here.
const NODES: RangeInclusive<usize> = 2..=3;

impl Command {
    /// Reads the arguments; `None` when they are those of a test run.
    pub(crate) fn from_args(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let args: Vec<String> = args.collect();
        if !args.iter().any(|arg| arg == "--seed" || arg == "--matches") {
            return Ok(None);
        }
        let mut command = Self {
            first_seed: 0,
            seeds: 1,
            game: None,
            nodes: None,
        };
        let mut args = args.iter();
        while let Some(name) = args.next() {
            let value = args
                .next()
                .ok_or_else(|| format!("{name}: a value is missing"))?;
            let number = || {
                let parsed = value.parse();
                parsed.map_err(|_| format!("{name}: {value:?} is no number from 0"))
            };
            match name.as_str() {
                "--seed" => command.first_seed = number()?,
                "--matches" => command.seeds = number()?,
                "--nodes" => {
                    let nodes = usize::try_from(number()?).unwrap_or(usize::MAX);
                    if !NODES.contains(&nodes) {
                        return Err(format!("--nodes: {nodes} is none of 2 and 3"));
                    }
                    command.nodes = Some(nodes);
                }
                "--game" => {
                    let known = game_ids();
                    let game = known.iter().find(|id| *id == value);
                    command.game = Some(
                        game.ok_or_else(|| format!("--game: {value:?} is none of {known:?}"))?,
                    );
                }
                _ => {
                    return Err(format!(
                        "{name}: --seed, --matches, --game and --nodes are valid"
                    ));
                }
            }
        }
        Ok(Some(command))
    }

    pub(crate) fn run(&self) -> ExitCode {
        let started = Instant::now();
        let mut tally = Tally::default();
        for seed in self.first_seed..self.first_seed.saturating_add(self.seeds) {
            let game = self.game.unwrap_or_else(|| game_of(seed));
            let played = match self.nodes {
                Some(nodes) => play_over_nodes(seed, game, nodes, &mut tally),
                None => play_seed(seed, game, &mut tally),
            };
            if let Err(failure) = played {
                println!("{}", told(&failure));
                return ExitCode::FAILURE;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{} matches with {} decisions and {} inputs, {:.0} hours of virtual time, in {seconds:.1} s: {:.0} matches a minute",
            tally.matches,
            tally.decisions,
            tally.inputs,
            tally.virtual_time.as_secs_f64() / 3600.0,
            tally.matches as f64 * 60.0 / seconds,
        );
        match self.nodes {
            Some(_) => println!("{}", figures(&tally)),
            None => println!(
                "{} restarts of servers, {} of them with less than had been stored",
                tally.restarts, tally.lost_tails
            ),
        }
        println!("faults: {:?}", tally.faults);
        println!("bots: {:?}", tally.kinds);
        ExitCode::SUCCESS
    }
}

/// What happened to servers that share a database.
fn figures(tally: &Tally) -> String {
    let figures = &tally.figures;
    let troubles = Trouble::ALL.into_iter().zip(figures.troubles);
    let troubles: Vec<_> = troubles
        .map(|(trouble, count)| format!("{count} {trouble:?}"))
        .collect();
    format!(
        "the match moved {} times, and a server went on with it {} times\n\
         {} servers ended since another had their node, {} could not renew their lease in time\n\
         {} tries again, {} of which found their commit\n\
         {} bots sent on, {} told the end from what is kept\n\
         {}",
        figures.moves,
        figures.lives,
        figures.superseded,
        figures.lapses,
        figures.retries,
        figures.found,
        figures.sent_on,
        figures.last_words,
        troubles.join(", "),
    )
}

/// A failure for people, with the command that repeats it.
pub(crate) fn told(failure: &Failure) -> String {
    let Failure {
        seed,
        game,
        nodes,
        problem,
        trace,
    } = failure;
    let nodes = nodes.map_or(String::new(), |nodes| format!(" --nodes {nodes}"));
    format!(
        "{trace}\nseed {seed} of {game}: {problem}\nagain: cargo test -p bridgemaster-match --test simulation -- --seed {seed} --game {game}{nodes}"
    )
}

//! The command line: runs many seeds, or repeats one.

use std::{ops::RangeInclusive, process::ExitCode, time::Instant};

use crate::{
    cluster::trouble::Trouble,
    matches::{Failure, Totals, game_ids, game_of, play_over_nodes, play_seed},
};

/// The seeds to run.
#[derive(Debug)]
pub(crate) struct Command {
    first_seed: u64,
    seeds: u64,
    game: Option<&'static str>,
    /// The number of servers in the cluster; `None` for a single server.
    nodes: Option<usize>,
}

/// Maximum number of servers in a cluster.
const NODES: RangeInclusive<usize> = 2..=3;

impl Command {
    /// Parses the arguments; `None` if they are those of a test run.
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
                    let ids = game_ids();
                    let game = ids.iter().find(|id| *id == value);
                    command.game =
                        Some(game.ok_or_else(|| format!("--game: {value:?} is none of {ids:?}"))?);
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
        let mut totals = Totals::default();
        for seed in self.first_seed..self.first_seed.saturating_add(self.seeds) {
            let game = self.game.unwrap_or_else(|| game_of(seed));
            let played = match self.nodes {
                Some(nodes) => play_over_nodes(seed, game, nodes, &mut totals),
                None => play_seed(seed, game, &mut totals),
            };
            if let Err(failure) = played {
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
        match self.nodes {
            Some(_) => println!("{}", figures(&totals)),
            None => println!(
                "{} restarts of servers, {} of them with less than had been stored",
                totals.restarts, totals.lost_tails
            ),
        }
        println!("faults: {:?}", totals.faults);
        println!("bots: {:?}", totals.kinds);
        ExitCode::SUCCESS
    }
}

/// Formats the statistics of clusters.
fn figures(totals: &Totals) -> String {
    let figures = &totals.figures;
    let troubles = Trouble::ALL.into_iter().zip(figures.troubles);
    let troubles: Vec<_> = troubles
        .map(|(trouble, count)| format!("{count} {trouble:?}"))
        .collect();
    format!(
        "the match moved {} times, and was resumed {} times\n\
         {} servers were superseded, {} could not renew their lease in time\n\
         {} retries, {} of which found their commit\n\
         {} bots redirected, {} got the end from the stored summary\n\
         {}",
        figures.moves,
        figures.lives,
        figures.superseded,
        figures.lapses,
        figures.retries,
        figures.found,
        figures.sent_on,
        figures.final_messages,
        troubles.join(", "),
    )
}

/// Formats a failure, with the command that repeats it.
pub(crate) fn describe_failure(failure: &Failure) -> String {
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

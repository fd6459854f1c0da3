//! The tests of `cargo test`.

use bridgemaster_referee::FaultReason;
use libtest_mimic::{Failed, Trial};

use crate::{
    cluster::{tampering::ClusterDefect, trouble::Trouble},
    command::describe_failure,
    matches::{
        Totals, game_ids, game_of, is_cluster_noticed, is_effect_noticed, is_noticed,
        play_over_nodes, play_seed, trace_of,
    },
    plan::Kind,
    tampering::{EffectDefect, RefereeDefect},
};

/// The number of seeds per game: several seconds without optimisation.
const SEEDS: u64 = 40;
/// The number of seeds per game in clusters, where matches take longer because of outages.
const SEEDS_OVER_NODES: u64 = 40;
/// Maximum number of seeds in clusters, until every trouble has struck.
const MAX_SEEDS_OVER_NODES: u64 = 120;
/// Seeds of clusters that found a defect: a bot was charged for an outage.
const SEEDS_THAT_FOUND: [(u64, &str, usize); 2] =
    [(97, "alhambra", 2), (390, "old_london_bridge", 2)];
/// The number of seeds that are searched for an effect of a cluster defect.
const SEEDS_FOR_A_WRONG_CLUSTER: u64 = 100;
/// The number of seeds that are searched for an effect of a defect.
const SEEDS_FOR_A_WRONG: u64 = 20;

pub(crate) fn trials() -> Vec<Trial> {
    let games = game_ids().into_iter().map(|game| {
        Trial::test(
            format!("{game}_is_refereed_truly_under_every_fault"),
            move || every_fault(game),
        )
    });
    let wrongs = RefereeDefect::ALL.into_iter().map(|wrong| {
        let name = format!("a_referee_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            notified_of(SEEDS_FOR_A_WRONG, |seed| {
                is_noticed(seed, game_of(seed), wrong)
            })
        })
    });
    let seeds = Trial::test("another_seed_gives_another_trace", another_seed);
    let effects = EffectDefect::ALL.into_iter().map(|wrong| {
        let name = format!("a_match_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            notified_of(SEEDS_FOR_A_WRONG, |seed| {
                is_effect_noticed(seed, game_of(seed), wrong)
            })
        })
    });
    let over_nodes = game_ids().into_iter().map(|game| {
        let name = format!("{game}_goes_on_whatever_happens_to_its_nodes");
        Trial::test(name, move || whatever_happens(game))
    });
    let clusters = ClusterDefect::ALL.into_iter().map(|wrong| {
        let name = format!("a_node_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            notified_of(SEEDS_FOR_A_WRONG_CLUSTER, |seed| {
                is_cluster_noticed(seed, game_of(seed), wrong).is_some()
            })
        })
    });
    let found = SEEDS_THAT_FOUND.into_iter().map(|(seed, game, nodes)| {
        let name = format!("seed_{seed}_of_{game}_blames_nobody_for_servers");
        Trial::test(name, move || {
            let played = play_over_nodes(seed, game, nodes, &mut Totals::default());
            Ok(played.map_err(|failure| describe_failure(&failure))?)
        })
    });
    let of_matches = wrongs.chain(effects).chain([seeds]);
    games
        .chain(of_matches)
        .chain(over_nodes)
        .chain(found)
        .chain(clusters)
        .collect()
}

fn every_fault(game: &'static str) -> Result<(), Failed> {
    let mut totals = Totals::default();
    for seed in 0..SEEDS {
        play_seed(seed, game, &mut totals).map_err(|failure| describe_failure(&failure))?;
    }
    // A simulation without trouble proves nothing.
    let reasons = [
        FaultReason::Illegal,
        FaultReason::Late,
        FaultReason::Disconnected,
        FaultReason::NeverConnected,
        FaultReason::Flood,
        FaultReason::Garbage,
        FaultReason::Resigned,
    ];
    let is_there = |reason| totals.faults.iter().any(|(counted, _)| *counted == reason);
    match reasons.into_iter().find(|reason| !is_there(*reason)) {
        Some(reason) => Err(format!("no bot committed {reason}").into()),
        None if totals.restarts < SEEDS => {
            Err(format!("the server was killed {} times", totals.restarts).into())
        }
        None if totals.lost_tails < SEEDS / 8 => {
            Err(format!("the end of a journal was lost {} times", totals.lost_tails).into())
        }
        None if totals.cancelled == 0 => Err("no match was cancelled".into()),
        None if totals.kinds.len() < Kind::ALL.len() => {
            Err(format!("some kind of bot did not play: {:?}", totals.kinds).into())
        }
        None => Ok(()),
    }
}

/// Runs seeds of a game over two and three nodes, and more until every trouble has struck, because
/// a short match has few.
fn whatever_happens(game: &'static str) -> Result<(), Failed> {
    let mut totals = Totals::default();
    let missing = |totals: &Totals| {
        let missing = totals.figures.troubles.iter().position(|count| *count == 0);
        missing.and_then(|place| Trouble::ALL.get(place))
    };
    for seed in 0..MAX_SEEDS_OVER_NODES {
        if seed >= SEEDS_OVER_NODES && missing(&totals).is_none() {
            break;
        }
        let nodes = 2 + seed as usize % 2;
        play_over_nodes(seed, game, nodes, &mut totals)
            .map_err(|failure| describe_failure(&failure))?;
    }
    match missing(&totals) {
        Some(trouble) => Err(format!("no {trouble:?} was made").into()),
        None if totals.figures.moves < SEEDS_OVER_NODES / 4 => {
            Err(format!("the match moved {} times", totals.figures.moves).into())
        }
        None => Ok(()),
    }
}

fn notified_of(seeds: u64, is_noticed: impl Fn(u64) -> bool) -> Result<(), Failed> {
    match (0..seeds).any(is_noticed) {
        true => Ok(()),
        false => Err("it went unnoticed".into()),
    }
}

fn another_seed() -> Result<(), Failed> {
    let trace = |seed| trace_of(seed, "heap").map_err(|failure| describe_failure(&failure));
    match trace(1)? == trace(2)? {
        true => Err("seeds 1 and 2 play one match".into()),
        false => Ok(()),
    }
}

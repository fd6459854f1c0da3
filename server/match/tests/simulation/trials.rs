//! The short run of `cargo test`.

use bridgemaster_referee::FaultReason;
use libtest_mimic::{Failed, Trial};

use crate::{
    cluster::{tampering::WrongCluster, trouble::Trouble},
    command::told,
    matches::{
        Tally, game_ids, game_of, is_cluster_noticed, is_effect_noticed, is_noticed,
        play_over_nodes, play_seed, trace_of,
    },
    plan::Kind,
    tampering::{Wrong, WrongEffect},
};

/// Seeds for each game: some seconds without optimization.
const SEEDS: u64 = 40;
/// Seeds over several servers: a match takes longer, since servers are away for long.
const SEEDS_OVER_NODES: u64 = 40;
/// The most seeds over several servers, if some trouble was not made before.
const MOST_SEEDS_OVER_NODES: u64 = 120;
/// Seeds over several servers, with their games, by which a defect was found: a bot paid for servers.
const SEEDS_THAT_FOUND: [(u64, &str, usize); 2] =
    [(97, "alhambra", 2), (390, "old_london_bridge", 2)];
/// Seeds in which an occasion for a wrong of servers is sought.
const SEEDS_FOR_A_WRONG_CLUSTER: u64 = 100;
/// Seeds in which an occasion for a wrong is sought.
const SEEDS_FOR_A_WRONG: u64 = 20;

pub(crate) fn trials() -> Vec<Trial> {
    let games = game_ids().into_iter().map(|game| {
        Trial::test(
            format!("{game}_is_refereed_truly_under_every_fault"),
            move || every_fault(game),
        )
    });
    let wrongs = Wrong::ALL.into_iter().map(|wrong| {
        let name = format!("a_referee_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            told_of(SEEDS_FOR_A_WRONG, |seed| {
                is_noticed(seed, game_of(seed), wrong)
            })
        })
    });
    let seeds = Trial::test("another_seed_gives_another_trace", another_seed);
    let effects = WrongEffect::ALL.into_iter().map(|wrong| {
        let name = format!("a_match_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            told_of(SEEDS_FOR_A_WRONG, |seed| {
                is_effect_noticed(seed, game_of(seed), wrong)
            })
        })
    });
    let over_nodes = game_ids().into_iter().map(|game| {
        let name = format!("{game}_goes_on_whatever_happens_to_its_nodes");
        Trial::test(name, move || whatever_happens(game))
    });
    let clusters = WrongCluster::ALL.into_iter().map(|wrong| {
        let name = format!("a_node_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            told_of(SEEDS_FOR_A_WRONG_CLUSTER, |seed| {
                is_cluster_noticed(seed, game_of(seed), wrong).is_some()
            })
        })
    });
    let found = SEEDS_THAT_FOUND.into_iter().map(|(seed, game, nodes)| {
        let name = format!("seed_{seed}_of_{game}_blames_nobody_for_servers");
        Trial::test(name, move || {
            let played = play_over_nodes(seed, game, nodes, &mut Tally::default());
            Ok(played.map_err(|failure| told(&failure))?)
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
    let mut tally = Tally::default();
    for seed in 0..SEEDS {
        play_seed(seed, game, &mut tally).map_err(|failure| told(&failure))?;
    }
    // A simulation in which nothing goes wrong shows nothing.
    let reasons = [
        FaultReason::Illegal,
        FaultReason::Late,
        FaultReason::Disconnected,
        FaultReason::NeverConnected,
        FaultReason::Flood,
        FaultReason::Garbage,
        FaultReason::Resigned,
    ];
    let is_there = |reason| tally.faults.iter().any(|(counted, _)| *counted == reason);
    match reasons.into_iter().find(|reason| !is_there(*reason)) {
        Some(reason) => Err(format!("no bot committed {reason}").into()),
        None if tally.restarts < SEEDS => {
            Err(format!("the server was killed {} times", tally.restarts).into())
        }
        None if tally.lost_tails < SEEDS / 8 => {
            Err(format!("the end of a journal was lost {} times", tally.lost_tails).into())
        }
        None if tally.cancelled == 0 => Err("no match was cancelled".into()),
        None if tally.kinds.len() < Kind::ALL.len() => {
            Err(format!("some kind of bot did not play: {:?}", tally.kinds).into())
        }
        None => Ok(()),
    }
}

/// Plays seeds of a game over two nodes and over three, and more of them until every trouble was made:
/// a short match has few.
fn whatever_happens(game: &'static str) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let missing = |tally: &Tally| {
        let missing = tally.figures.troubles.iter().position(|count| *count == 0);
        missing.and_then(|place| Trouble::ALL.get(place))
    };
    for seed in 0..MOST_SEEDS_OVER_NODES {
        if seed >= SEEDS_OVER_NODES && missing(&tally).is_none() {
            break;
        }
        let nodes = 2 + seed as usize % 2;
        play_over_nodes(seed, game, nodes, &mut tally).map_err(|failure| told(&failure))?;
    }
    match missing(&tally) {
        Some(trouble) => Err(format!("no {trouble:?} was made").into()),
        None if tally.figures.moves < SEEDS_OVER_NODES / 4 => {
            Err(format!("the match moved {} times", tally.figures.moves).into())
        }
        None => Ok(()),
    }
}

fn told_of(seeds: u64, is_noticed: impl Fn(u64) -> bool) -> Result<(), Failed> {
    match (0..seeds).any(is_noticed) {
        true => Ok(()),
        false => Err("it went unnoticed".into()),
    }
}

fn another_seed() -> Result<(), Failed> {
    let trace = |seed| trace_of(seed, "heap").map_err(|failure| told(&failure));
    match trace(1)? == trace(2)? {
        true => Err("seeds 1 and 2 play one match".into()),
        false => Ok(()),
    }
}

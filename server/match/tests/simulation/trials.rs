//! The tests of `cargo test`.

use bridgemaster_games::GAME_IDS;
use bridgemaster_referee::FaultReason;
use libtest_mimic::{Failed, Trial};

use crate::{
    command::describe_failure,
    matches::{Totals, game_of, is_effect_noticed, is_noticed, play_seed, trace_of},
    plan::Kind,
    tampering::{EffectDefect, RefereeDefect},
};

/// The number of seeds per game: several seconds without optimisation.
const SEEDS: u64 = 40;
/// The number of seeds that are searched for an effect of a defect.
const SEEDS_PER_DEFECT: u64 = 20;

pub(crate) fn trials() -> Vec<Trial> {
    let games = GAME_IDS.iter().map(|&game| {
        Trial::test(format!("{game}_is_refereed_truly_under_every_fault"), move || {
            every_fault(game)
        })
    });
    let wrongs = RefereeDefect::ALL.into_iter().map(|(wrong, name)| {
        let name = format!("a_referee_that_{name}_is_noticed");
        Trial::test(name, move || {
            notified_of(SEEDS_PER_DEFECT, |seed| is_noticed(seed, game_of(seed), wrong))
        })
    });
    let seeds = Trial::test("another_seed_gives_another_trace", another_seed);
    let effects = EffectDefect::ALL.into_iter().map(|(wrong, name)| {
        let name = format!("a_match_that_{name}_is_noticed");
        Trial::test(name, move || {
            notified_of(SEEDS_PER_DEFECT, |seed| is_effect_noticed(seed, game_of(seed), wrong))
        })
    });
    games.chain(wrongs).chain(effects).chain([seeds]).collect()
}

fn every_fault(game: &'static str) -> Result<(), Failed> {
    let mut totals = Totals::default();
    for seed in 0..SEEDS {
        play_seed(seed, game, &mut totals).map_err(|failure| describe_failure(&failure))?;
    }
    // A simulation in which nothing goes wrong proves nothing.
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
            Err(format!("a kind of bot did not play: {:?}", totals.kinds).into())
        }
        None => Ok(()),
    }
}

fn notified_of(seeds: u64, is_noticed: impl Fn(u64) -> bool) -> Result<(), Failed> {
    match (0..seeds).any(is_noticed) {
        true => Ok(()),
        false => Err("the defect was not noticed".into()),
    }
}

fn another_seed() -> Result<(), Failed> {
    let trace = |seed| trace_of(seed, GAME_IDS[0]).map_err(|failure| describe_failure(&failure));
    match trace(1)? == trace(2)? {
        true => Err("seeds 1 and 2 play the same match".into()),
        false => Ok(()),
    }
}

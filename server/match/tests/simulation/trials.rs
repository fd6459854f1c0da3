//! The short run of `cargo test`.

use bridgemaster_referee::FaultReason;
use libtest_mimic::{Failed, Trial};

use crate::{
    command::told,
    matches::{Tally, game_ids, game_of, is_effect_noticed, is_noticed, play_seed, trace_of},
    plan::Kind,
    tampering::{Wrong, WrongEffect},
};

/// Seeds for each game: some seconds without optimization.
const SEEDS: u64 = 40;
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
            told_of(|seed| is_noticed(seed, game_of(seed), wrong))
        })
    });
    let seeds = Trial::test("another_seed_gives_another_trace", another_seed);
    let effects = WrongEffect::ALL.into_iter().map(|wrong| {
        let name = format!("a_match_that_{}_is_noticed", wrong.name());
        Trial::test(name, move || {
            told_of(|seed| is_effect_noticed(seed, game_of(seed), wrong))
        })
    });
    games.chain(wrongs).chain(effects).chain([seeds]).collect()
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

fn told_of(is_noticed: impl Fn(u64) -> bool) -> Result<(), Failed> {
    match (0..SEEDS_FOR_A_WRONG).any(is_noticed) {
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

//! The runs of one seed: its match is played, sometimes twice.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use bridgemaster_games::{GAME_IDS, Game, with_game};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::FaultReason;

use crate::{
    plan::{Kind, Plan},
    tampering::{EffectDefect, EffectTampering, RefereeDefect, Tampering, Tamperings},
    world::{Played, World},
};

/// Returns the game of a seed: the chosen game, if there is one.
pub(crate) fn game_of(seed: u64) -> &'static str {
    GAME_IDS[(seed % GAME_IDS.len() as u64) as usize]
}

/// The number of trace lines in a failure report.
const LINES_SHOWN: usize = 60;

/// A violated invariant.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) seed: u64,
    pub(crate) game: &'static str,
    pub(crate) problem: String,
    pub(crate) trace: String,
}

/// Totals over several seeds.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) matches: u64,
    pub(crate) inputs: u64,
    pub(crate) decisions: u64,
    pub(crate) restarts: u64,
    pub(crate) lost_tails: u64,
    pub(crate) cancelled: u64,
    pub(crate) virtual_time: Duration,
    pub(crate) faults: Vec<(FaultReason, u64)>,
    pub(crate) kinds: Vec<(Kind, u64)>,
}

impl Totals {
    fn add(&mut self, played: &Played, kinds: impl Iterator<Item = Kind>) {
        self.matches += 1;
        self.inputs += played.inputs;
        self.restarts += u64::from(played.restarts);
        self.lost_tails += u64::from(played.lost_tails);
        self.cancelled += u64::from(played.is_cancelled);
        self.decisions += played.decided.iter().map(|list| list.len() as u64).sum::<u64>();
        self.virtual_time += Duration::from_micros(played.virtual_us);
        played.faults.iter().for_each(|reason| count(&mut self.faults, *reason));
        kinds.for_each(|kind| count(&mut self.kinds, kind));
    }
}

fn count<T: PartialEq>(counts: &mut Vec<(T, u64)>, item: T) {
    match counts.iter_mut().find(|(counted, _)| *counted == item) {
        Some((_, count)) => *count += 1,
        None => counts.push((item, 1)),
    }
}

/// Plays the match of a seed with all faults. Every fourth seed is played twice to compare the
/// traces; the next one compares a disturbed match with an undisturbed one.
pub(crate) fn play_seed(seed: u64, game: &'static str, totals: &mut Totals) -> Result<(), Failure> {
    with_game!(game, G => {
        let plan = || Plan::<G>::with_every_fault(seed);
        let (_, trace) = play(plan(), Tamperings::default(), totals)?;
        match seed % 4 {
            0 => {
                let (_, again) = play(plan(), Tamperings::default(), totals)?;
                same_trace::<G>(seed, &trace, &again)
            }
            1 => {
                let plan = |disturbed| Plan::<G>::with_recovered_faults(seed, disturbed);
                let (calm, _) = play(plan(false), Tamperings::default(), totals)?;
                let (disturbed, trace) = play(plan(true), Tamperings::default(), totals)?;
                same_match::<G>(seed, &calm, &disturbed, trace)
            }
            _ => Ok(()),
        }
    })
    .expect("a game of the catalogue")
}

/// Plays the match of a seed with a defective referee. Returns whether it was noticed.
pub(crate) fn is_noticed(seed: u64, game: &'static str, wrong: RefereeDefect) -> bool {
    with_game!(game, G => {
        let plan = Plan::<G>::with_every_fault(seed);
        let tamperings = Tamperings {
            referee: Some(Tampering::new(wrong)),
            ..Tamperings::default()
        };
        play(plan, tamperings, &mut Totals::default()).is_err()
    })
    .expect("a game of the catalogue")
}

/// Plays the match of a seed with one altered effect. Returns whether it was noticed.
pub(crate) fn is_effect_noticed(seed: u64, game: &'static str, wrong: EffectDefect) -> bool {
    with_game!(game, G => {
        let plan = Plan::<G>::with_every_fault(seed);
        let tamperings = Tamperings {
            effects: Some(EffectTampering::new(wrong)),
            ..Tamperings::default()
        };
        play(plan, tamperings, &mut Totals::default()).is_err()
    })
    .expect("a game of the catalogue")
}

/// The trace of a seed's match.
pub(crate) fn trace_of(seed: u64, game: &'static str) -> Result<String, Failure> {
    with_game!(game, G => {
        let plan = Plan::<G>::with_every_fault(seed);
        play(plan, Tamperings::default(), &mut Totals::default()).map(|(_, trace)| trace)
    })
    .expect("a game of the catalogue")
}

fn play<G: WireGame>(
    plan: Plan<G>,
    tamperings: Tamperings,
    totals: &mut Totals,
) -> Result<(Played, String), Failure> {
    let seed = plan.seed;
    let failure = |problem: String, trace: String| Failure { seed, game: G::ID, problem, trace };
    let mut world = World::new(plan, tamperings)
        .map_err(|violation| failure(violation.to_string(), String::new()))?;
    // A panic counts as a failure like any other, so that its trace is shown too.
    let played = catch_unwind(AssertUnwindSafe(|| world.play()));
    match played {
        Ok(Ok(played)) => {
            totals.add(&played, world.kinds());
            Ok((played, world.trace.text().to_owned()))
        }
        Ok(Err(violation)) => Err(failure(violation.to_string(), world.trace.tail(LINES_SHOWN))),
        Err(_) => Err(failure(
            "the simulation panicked; its message is above".to_owned(),
            world.trace.tail(LINES_SHOWN),
        )),
    }
}

fn same_trace<G: Game>(seed: u64, first: &str, second: &str) -> Result<(), Failure> {
    let differing = first.lines().zip(second.lines()).find(|(first, second)| first != second);
    if first == second {
        return Ok(());
    }
    Err(Failure {
        seed,
        game: G::ID,
        problem: "the same seed played twice has different traces".to_owned(),
        trace: format!("{differing:?}"),
    })
}

fn same_match<G: Game>(
    seed: u64,
    calm: &Played,
    disturbed: &Played,
    trace: String,
) -> Result<(), Failure> {
    let is_same = calm.decided == disturbed.decided
        && calm.digest == disturbed.digest
        && calm.places == disturbed.places
        && disturbed.faults.is_empty();
    if is_same {
        return Ok(());
    }
    Err(Failure {
        seed,
        game: G::ID,
        problem: "faults from which the bots recovered changed the match".to_owned(),
        trace,
    })
}

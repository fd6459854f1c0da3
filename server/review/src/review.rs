//! The review of a match: comparison of all decisions, and the accounts of all seats.

use bridgemaster_games::{ChanceStream, Seat, Seed};
use bridgemaster_greedy::Rate;
use bridgemaster_proto::{games::WireGame, v1::DecidedBy};
use bridgemaster_replay::{ReplayedMatch, ReplayedStep};
use serde::Serialize;

use crate::{
    accounts::{Ledger, SeatAccount},
    comparison::{Compared, Judge, Sums},
    error::ReviewError,
    parallel,
    values::{FIRST_PLACE, Values, play_on, units_per_point},
};

/// The stream of the review's seed for the match's true states. Samples have lower streams.
const TRUE_STREAM: u64 = u64::MAX;
/// The number of samples that one thread plays at a time when a decision is refined.
const SAMPLES_AT_ONCE: u32 = 25;

/// The settings of a review.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of all random numbers. Equal seeds give equal reviews.
    pub seed: Seed,
    /// The number of states that are sampled for each decision of the reviewed seat; at least 1. A
    /// quarter of it is sampled for each decision of another seat, which only the accounts need.
    pub states: u32,
    /// The number of decisions with the highest losses, within their errors, that are compared
    /// again.
    pub costliest: usize,
    /// The number of further states that are sampled for these decisions; at least 1.
    pub costliest_states: u32,
    /// The number of threads. The review does not depend on it.
    pub threads: usize,
}

/// The review of one seat of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// The reviewed seat, from 0.
    pub seat: u8,
    /// The seat's decisions that had an alternative, in order.
    pub decisions: Vec<DecisionReview>,
    /// The accounts of all seats, in seat order.
    pub seats: Vec<SeatAccount>,
}

/// The review of one decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionReview {
    /// The number of decisions of all seats before it, as in `replay fork --at`.
    pub at: usize,
    /// The decision, in notation.
    pub decision: String,
    /// True if the server decided for the bot.
    pub is_by_house: bool,
    /// The judge's choice, in notation.
    pub best: String,
    /// The expected loss against the judge's choice, in points. Negative if the decision was
    /// better.
    pub loss: f64,
    /// The standard error of the loss, in points.
    pub standard_error: f64,
    /// The expected share of the first place after the decision, from 0 to 1.
    pub win_chance: f64,
    /// The expected share of the first place after the judge's choice.
    pub best_win_chance: f64,
    /// The number of sampled states.
    pub states: u32,
}

/// A decision of the match, the judge's choice, and sums over the sampled states.
struct Judged<'a, G: Rate> {
    compared: Compared<'a, G>,
    is_by_house: bool,
    best: G::Decision,
    sums: Sums,
}

impl Settings {
    /// Returns the number of states for a decision of the reviewed seat, or of another seat.
    fn states_of(&self, is_reviewed: bool) -> u32 {
        if is_reviewed { self.states } else { self.states.div_ceil(4) }
    }
}

impl<G: Rate> Judged<'_, G> {
    /// The deciding seat's loss against the judge's choice, in units of points.
    fn loss(&self) -> i64 {
        let seat = self.compared.seat.index();
        self.sums.best.points[seat] - self.sums.taken.points[seat]
    }

    fn review(&self) -> DecisionReview {
        let Sums { states, taken, best, squares } = self.sums;
        let (count, seat) = (f64::from(states), self.compared.seat.index());
        let unit = units_per_point(self.compared.seats) as f64;
        let loss = self.loss() as f64 / count;
        let variance = (squares as f64 / count - loss * loss).max(0.0) / (count - 1.0).max(1.0);
        let win_chance = |values: Values| values.firsts[seat] as f64 / FIRST_PLACE as f64 / count;
        DecisionReview {
            at: self.compared.number,
            decision: self.compared.taken.to_string(),
            is_by_house: self.is_by_house,
            best: self.best.to_string(),
            loss: loss / unit,
            standard_error: variance.sqrt() / unit,
            win_chance: win_chance(taken),
            best_win_chance: win_chance(best),
            states,
        }
    }
}

/// Reviews the decisions of `seat` in a match, and splits the results of all seats into skill and
/// luck. Decisions that a fork copied from another match are not reviewed, and count as luck.
///
/// # Errors
///
/// Returns an error if the seat does not exist, or a state of the match cannot be sampled or played
/// to the end.
pub fn review<G: WireGame + Rate>(
    replayed: &ReplayedMatch<G>,
    seat: Seat,
    judge: &Judge<'_, G>,
    settings: &Settings,
) -> Result<Review, ReviewError> {
    if !replayed.seats.contains(seat) {
        return Err(ReviewError::Seat(seat, replayed.seats.get()));
    }
    let (seed, threads) = (&settings.seed, settings.threads);
    let mut befores = vec![&replayed.start];
    befores.extend(replayed.steps.iter().map(|step| &step.state));
    let values = parallel::map(threads, &befores, |state| {
        let chance = ChanceStream::new(seed, TRUE_STREAM);
        play_on::<G>(&replayed.config, (*state).clone(), chance).ok_or(ReviewError::Endless)
    });
    let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;

    let mut number = 0;
    let steps: Vec<(usize, &G::State, &ReplayedStep<G>)> = befores
        .iter()
        .zip(&replayed.steps)
        .map(|(before, step)| {
            let at = number;
            number += usize::from(step.decision.is_some());
            (at, *before, step)
        })
        .collect();
    let judged = parallel::map(threads, &steps, |(number, before, step)| {
        judged(replayed, (*number, before, step), seat, judge, settings)
    });
    let mut judged = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    refine(&mut judged, seat, settings)?;

    let counts = [settings.states, settings.states_of(false), settings.costliest_states];
    let factor = counts.into_iter().map(i64::from).product();
    let mut ledger = Ledger::new(replayed.seats, factor, values[0]);
    for (value, judged) in values[1..].iter().zip(&judged) {
        let expected = judged.as_ref().map(|judged| {
            let Sums { states, taken, best, .. } = judged.sums;
            (judged.compared.seat, taken.minus(best), states)
        });
        ledger.record(*value, expected.filter(|(_, _, states)| *states > 0));
    }
    let decisions = judged.iter().flatten().filter(|judged| judged.compared.seat == seat);
    Ok(Review {
        seat: seat.number(),
        decisions: decisions.map(Judged::review).collect(),
        seats: ledger.accounts(),
    })
}

/// Compares the decision of a step with the judge's choice. Returns `None` for other steps and for
/// decisions without an alternative.
fn judged<'a, G: WireGame + Rate>(
    replayed: &'a ReplayedMatch<G>,
    (number, before, step): (usize, &G::State, &'a ReplayedStep<G>),
    seat: Seat,
    judge: &Judge<'_, G>,
    settings: &Settings,
) -> Result<Option<Judged<'a, G>>, ReviewError> {
    let decision = step.decision.as_ref();
    let Some(decision) = decision.filter(|decision| decision.decided_by != DecidedBy::Replay)
    else {
        return Ok(None);
    };
    let taken = (number, decision.seat, &decision.decision);
    let Some((compared, decisions)) = Compared::new(&replayed.config, before, taken) else {
        return Ok(None);
    };
    let best = compared.best(&decisions, judge, &settings.seed)?;
    // A decision that equals the judge's choice has no effect on the accounts. Only the review of
    // its own seat shows its win chance.
    let is_reviewed = decision.seat == seat;
    let sums = if is_reviewed || best != decision.decision {
        compared.compare(&best, 0..settings.states_of(is_reviewed), &settings.seed)?
    } else {
        Sums::default()
    };
    let is_by_house = decision.decided_by == DecidedBy::House;
    Ok(Some(Judged { compared, is_by_house, best, sums }))
}

/// Compares the costliest decisions of a seat again: those whose losses are highest when increased
/// by a standard error, so that a mistake with a lucky sample is not missed. The states are new,
/// because a loss that was selected for its size is too high on average.
fn refine<G: WireGame + Rate>(
    judged: &mut [Option<Judged<'_, G>>],
    seat: Seat,
    settings: &Settings,
) -> Result<(), ReviewError> {
    let mut costliest: Vec<(usize, f64)> = Vec::new();
    for (index, judged) in judged.iter().enumerate() {
        if let Some(judged) = judged.as_ref().filter(|one| one.compared.seat == seat)
            && *judged.compared.taken != judged.best
        {
            let DecisionReview { loss, standard_error, .. } = judged.review();
            costliest.push((index, loss + standard_error));
        }
    }
    costliest.sort_by(|one, other| other.1.total_cmp(&one.1));
    let costliest = costliest.into_iter().map(|(index, _)| index).take(settings.costliest);
    let costliest: Vec<usize> = costliest.collect();
    let (first, end) = (settings.states, settings.states + settings.costliest_states);
    let parts: Vec<(usize, u32)> = costliest
        .iter()
        .flat_map(|index| {
            (first..end).step_by(SAMPLES_AT_ONCE as usize).map(move |from| (*index, from))
        })
        .collect();
    let sums = parallel::map(settings.threads, &parts, |(index, from)| match &judged[*index] {
        Some(judged) => {
            let samples = *from..end.min(from + SAMPLES_AT_ONCE);
            judged.compared.compare(&judged.best, samples, &settings.seed)
        }
        None => Ok(Sums::default()),
    });
    for index in costliest {
        if let Some(judged) = &mut judged[index] {
            judged.sums = Sums::default();
        }
    }
    for ((index, _), sums) in parts.into_iter().zip(sums) {
        if let Some(judged) = &mut judged[index] {
            judged.sums = judged.sums.plus(sums?);
        }
    }
    Ok(())
}

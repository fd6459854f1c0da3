//! The review of a match: comparison of all decisions, and the accounts of all seats.

use std::iter;

use bridgemaster_games::{Seat, Seed};
use bridgemaster_greedy::Rate;
use bridgemaster_proto::{games::WireGame, v1::DecidedBy};
use bridgemaster_replay::{ReplayedDecision, ReplayedMatch};
use serde::Serialize;

use crate::{
    accounts::{SeatAccount, accounts},
    comparison::{Compared, Judge, ReviewError, Sums},
    parallel,
    values::{FIRST_PLACE, Values, units_per_point},
};

/// The number of samples that one thread plays at a time when a decision is refined.
const SAMPLES_AT_ONCE: u32 = 25;

/// The settings of a review.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of all random numbers. Equal seeds give equal reviews.
    pub seed: Seed,
    /// The number of states that are sampled for each decision; at least 2.
    pub states: u32,
    /// The number of the bot's decisions with the highest losses, within their errors, that are
    /// compared again.
    pub costliest: usize,
    /// The number of further states that are sampled for these decisions; at least 2.
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
    /// True if the decision is one of the costliest, so its states were sampled after the
    /// selection.
    pub is_refined: bool,
}

/// A decision of the match, the judge's choice, and sums over the sampled states.
struct Judged<'a, G: Rate> {
    compared: Compared<'a, G>,
    is_by_house: bool,
    best: G::Decision,
    /// Sums over the first states, for the accounts: refined sums were selected, so their total is
    /// biased.
    first: Sums,
    refined: Option<Sums>,
}

impl<G: Rate> Judged<'_, G> {
    fn review(&self) -> DecisionReview {
        let sums = self.refined.unwrap_or(self.first);
        let (states, seat) = (f64::from(sums.states), self.compared.seat);
        let points = units_per_point(self.compared.seats) as f64 * states;
        let win_chance =
            |values: Values| values.firsts[seat.index()] as f64 / FIRST_PLACE as f64 / states;
        DecisionReview {
            at: self.compared.number,
            decision: self.compared.taken.to_string(),
            is_by_house: self.is_by_house,
            best: self.best.to_string(),
            loss: -sums.effect(|values| &values.points, seat) as f64 / points,
            standard_error: sums.variance(|values| &values.points, seat).sqrt() / points,
            win_chance: win_chance(sums.taken),
            best_win_chance: win_chance(sums.best),
            states: sums.states,
            is_refined: self.refined.is_some(),
        }
    }
}

/// Reviews the decisions of `seat` in a match, and splits the results of all seats into skill and
/// luck. Results are by score: forfeits do not count. The house's decisions count as the seat's
/// own. Decisions that a fork copied from another match are not reviewed, and count as luck. A seat
/// that is not in the match has no decisions.
///
/// # Errors
///
/// Returns an error if the match has not ended, or a state of the match cannot be sampled or played
/// to the end.
pub fn review<G: WireGame + Rate>(
    replayed: &ReplayedMatch<G>,
    seat: Seat,
    judge: &Judge<'_, G>,
    settings: &Settings,
) -> Result<Review, ReviewError> {
    let last = replayed.steps.last().map_or(&replayed.start, |step| &step.state);
    let result = Values::of_outcome(&G::outcome(last).ok_or(ReviewError::Endless)?);
    let befores = iter::once(&replayed.start).chain(replayed.steps.iter().map(|step| &step.state));
    let decisions: Vec<_> = befores
        .zip(&replayed.steps)
        .filter_map(|(before, step)| Some((before, step.decision.as_ref()?)))
        .enumerate()
        .collect();
    let judged = parallel::map(settings.threads, &decisions, |(number, (before, decision))| {
        judged(replayed, (*number, before, decision), seat, judge, settings)
    });
    let judged = judged.into_iter().filter_map(Result::transpose);
    let mut judged = judged.collect::<Result<Vec<_>, _>>()?;
    refine(&mut judged, seat, settings)?;
    let effects: Vec<_> = judged.iter().map(|one| (one.compared.seat, one.first)).collect();
    let decisions = judged.iter().filter(|judged| judged.compared.seat == seat);
    Ok(Review {
        seat: seat.number(),
        decisions: decisions.map(Judged::review).collect(),
        seats: accounts(replayed.seats, settings.states, &result, &effects),
    })
}

/// Compares a decision with the judge's choice. Returns `None` for decisions without an alternative
/// and those that a fork copied.
fn judged<'a, G: WireGame + Rate>(
    replayed: &'a ReplayedMatch<G>,
    (number, before, decision): (usize, &G::State, &'a ReplayedDecision<G>),
    seat: Seat,
    judge: &Judge<'_, G>,
    settings: &Settings,
) -> Result<Option<Judged<'a, G>>, ReviewError> {
    if decision.decided_by == DecidedBy::Replay {
        return Ok(None);
    }
    let taken = (number, decision.seat, &decision.decision);
    let Some((compared, decisions)) = Compared::new(&replayed.config, before, taken) else {
        return Ok(None);
    };
    let best = compared.best(&decisions, judge, &settings.seed)?;
    // A decision that equals the judge's choice has no effect on the accounts. Only the review of
    // its own seat shows its win chance.
    let first = if decision.seat == seat || best != decision.decision {
        compared.compare(&best, 0..settings.states, &settings.seed)?
    } else {
        Sums::default()
    };
    let is_by_house = decision.decided_by == DecidedBy::House;
    Ok(Some(Judged { compared, is_by_house, best, first, refined: None }))
}

/// Compares the costliest decisions of a seat's bot again: those whose losses are highest when
/// increased by a standard error, so that a mistake with a lucky sample is not missed. The states
/// are new, because a loss that was selected for its size is too high on average.
fn refine<G: WireGame + Rate>(
    judged: &mut [Judged<'_, G>],
    seat: Seat,
    settings: &Settings,
) -> Result<(), ReviewError> {
    let mut costliest: Vec<(usize, f64)> = Vec::new();
    for (index, one) in judged.iter().enumerate() {
        let is_of_bot = one.compared.seat == seat && !one.is_by_house;
        if is_of_bot && *one.compared.taken != one.best {
            let DecisionReview { loss, standard_error, .. } = one.review();
            costliest.push((index, loss + standard_error));
        }
    }
    costliest.sort_by(|one, other| other.1.total_cmp(&one.1));
    costliest.truncate(settings.costliest);
    let (first, end) = (settings.states, settings.states + settings.costliest_states);
    let parts: Vec<(usize, u32)> = costliest
        .iter()
        .flat_map(|(index, _)| {
            (first..end).step_by(SAMPLES_AT_ONCE as usize).map(move |from| (*index, from))
        })
        .collect();
    let sums = parallel::map(settings.threads, &parts, |(index, from)| {
        let Judged { compared, best, .. } = &judged[*index];
        compared.compare(best, *from..end.min(from + SAMPLES_AT_ONCE), &settings.seed)
    });
    for ((index, _), sums) in parts.into_iter().zip(sums) {
        let refined = judged[index].refined.get_or_insert_default();
        *refined = refined.plus(sums?);
    }
    Ok(())
}

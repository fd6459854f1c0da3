//! Decision ratings for the bot `greedy`. The bot tries every decision in a state that is
//! consistent with its observation, and evaluates the resulting state. It looks ahead at most to
//! the end of its own turn. The crate in `bots/rust` contains the bot itself. The rules service's
//! playouts use these ratings too.

#![forbid(unsafe_code)]

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
pub mod old_london_bridge;

use bridgemaster_games::{ChanceStream, FieldError, Game, NoEvents, Seat};

/// The legal decisions of a seat in a state.
#[derive(Debug)]
pub struct DecisionPoint<'a, G: Game> {
    /// The match's config.
    pub config: &'a G::Config,
    /// The state in which the seat decides.
    pub state: &'a G::State,
    /// The seat that has to decide.
    pub seat: Seat,
    /// The legal decisions of the seat, or some of them.
    pub decisions: &'a [G::Decision],
}

/// A game that the greedy bot can play, with ratings of its decisions. Each game has a separate
/// file.
pub trait Rate: Game {
    /// `true` if ratings depend on hidden facts, so that equal requests can get different
    /// decisions.
    const RATES_HIDDEN_FACTS: bool;

    /// Rates the decisions of a point. Adds the rating of each decision to the entry of `ratings`
    /// with the same index. Higher is better.
    fn rate(point: &DecisionPoint<'_, Self>, chance: &mut ChanceStream, ratings: &mut [f64])
    where
        Self: Sized;

    /// Returns the number of states to sample for these decisions. The number is above 1 if ratings
    /// depend on hidden facts. The ratings from all states are added up.
    fn samples(decisions: &[Self::Decision]) -> u32;

    /// Returns `true` if these decisions are so slow to rate that playouts choose at random
    /// instead.
    fn is_slow(_decisions: &[Self::Decision]) -> bool {
        false
    }

    /// Returns the index of the decision that the seat takes in a quick playout. The default is
    /// [`playout_decision`]; a game with slow ratings has a faster policy. The point must have a
    /// decision.
    fn quick_decision(
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        ratings: &mut Vec<f64>,
    ) -> usize
    where
        Self: Sized,
    {
        playout_decision::<Self>(point, chance, ratings)
    }
}

/// Returns the index of the best-rated decision of `seat`; the first of equally rated ones.
/// Decisions are rated in states sampled from `observation`.
///
/// # Errors
///
/// Returns an error if `observation` cannot occur for a seat in a match with this config.
pub fn best_decision<G: Rate>(
    config: &G::Config,
    observation: &G::Observation,
    seat: Seat,
    decisions: &[G::Decision],
    chance: &mut ChanceStream,
) -> Result<usize, FieldError> {
    let mut ratings = vec![0.0; decisions.len()];
    for _ in 0..G::samples(decisions) {
        let state = G::sample_state(config, observation, chance)?;
        let state = &state;
        let point = DecisionPoint { config, state, seat, decisions };
        G::rate(&point, chance, &mut ratings);
    }
    Ok(best_rated(&ratings))
}

/// Returns the index of the decision that the seat takes in a playout. The seat takes the
/// best-rated decision, or a random decision if ratings are [slow](Rate::is_slow). The point must
/// have a decision. `ratings` is a buffer for reuse.
pub fn playout_decision<G: Rate>(
    point: &DecisionPoint<'_, G>,
    chance: &mut ChanceStream,
    ratings: &mut Vec<f64>,
) -> usize {
    let count = point.decisions.len();
    if count < 2 {
        return 0;
    }
    if G::is_slow(point.decisions) {
        return chance.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
    }
    ratings.clear();
    ratings.resize(count, 0.0);
    G::rate(point, chance, ratings);
    best_rated(ratings)
}

/// Returns the state after a decision from its legal list.
pub fn after<G: Game>(state: &G::State, seat: Seat, decision: &G::Decision) -> G::State {
    let mut after = state.clone();
    let applied = G::apply(&mut after, seat, decision, &mut NoEvents);
    debug_assert!(applied.is_ok(), "a listed decision applies");
    after
}

/// The number of random decisions from which a quick playout takes the most promising one.
const QUICK_CANDIDATES: u32 = 6;

/// Returns the best of some random decisions. `value` returns the value of the decision with this
/// index, and `count` is the number of decisions.
fn quick_best(count: u32, chance: &mut ChanceStream, value: impl Fn(usize) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for number in 0..QUICK_CANDIDATES.min(count) {
        let place = if QUICK_CANDIDATES >= count { number } else { chance.below(count) } as usize;
        let value = value(place);
        if value > best.1 {
            best = (place, value);
        }
    }
    best.0
}

/// Returns the lead of `seat` over the other seats' average, in points.
pub fn lead(points: &[f64], seat: Seat) -> f64 {
    let own = points[seat.index()];
    let all: f64 = points.iter().sum();
    own - (all - own) / (points.len() as f64 - 1.0).max(1.0)
}

/// Returns the index of the highest rating; the first of equal ones.
pub fn best_rated(ratings: &[f64]) -> usize {
    let mut best = 0;
    for (place, rating) in ratings.iter().enumerate() {
        if *rating > ratings[best] {
            best = place;
        }
    }
    best
}

//! What the greedy bot needs of a game.

use bridgemaster_games::{ChanceStream, FieldError, Game, Seat};

/// A game that the greedy bot plays: how good its decisions look. One file a game.
pub trait Rate: Game {
    /// Whether a rating depends on what is hidden: then chance decides between equal requests.
    const RATES_HIDDEN_FACTS: bool;

    /// Rates every decision of `decisions`, all legal for `seat` in `state`, by adding to the
    /// entry of `ratings` at its place. Higher is better.
    fn rate(
        config: &Self::Config,
        state: &Self::State,
        seat: Seat,
        decisions: &[Self::Decision],
        chance: &mut ChanceStream,
        ratings: &mut [f64],
    );

    /// How many states to sample for these decisions; their ratings are added up. More than one
    /// where a rating depends on what is hidden.
    fn samples(decisions: &[Self::Decision]) -> u32;

    /// Whether these decisions take so long to rate that a playout takes any of them instead.
    fn is_slow(_decisions: &[Self::Decision]) -> bool {
        false
    }
}

/// The place in `decisions` of the one that looks best to `seat`, the first of equals: each is
/// rated in states that `observation` allows.
///
/// # Errors
/// When `observation` is none that a seat of a match with this config can have.
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
        G::rate(config, &state, seat, decisions, chance, &mut ratings);
    }
    Ok(best_rated(&ratings))
}

/// The place in `decisions`, which are not empty, of the one that a playout takes for `seat` in
/// `state`: the one that looks best, or any where that [takes long](Rate::is_slow). `ratings` is a
/// buffer.
pub fn playout_decision<G: Rate>(
    config: &G::Config,
    state: &G::State,
    seat: Seat,
    decisions: &[G::Decision],
    chance: &mut ChanceStream,
    ratings: &mut Vec<f64>,
) -> usize {
    if decisions.len() < 2 {
        return 0;
    }
    if G::is_slow(decisions) {
        let count = u32::try_from(decisions.len()).unwrap_or(u32::MAX);
        return chance.below(count) as usize;
    }
    ratings.clear();
    ratings.resize(decisions.len(), 0.0);
    G::rate(config, state, seat, decisions, chance, ratings);
    best_rated(ratings)
}

/// The place of the highest rating, the first of equals.
fn best_rated(ratings: &[f64]) -> usize {
    let mut best = 0;
    for (place, rating) in ratings.iter().enumerate() {
        if *rating > ratings[best] {
            best = place;
        }
    }
    best
}

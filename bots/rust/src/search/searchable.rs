//! The interface between the search and a game. Each game has a separate file.

use bridgemaster_games::{ChanceStream, MAX_SEATS, Seat, SeatCount};

use bridgemaster_greedy::{DecisionPoint, Rate, after};

/// The root of a search: the decision to be made.
#[derive(Debug)]
pub struct Root<'a, G: Rate> {
    /// The match's config.
    pub config: &'a G::Config,
    /// The number of seats in the match.
    pub seats: SeatCount,
    /// The seat that decides.
    pub seat: Seat,
    /// A sampled state at the decision. Its public part is the same in all samples.
    pub state: G::State,
}

/// Estimates of the seats' final scores in a state.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// Each seat's points. Entries beyond the table's seats are ignored.
    pub points: [f64; MAX_SEATS],
    /// The uncertainty of the difference between two seats, in points. A seat keeps a lead of this
    /// size with a probability of 73 %.
    pub spread: f64,
}

/// The parameters of the search in a game.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// The exploration constant: the weight of the bonus for rarely tried decisions. Rewards range
    /// from 0 to 1.
    pub exploration: f64,
    /// The temperature of the prior: decisions whose ratings differ by this much are initially
    /// tried in a ratio of 1 to e.
    pub temperature: f64,
    /// The number of random decisions from which a playout takes the most promising one. With 1,
    /// the playout is random.
    pub candidates: u32,
    /// The maximum number of sampled states. Further playouts reuse them in turn.
    pub samples: usize,
    /// `true` if the first playout at a new node takes the best-rated decision instead of using the
    /// playout policy. This is useful if ratings are cheap compared with a playout.
    pub rates_new_nodes: bool,
}

/// A game that can be searched.
pub trait Searchable: Rate {
    /// Results that are computed once per search and reused.
    type Cache: Default + Send;

    /// The search parameters.
    const PARAMS: Params;

    /// Returns `true` for decisions that several seats make simultaneously and in secret. The other
    /// seats then decide independently of the searching seat.
    fn is_simultaneous(_decisions: &[Self::Decision]) -> bool {
        false
    }

    /// Returns a key for the public chance results that determine the next legal decisions. The key
    /// distinguishes nodes that the same decisions lead to.
    fn chance_key(_state: &Self::State) -> u64 {
        0
    }

    /// Returns `true` if a playout ends at this point. `passes` is the number of times that the
    /// deciding seat has changed in the playout.
    fn is_finished(root: &Root<'_, Self>, point: &DecisionPoint<'_, Self>, passes: u32) -> bool
    where
        Self: Sized;

    /// Returns the estimated final scores in a state.
    fn estimate(root: &Root<'_, Self>, state: &Self::State, cache: &mut Self::Cache) -> Estimate
    where
        Self: Sized;

    /// Rates the decisions available at a decision point, so that better ones are tried first. The
    /// default uses [`Rate::rate`].
    fn prior_ratings(
        _root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _cache: &mut Self::Cache,
        ratings: &mut [f64],
    ) where
        Self: Sized,
    {
        Self::rate(point, chance, ratings);
    }

    /// Returns the index of the decision that the seat takes in a playout.
    fn play(
        root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        cache: &mut Self::Cache,
    ) -> usize
    where
        Self: Sized,
    {
        best_candidate(root, point, chance, cache)
    }
}

/// Returns the lead of `seat` over the other seats' average, in points.
pub(super) fn lead(estimate: &Estimate, seats: SeatCount, seat: Seat) -> f64 {
    bridgemaster_greedy::lead(&estimate.points[..usize::from(seats.get())], seat)
}

/// Returns the lead of `seat` immediately after a decision.
pub(super) fn lead_after<G: Searchable>(
    root: &Root<'_, G>,
    state: &G::State,
    seat: Seat,
    decision: &G::Decision,
    cache: &mut G::Cache,
) -> f64 {
    let after = after::<G>(state, seat, decision);
    lead(&G::estimate(root, &after, cache), root.seats, seat)
}

/// Returns the index of the decision with the best immediate lead, among [`Params::candidates`]
/// random decisions.
fn best_candidate<G: Searchable>(
    root: &Root<'_, G>,
    point: &DecisionPoint<'_, G>,
    chance: &mut ChanceStream,
    cache: &mut G::Cache,
) -> usize {
    let count = point.decisions.len() as u32;
    let candidates = G::PARAMS.candidates;
    if candidates <= 1 || count == 1 {
        return chance.below(count) as usize;
    }
    let mut best = (0, f64::NEG_INFINITY);
    for number in 0..candidates.min(count) {
        let place =
            if candidates >= count { number as usize } else { chance.below(count) as usize };
        let decision = &point.decisions[place];
        let lead = lead_after(root, point.state, point.seat, decision, cache);
        if lead > best.1 {
            best = (place, lead);
        }
    }
    best.0
}

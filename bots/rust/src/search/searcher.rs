//! The search, which plays out sampled states through the tree.

use std::{cmp::Ordering, mem};

use bridgemaster_games::{
    ChanceStream, FieldError, MAX_SEATS, NoEvents, Seat, SeatCount, SeatSet, resolve_chance,
};

use bridgemaster_greedy::DecisionPoint;

use super::{
    budget::Budget,
    searchable::{Estimate, Root, Searchable},
    tree::{EdgeId, NodeId, ROOT, Tree},
};

/// The number of playouts between checks whether another decision could still become the most
/// visited.
const PLAYOUTS_PER_CHECK: u32 = 8;

/// The weight of the place in the reward for a finished match. The lead in points has the remaining
/// weight, so that the search prefers a larger lead if places are equal.
const SHARE_OF_PLACE: f64 = 0.8;

/// Returns the index of the decision that the search takes for `seat`. Plays at least one playout,
/// and continues as long as `budget` allows and another decision could still become the most
/// visited.
///
/// # Errors
///
/// Returns an error if `observation` cannot occur for a seat in a match with this config.
pub fn best_decision<G: Searchable>(
    config: &G::Config,
    seats: SeatCount,
    seat: Seat,
    observation: &G::Observation,
    decisions: &[G::Decision],
    chance: &mut ChanceStream,
    budget: Budget,
) -> Result<usize, FieldError> {
    if decisions.len() < 2 {
        return Ok(0);
    }
    let mut searcher = Searcher::<G>::new(config, seats, seat, observation, chance)?;
    loop {
        searcher.play_out()?;
        let playouts = searcher.playouts();
        let left = budget.left_after(playouts);
        let is_check = playouts.is_multiple_of(PLAYOUTS_PER_CHECK);
        if left == 0 || is_check && searcher.lead() >= left {
            break;
        }
    }
    let best = searcher.best();
    let place = decisions.iter().position(|decision| Some(decision) == best);
    Ok(place.unwrap_or(0))
}

/// The search from one root.
struct Searcher<'a, G: Searchable> {
    root: Root<'a, G>,
    observation: &'a G::Observation,
    chance: &'a mut ChanceStream,
    cache: G::Cache,
    tree: Tree<G::Decision>,
    samples: Vec<G::State>,
    playouts: u32,
    /// The current playout's path through the tree.
    path: Vec<(NodeId, EdgeId)>,
    /// Buffers that playouts reuse.
    list: Vec<G::Decision>,
    open: Vec<EdgeId>,
}

impl<'a, G: Searchable> Searcher<'a, G> {
    /// Creates a search for the decision of `seat` with this observation.
    ///
    /// # Errors
    ///
    /// Returns an error if `observation` cannot occur for a seat in a match with this config.
    fn new(
        config: &'a G::Config,
        seats: SeatCount,
        seat: Seat,
        observation: &'a G::Observation,
        chance: &'a mut ChanceStream,
    ) -> Result<Self, FieldError> {
        let state = G::sample_state(config, observation, chance)?;
        Ok(Self {
            root: Root { config, seats, seat, state },
            observation,
            chance,
            cache: G::Cache::default(),
            tree: Tree::new(seat),
            samples: Vec::new(),
            playouts: 0,
            path: Vec::new(),
            list: Vec::with_capacity(G::LEGAL_CAP),
            open: Vec::new(),
        })
    }

    /// Returns the number of playouts so far.
    fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Returns the number of visits by which the most visited decision leads over the second.
    fn lead(&self) -> u32 {
        let mut visits = [0, 0];
        for edge in self.tree.root_edges() {
            if edge.visits > visits[0] {
                visits = [edge.visits, visits[0]];
            } else if edge.visits > visits[1] {
                visits[1] = edge.visits;
            }
        }
        visits[0] - visits[1]
    }

    /// Returns the most visited decision. Among equally visited decisions, the best mean result
    /// decides. Returns `None` before the first playout.
    fn best(&self) -> Option<&G::Decision> {
        let edges = self.tree.root_edges().iter();
        let best = edges.reduce(|best, edge| {
            let better = (edge.visits, edge.mean()) > (best.visits, best.mean());
            if better { edge } else { best }
        });
        best.map(|edge| &edge.decision)
    }

    /// Plays one playout.
    ///
    /// # Errors
    ///
    /// Returns an error if no state is consistent with the observation.
    fn play_out(&mut self) -> Result<(), FieldError> {
        let number = self.playouts as usize;
        let sample = number % G::PARAMS.samples;
        if sample == self.samples.len() {
            let state = G::sample_state(self.root.config, self.observation, self.chance)?;
            self.samples.push(state);
        }
        let mut state = self.samples[sample].clone();
        self.path.clear();
        self.descend(&mut state);
        let rewards = self.rewards(&state);
        for &(node, edge) in &self.path {
            self.tree.record(node, edge, &rewards);
        }
        self.playouts += 1;
        Ok(())
    }

    /// Plays through the tree to a leaf and one decision further, and then follows the playout
    /// policy.
    fn descend(&mut self, state: &mut G::State) {
        let mut in_tree = true;
        let mut last = self.root.seat;
        let mut passes = 0;
        let mut list = mem::take(&mut self.list);
        loop {
            resolve_chance::<G>(state, self.chance, &mut NoEvents);
            let Some(seat) = self.next_seat(G::seats_to_decide(state)) else {
                break;
            };
            passes += u32::from(seat != last);
            last = seat;
            G::legal(state, seat, &mut list);
            let point = DecisionPoint { config: self.root.config, state, seat, decisions: &list };
            if G::is_finished(&self.root, &point, passes) {
                break;
            }
            let place = match list.len() {
                1 => 0,
                _ if in_tree && (seat == self.root.seat || !G::is_simultaneous(&list)) => {
                    let place = self.choose(&point);
                    in_tree = place.1;
                    place.0
                }
                _ => G::play(&self.root, &point, self.chance, &mut self.cache),
            };
            let applied = G::apply(state, seat, &list[place], &mut NoEvents);
            debug_assert!(applied.is_ok(), "a listed decision applies");
        }
        self.list = list;
    }

    /// Returns the next seat to decide. The searching seat comes before other seats that decide
    /// simultaneously.
    fn next_seat(&self, seats_to_decide: SeatSet) -> Option<Seat> {
        if seats_to_decide.contains(self.root.seat) {
            Some(self.root.seat)
        } else {
            seats_to_decide.iter().next()
        }
    }

    /// Moves to the node of this decision and selects one of its edges. Returns the index of the
    /// selected decision in the list, and whether the playout is still in the tree.
    fn choose(&mut self, point: &DecisionPoint<'_, G>) -> (usize, bool) {
        let found = match self.path.last() {
            None => Some((ROOT, false)),
            Some(&(node, edge)) => {
                let chance_key = G::chance_key(point.state);
                self.tree.child(node, edge, point.seat, chance_key)
            }
        };
        let (root, chance, cache) = (&self.root, &mut *self.chance, &mut self.cache);
        let rates_new_nodes = G::PARAMS.rates_new_nodes;
        let Some((node, is_new)) = found.filter(|(_, is_new)| rates_new_nodes || !is_new) else {
            return (G::play(root, point, chance, cache), false);
        };
        self.tree.open(node, point.decisions, &mut self.open, |missing, ratings| {
            let point = DecisionPoint { decisions: missing, ..*point };
            G::prior_ratings(root, &point, chance, cache, ratings);
        });
        let edge = self.tree.choose(node, &self.open, &G::PARAMS);
        self.path.push((node, edge));
        let place = self.open.iter().position(|open| *open == edge);
        (place.unwrap_or(0), !is_new)
    }

    /// Returns each seat's reward at the end of a playout, from 0 to 1. The reward is the actual or
    /// expected fraction of the other seats that the seat beats. A tie counts as a half.
    fn rewards(&mut self, state: &G::State) -> [f64; MAX_SEATS] {
        let estimate = G::estimate(&self.root, state, &mut self.cache);
        let seats = self.root.seats;
        let outcome = G::outcome(state);
        let mut rewards = [0.0; MAX_SEATS];
        for seat in seats.seats() {
            let by_points = expected_share(&estimate, seats, seat);
            rewards[seat.index()] = match &outcome {
                None => by_points,
                Some(outcome) => {
                    let own = outcome.seats[seat.index()].place;
                    let others = outcome.seats.iter().map(|other| other.place);
                    let beaten: f64 = others.map(|place| share_beaten(own, place)).sum();
                    // The seat ties with itself.
                    let place = (beaten - 0.5) / (f64::from(seats.get()) - 1.0).max(1.0);
                    SHARE_OF_PLACE * place + (1.0 - SHARE_OF_PLACE) * by_points
                }
            };
        }
        rewards
    }
}

/// Returns 1 for a better place, and a half for the same place.
fn share_beaten(own: u8, other: u8) -> f64 {
    match own.cmp(&other) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

/// Returns the fraction of the other seats that a seat can expect to beat.
fn expected_share(estimate: &Estimate, seats: SeatCount, seat: Seat) -> f64 {
    let own = estimate.points[seat.index()];
    let others = seats.seats().filter(|other| *other != seat);
    let chances = others.map(|other| {
        let ahead = own - estimate.points[other.index()];
        1.0 / (1.0 + (-ahead / estimate.spread).exp())
    });
    chances.sum::<f64>() / (f64::from(seats.get()) - 1.0).max(1.0)
}

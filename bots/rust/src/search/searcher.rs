//! The search itself: playouts from sampled states through the tree.

use std::{cmp::Ordering, mem};

use bridgemaster_games::{
    ChanceStream, FieldError, MAX_SEATS, NoEvents, Seat, SeatCount, SeatSet, settle,
};

use super::{
    budget::Budget,
    think::{Habits, Promise, Question, Think},
    tree::{Choosing, EdgeId, NodeId, ROOT, Tree},
};

/// Playouts between two looks at whether another decision could still be tried more often.
const PLAYOUTS_A_LOOK: u32 = 8;

/// How much of the reward of a match that is played to its end is the place; the rest is the lead
/// in points, so that of two sure results the better one is preferred.
const SHARE_OF_PLACE: f64 = 0.8;

/// The place in `decisions` of the one that the search takes for `seat`: at least one playout, and
/// as many more as `budget` allows until no other decision can be tried more often.
///
/// # Errors
/// When `observation` is none that a seat of a match with this config can have.
pub fn best_decision<G: Think>(
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
        let looks = playouts.is_multiple_of(PLAYOUTS_A_LOOK);
        if left == 0 || looks && searcher.lead() >= left {
            break;
        }
    }
    let best = searcher.best();
    let place = decisions.iter().position(|decision| Some(decision) == best);
    Ok(place.unwrap_or(0))
}

/// Searches one question.
struct Searcher<'a, G: Think> {
    question: Question<'a, G>,
    observation: &'a G::Observation,
    habits: Habits,
    chance: &'a mut ChanceStream,
    memory: G::Memory,
    tree: Tree<G::Decision>,
    samples: Vec<G::State>,
    playouts: u32,
    /// The way of the playout through the tree.
    path: Vec<(NodeId, EdgeId)>,
    /// Buffers.
    list: Vec<G::Decision>,
    open: Vec<EdgeId>,
}

impl<'a, G: Think> Searcher<'a, G> {
    /// A search for what `seat` decides, by what it knows.
    ///
    /// # Errors
    /// When `observation` is none that a seat of a match with this config can have.
    fn new(
        config: &'a G::Config,
        seats: SeatCount,
        seat: Seat,
        observation: &'a G::Observation,
        chance: &'a mut ChanceStream,
    ) -> Result<Self, FieldError> {
        let state = G::sample_state(config, observation, chance)?;
        Ok(Self {
            habits: G::habits(seats),
            question: Question {
                config,
                seats,
                seat,
                state,
            },
            observation,
            chance,
            memory: G::Memory::default(),
            tree: Tree::new(seat),
            samples: Vec::new(),
            playouts: 0,
            path: Vec::new(),
            list: Vec::with_capacity(G::LEGAL_CAP),
            open: Vec::new(),
        })
    }

    /// Playouts so far.
    fn playouts(&self) -> u32 {
        self.playouts
    }

    /// How many playouts the decision that was tried most is ahead of every other.
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

    /// The decision that was tried most, of equals the one with the better results; `None` before
    /// the first playout.
    fn best(&self) -> Option<&G::Decision> {
        let edges = self.tree.root_edges().iter();
        let best = edges.reduce(|best, edge| {
            let better = (edge.visits, edge.mean()) > (best.visits, best.mean());
            if better { edge } else { best }
        });
        best.map(|edge| &edge.decision)
    }

    /// One playout.
    ///
    /// # Errors
    /// When the observation allows no state.
    fn play_out(&mut self) -> Result<(), FieldError> {
        let number = self.playouts as usize;
        let sample = number % self.habits.samples;
        if sample == self.samples.len() {
            let state = G::sample_state(self.question.config, self.observation, self.chance)?;
            self.samples.push(state);
        }
        let mut state = self.samples[sample].clone();
        self.path.clear();
        self.descend(&mut state);
        let rewards = self.rewards(&state);
        for &(node, edge) in &self.path {
            self.tree.learn(node, edge, &rewards);
        }
        self.playouts += 1;
        Ok(())
    }

    /// Plays on: by the tree as far as it goes and one decision further, then as playouts do.
    fn descend(&mut self, state: &mut G::State) {
        let mut in_tree = true;
        let mut last = self.question.seat;
        let mut passes = 0;
        let mut list = mem::take(&mut self.list);
        loop {
            settle::<G>(state, self.chance, &mut NoEvents);
            let Some(seat) = self.next_seat(G::owing(state)) else {
                break;
            };
            passes += u32::from(seat != last);
            last = seat;
            G::legal(state, seat, &mut list);
            if G::stops(&self.question, state, &list, passes) {
                break;
            }
            let place = match list.len() {
                1 => 0,
                _ if in_tree && (seat == self.question.seat || !G::is_secret(&list)) => {
                    let place = self.choose(state, seat, &list);
                    in_tree = place.1;
                    place.0
                }
                _ => self.play(state, seat, &list),
            };
            let applied = G::apply(state, seat, &list[place], &mut NoEvents);
            debug_assert!(applied.is_ok(), "a listed decision applies");
        }
        self.list = list;
    }

    /// Who decides next: the searching seat before others that decide at the same time.
    fn next_seat(&self, owing: SeatSet) -> Option<Seat> {
        match owing.contains(self.question.seat) {
            true => Some(self.question.seat),
            false => owing.iter().next(),
        }
    }

    /// Goes to the node of this decision and chooses an edge of it. Returns the place of the
    /// decision in the list, and whether the tree goes on.
    fn choose(&mut self, state: &G::State, seat: Seat, list: &[G::Decision]) -> (usize, bool) {
        let found = match self.path.last() {
            None => Some((ROOT, false)),
            Some(&(node, edge)) => self.tree.child(node, edge, seat, G::sight(state)),
        };
        let (question, chance, memory) = (&self.question, &mut *self.chance, &mut self.memory);
        let looks_first = self.habits.looks_first;
        let Some((node, is_new)) = found.filter(|(_, is_new)| looks_first || !is_new) else {
            return (G::play(question, state, seat, list, chance, memory), false);
        };
        self.tree
            .open(node, list, &mut self.open, |missing, ratings| {
                G::first_look(question, state, seat, missing, chance, memory, ratings);
            });
        let choosing = Choosing {
            exploration: self.habits.exploration,
            temperature: self.habits.temperature,
        };
        let edge = self.tree.choose(node, &self.open, choosing);
        self.path.push((node, edge));
        let place = self.open.iter().position(|open| *open == edge);
        (place.unwrap_or(0), !is_new)
    }

    fn play(&mut self, state: &G::State, seat: Seat, list: &[G::Decision]) -> usize {
        G::play(
            &self.question,
            state,
            seat,
            list,
            self.chance,
            &mut self.memory,
        )
    }

    /// What each seat gets for where the playout ended, 0 to 1: the share of the others that it
    /// beats, ties half, or the chance of that by what the seats may expect.
    fn rewards(&mut self, state: &G::State) -> [f64; MAX_SEATS] {
        let promise = G::promise(&self.question, state, &mut self.memory);
        let seats = self.question.seats;
        let outcome = G::outcome(state);
        let mut rewards = [0.0; MAX_SEATS];
        for seat in seats.seats() {
            let by_points = expected_share(&promise, seats, seat);
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

/// 1 for a better place, half for the same.
fn share_beaten(own: u8, other: u8) -> f64 {
    match own.cmp(&other) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

/// The share of the others that a seat may expect to beat.
fn expected_share(promise: &Promise, seats: SeatCount, seat: Seat) -> f64 {
    let own = promise.points[seat.index()];
    let others = seats.seats().filter(|other| *other != seat);
    let chances = others.map(|other| {
        let ahead = own - promise.points[other.index()];
        1.0 / (1.0 + (-ahead / promise.spread).exp())
    });
    chances.sum::<f64>() / (f64::from(seats.get()) - 1.0).max(1.0)
}

//! The comparison of a decision with the judge's choice, in states sampled from what the seat knew.

use std::ops::{Add as _, Range};

use bridgemaster_games::{ChanceStream, FieldError, NoEvents, Seat, SeatCount, Seed, Viewer};
use bridgemaster_greedy::Rate;
use thiserror::Error;

use crate::values::{Measure, Values, play_on};

/// The reason why a match cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReviewError {
    /// The judge's choice does not exist.
    #[error("the judge's choice {0} is out of range (0..={last})", last = .1 - 1)]
    Choice(usize, usize),
    /// An observation of the match cannot be sampled.
    #[error("cannot sample a state from what the seat knew: {0}")]
    Observation(#[from] FieldError),
    /// A decision is illegal in a sampled state.
    #[error("a sampled state refuses the decision: {0}")]
    Refused(String),
    /// A match does not end.
    #[error("the match, or one that is played on from it, does not end")]
    Endless,
}

/// A decision that a judge is asked for.
#[derive(Debug)]
pub struct Question<'a, G: Rate> {
    /// The match's config.
    pub config: &'a G::Config,
    /// The number of seats.
    pub seats: SeatCount,
    /// The seat that decides.
    pub seat: Seat,
    /// Everything that the seat knew.
    pub observation: &'a G::Observation,
    /// The legal decisions.
    pub decisions: &'a [G::Decision],
}

/// A function that returns the index of the decision that a strong bot takes.
pub type Judge<'a, G> =
    dyn Fn(&Question<'_, G>, &mut ChanceStream) -> Result<usize, FieldError> + Sync + 'a;

/// The number of a stream of the review's seed, for a decision and one of its samples. The judge
/// has the stream after all samples.
fn stream(decision: usize, sample: u32) -> u64 {
    (decision as u64) << 32 | u64::from(sample)
}

/// A decision of the match, with everything that is needed to compare it.
pub(crate) struct Compared<'a, G: Rate> {
    pub(crate) config: &'a G::Config,
    pub(crate) seats: SeatCount,
    pub(crate) seat: Seat,
    /// The decision's number in the match, from 0.
    pub(crate) number: usize,
    pub(crate) taken: &'a G::Decision,
    pub(crate) observation: G::Observation,
}

/// Sums over sampled states.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) states: u32,
    /// The results after the decision taken.
    pub(crate) taken: Values,
    /// The results after the judge's choice.
    pub(crate) best: Values,
    /// The squared differences of both.
    pub(crate) squares: Values,
}

impl Sums {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            taken: self.taken.zip(other.taken, i64::add),
            best: self.best.zip(other.best, i64::add),
            squares: self.squares.zip(other.squares, i64::add),
        }
    }

    /// Returns the sum of the effects of the decision taken, against the judge's choice.
    pub(crate) fn effect(&self, measure: Measure, seat: Seat) -> i64 {
        measure(&self.taken)[seat.index()] - measure(&self.best)[seat.index()]
    }

    /// Returns the squared standard error of [`Self::effect`].
    pub(crate) fn variance(&self, measure: Measure, seat: Seat) -> f64 {
        let squares = measure(&self.squares)[seat.index()] * i64::from(self.states);
        let deviations = squares - self.effect(measure, seat).pow(2);
        deviations as f64 / (f64::from(self.states) - 1.0)
    }
}

impl<'a, G: Rate> Compared<'a, G> {
    /// Prepares the decision that `seat` took in `state`. Returns `None` if it had no alternative.
    pub(crate) fn new(
        config: &'a G::Config,
        state: &G::State,
        (number, seat, taken): (usize, Seat, &'a G::Decision),
    ) -> Option<(Self, Vec<G::Decision>)> {
        let mut decisions = Vec::new();
        G::legal(state, seat, &mut decisions);
        if decisions.len() < 2 {
            return None;
        }
        let observation = G::observe(state, Viewer::Seat(seat));
        let seats = G::seats(state);
        Some((Self { config, seats, seat, number, taken, observation }, decisions))
    }

    /// Returns the judge's choice.
    ///
    /// # Errors
    ///
    /// Returns an error if no state can be sampled from the observation, or the judge's choice does
    /// not exist.
    pub(crate) fn best(
        &self,
        decisions: &[G::Decision],
        judge: &Judge<'_, G>,
        seed: &Seed,
    ) -> Result<G::Decision, ReviewError> {
        let Self { config, seats, seat, ref observation, .. } = *self;
        let question = Question { config, seats, seat, observation, decisions };
        let mut chance = ChanceStream::new(seed, stream(self.number, u32::MAX));
        let place = judge(&question, &mut chance)?;
        decisions.get(place).cloned().ok_or(ReviewError::Choice(place, decisions.len()))
    }

    /// Plays the decision taken and the judge's choice on in the samples with these numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if no state can be sampled from the observation, or a match does not end.
    pub(crate) fn compare(
        &self,
        best: &G::Decision,
        samples: Range<u32>,
        seed: &Seed,
    ) -> Result<Sums, ReviewError> {
        let mut sums = Sums::default();
        for sample in samples {
            let mut chance = ChanceStream::new(seed, stream(self.number, sample));
            let state = G::sample_state(self.config, &self.observation, &mut chance)?;
            let after = |decision: &G::Decision| {
                let mut state = state.clone();
                G::apply(&mut state, self.seat, decision, &mut NoEvents)
                    .map_err(|error| ReviewError::Refused(error.to_string()))?;
                play_on::<G>(self.config, state, chance.clone()).ok_or(ReviewError::Endless)
            };
            let of_taken = after(self.taken)?;
            let of_best = if self.taken == best { of_taken } else { after(best)? };
            let squares = of_taken.zip(of_best, |taken, best| (taken - best).pow(2));
            sums = sums.plus(Sums { states: 1, taken: of_taken, best: of_best, squares });
        }
        Ok(sums)
    }
}

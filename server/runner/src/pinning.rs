//! Which cores the bots of a contest run on.

use std::thread::available_parallelism;

use bridgemaster_bot_process::{Limits, allowed_cores};

use crate::{ContestSpec, SpecError};

/// A core for each seat of each match that is played at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pinning {
    cores: Vec<usize>,
    seats: usize,
}

impl Pinning {
    /// `None` in a contest whose bots run wherever the system puts them.
    pub(crate) fn of(spec: &ContestSpec) -> Result<Option<Self>, SpecError> {
        match (spec.affinity, Limits::are_supported()) {
            (false, _) => Ok(None),
            (true, false) => Err(SpecError::NotHere("affinity")),
            (true, true) => Self::on(allowed_cores(), spec).map(Some),
        }
    }

    fn on(cores: Vec<usize>, spec: &ContestSpec) -> Result<Self, SpecError> {
        let seats = usize::from(spec.rules.seats).max(1);
        let wanted = spec.concurrency.unwrap_or(1) as usize;
        if wanted.saturating_mul(seats) > cores.len() {
            return Err(SpecError::Cores {
                wanted,
                seats,
                cores: cores.len(),
            });
        }
        Ok(Self { cores, seats })
    }

    /// Matches for which there are cores.
    fn matches_at_once(&self) -> usize {
        self.cores.len() / self.seats
    }

    /// The core of a seat of the match on this place among those that are played at once.
    pub(crate) fn core(&self, place: usize, seat: usize) -> Option<usize> {
        self.cores.get(place * self.seats + seat).copied()
    }
}

/// Matches at once: as asked for, or one for each core but one, which the server has; with a core
/// for each bot, as many as there are cores for.
pub(crate) fn concurrency(spec: &ContestSpec, pinning: Option<&Pinning>) -> usize {
    if let Some(asked) = spec.concurrency {
        return asked.try_into().unwrap_or(usize::MAX);
    }
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    pinning.map_or_else(|| cores.saturating_sub(1).max(1), Pinning::matches_at_once)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Format, sample::spec_of};

    #[test]
    fn no_two_bots_that_play_at_once_share_a_core() {
        let spec = spec_of(2, 2, Format::Series);
        let pinning = Pinning::on(vec![1, 3, 5, 7, 9], &spec).unwrap();
        assert_eq!(concurrency(&spec, Some(&pinning)), 2);
        let cores = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let cores = cores.map(|(place, seat)| pinning.core(place, seat).unwrap());
        assert_eq!(cores, [1, 3, 5, 7]);
    }

    #[test]
    fn more_matches_than_there_are_cores_for_are_refused_with_the_numbers() {
        let mut spec = spec_of(2, 2, Format::Series);
        spec.concurrency = Some(3);
        let error = Pinning::on((0..4).collect(), &spec).unwrap_err();
        assert_eq!(
            error.to_string(),
            "affinity: 3 matches at once with 2 bots each need 6 cores, and there are 4; lower \
             the concurrency, or leave affinity out"
        );
    }
}

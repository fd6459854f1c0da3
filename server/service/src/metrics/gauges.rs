//! Things that are counted while they are there.

use bridgemaster_referee::MatchPhase;
use prometheus_client::metrics::{family::Family, gauge::Gauge};

use super::labels::StateLabels;

/// Adds one to a gauge while it lives.
pub(crate) struct Counted(Gauge);

impl Counted {
    pub(super) fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Counts a match that waits or runs, under its phase.
pub(crate) struct CountedMatch {
    matches: Family<StateLabels, Gauge>,
    phase: MatchPhase,
    _counted: Option<Counted>,
}

impl CountedMatch {
    pub(super) fn new(matches: Family<StateLabels, Gauge>, phase: MatchPhase) -> Self {
        Self {
            _counted: counted(&matches, phase),
            matches,
            phase,
        }
    }

    /// The match is in this phase now.
    pub(crate) fn is_in(&mut self, phase: MatchPhase) {
        if phase != self.phase {
            *self = Self::new(self.matches.clone(), phase);
        }
    }
}

fn counted(matches: &Family<StateLabels, Gauge>, phase: MatchPhase) -> Option<Counted> {
    let label = StateLabels::of(phase)?;
    Some(Counted::new(&matches.get_or_create(&label)))
}

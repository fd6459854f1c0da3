//! Guards that count something in a gauge as long as they exist.

use bridgemaster_referee::MatchPhase;
use prometheus_client::metrics::{family::Family, gauge::Gauge};

use super::labels::StateLabels;

/// Increments a gauge until it is dropped.
pub(crate) struct GaugeGuard(Gauge);

impl GaugeGuard {
    pub(super) fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Counts a match that waits or runs, in the gauge of its phase.
pub(crate) struct MatchGauge {
    matches: Family<StateLabels, Gauge>,
    phase: MatchPhase,
    _guard: Option<GaugeGuard>,
}

impl MatchGauge {
    pub(super) fn new(matches: Family<StateLabels, Gauge>, phase: MatchPhase) -> Self {
        Self {
            _guard: guard(&matches, phase),
            matches,
            phase,
        }
    }

    /// Moves the match to the gauge of its current phase.
    pub(crate) fn set_phase(&mut self, phase: MatchPhase) {
        if phase != self.phase {
            *self = Self::new(self.matches.clone(), phase);
        }
    }
}

fn guard(matches: &Family<StateLabels, Gauge>, phase: MatchPhase) -> Option<GaugeGuard> {
    let label = StateLabels::of(phase)?;
    Some(GaugeGuard::new(&matches.get_or_create(&label)))
}

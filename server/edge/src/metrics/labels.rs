//! Metric labels with a small set of values, and gauges that are incremented while something
//! exists.

use bridgemaster_referee::{DecidedBy, MatchPhase};
use prometheus_client::metrics::{family::Family, gauge::Gauge};

/// The labels of a series: their names and values.
pub(super) type Labels<const COUNT: usize> = [(&'static str, &'static str); COUNT];

/// Returns the label of a phase. Returns `None` for a match that has ended; the counter
/// `matches_ended` counts these.
fn phase_label(phase: MatchPhase) -> Option<Labels<1>> {
    match phase {
        MatchPhase::Waiting => Some([("state", "waiting")]),
        MatchPhase::Running => Some([("state", "running")]),
        MatchPhase::Ended => None,
    }
}

/// The kind of an unreadable stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DamagedValue {
    /// A match in play that cannot be recovered.
    MatchInPlay,
    /// The summary of a finished match.
    Summary,
    /// The replay of a finished match.
    Replay,
    /// An API key that cannot be used.
    Key,
    /// A ladder, a ladder's bot version, or a ladder's match.
    Ladder,
}

impl DamagedValue {
    pub(super) const ALL: [Self; 5] =
        [Self::MatchInPlay, Self::Summary, Self::Replay, Self::Key, Self::Ladder];

    /// The value of the label, for metrics and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MatchInPlay => "match in play",
            Self::Summary => "summary",
            Self::Replay => "replay",
            Self::Key => "key",
            Self::Ladder => "ladder",
        }
    }
}

/// The name of a decision's source, for labels and attributes.
pub(crate) fn decided_by(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Bot => "bot",
        DecidedBy::Referee => "referee",
        DecidedBy::House => "house",
        DecidedBy::Replay => "replay",
    }
}

/// An increment of a gauge that is undone on drop.
pub struct GaugeGuard(Gauge);

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
pub struct MatchGauge {
    matches: Family<Labels<1>, Gauge>,
    phase: MatchPhase,
    _guard: Option<GaugeGuard>,
}

impl MatchGauge {
    pub(super) fn new(matches: Family<Labels<1>, Gauge>, phase: MatchPhase) -> Self {
        Self { _guard: guard(&matches, phase), matches, phase }
    }

    /// Moves the match to the gauge of its current phase.
    pub fn set_phase(&mut self, phase: MatchPhase) {
        if phase != self.phase {
            *self = Self::new(self.matches.clone(), phase);
        }
    }
}

fn guard(matches: &Family<Labels<1>, Gauge>, phase: MatchPhase) -> Option<GaugeGuard> {
    let label = phase_label(phase)?;
    Some(GaugeGuard::new(&matches.get_or_create(&label)))
}

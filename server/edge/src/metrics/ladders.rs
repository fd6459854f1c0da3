//! Metrics for ladders and attending bots.

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

/// Bucket bounds for the time until a bot is paired, in seconds: from an immediate pairing to a bot
/// that waits alone.
const WAITING_BOUNDS: [f64; 10] = [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];
/// Bucket bounds for the duration of a pairing, which is a rating fit and a commit, in seconds.
const PAIRING_BOUNDS: [f64; 9] = [0.001, 0.003, 0.005, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

/// The outcome of a ladder's match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderOutcome {
    /// The match ended with a result.
    Played,
    /// The match ended, but its result does not count.
    Annulled,
    /// The match was cancelled before a result.
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
}

/// The metrics of all of a server's ladders.
pub(super) struct LadderMetrics {
    matches: Family<OutcomeLabels, Counter>,
    waiting_seconds: Histogram,
    pairing_seconds: Histogram,
    attending: Family<QueueLabels, Gauge>,
}

impl LadderOutcome {
    fn labels(self) -> OutcomeLabels {
        let outcome = match self {
            Self::Played => "played",
            Self::Annulled => "annulled",
            Self::Cancelled => "cancelled",
        };
        OutcomeLabels { outcome }
    }
}

impl LadderMetrics {
    pub(super) fn new(r: &mut Registry) -> Self {
        let this = Self {
            matches: Family::default(),
            waiting_seconds: Histogram::new(WAITING_BOUNDS),
            pairing_seconds: Histogram::new(PAIRING_BOUNDS),
            attending: Family::default(),
        };
        let matches = this.matches.clone();
        r.register("ladder_matches", "Ladder matches that have ended", matches);
        r.register_with_unit(
            "ladder_waiting",
            "Time that a bot with a free slot waited until it was paired",
            Unit::Seconds,
            this.waiting_seconds.clone(),
        );
        r.register_with_unit(
            "ladder_pairing",
            "Time to find the next match of a ladder and to store it",
            Unit::Seconds,
            this.pairing_seconds.clone(),
        );
        let attending = this.attending.clone();
        r.register("attending_bots", "Bots that attend queues", attending);
        this
    }

    pub(super) fn init_series(&self) {
        for outcome in [LadderOutcome::Played, LadderOutcome::Annulled, LadderOutcome::Cancelled] {
            self.matches.get_or_create_owned(&outcome.labels());
        }
        self.set_attending(0, 0);
    }

    pub(super) fn observe_end(&self, outcome: LadderOutcome) {
        self.matches.get_or_create(&outcome.labels()).inc();
    }

    pub(super) fn observe_wait(&self, time: Duration) {
        self.waiting_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn observe_pairing(&self, time: Duration) {
        self.pairing_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn set_attending(&self, ladders: usize, others: usize) {
        for (queue, bots) in [("ladder", ladders), ("other", others)] {
            let bots = i64::try_from(bots).unwrap_or(i64::MAX);
            self.attending.get_or_create(&QueueLabels { queue }).set(bots);
        }
    }
}

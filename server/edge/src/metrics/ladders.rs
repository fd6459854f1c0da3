//! Metrics for ladders and attending bots.

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::{
    labels::Labels,
    registration::{add, add_seconds, initial, metrics},
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

metrics! {
    /// The metrics of all of a server's ladders.
    struct LadderMetrics {
        matches: Family<Labels<1>, Counter> = add(
            "ladder_matches", "Ladder matches that have ended"),
        waiting_seconds: Histogram = add_seconds(
            "ladder_waiting",
            "Time that a bot with a free slot waited until it was paired",
            Histogram::new(WAITING_BOUNDS)),
        pairing_seconds: Histogram = add_seconds(
            "ladder_pairing",
            "Time to find the next match of a ladder and to store it",
            Histogram::new(PAIRING_BOUNDS)),
        attending: Family<Labels<1>, Gauge> = add("attending_bots", "Bots that attend queues"),
    }
}

impl LadderOutcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Annulled => "annulled",
            Self::Cancelled => "cancelled",
        }
    }
}

impl LadderMetrics {
    /// Creates all series at zero, so that rates are correct from the first scrape.
    pub(super) fn init_series(&self) {
        for outcome in [LadderOutcome::Played, LadderOutcome::Annulled, LadderOutcome::Cancelled] {
            self.ended(outcome);
        }
        self.set_attending(0, 0);
    }

    /// Returns the counter of matches with this outcome.
    pub(super) fn ended(&self, outcome: LadderOutcome) -> Counter {
        self.matches.get_or_create_owned(&[("outcome", outcome.as_str())])
    }

    pub(super) fn set_attending(&self, ladders: usize, others: usize) {
        for (queue, bots) in [("ladder", ladders), ("other", others)] {
            let bots = i64::try_from(bots).unwrap_or(i64::MAX);
            self.attending.get_or_create(&[("queue", queue)]).set(bots);
        }
    }
}

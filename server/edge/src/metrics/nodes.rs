//! Metrics for a node in a cluster: leadership, lease, forwarded calls, and lag of forwarding nodes.

use std::{sync::atomic::AtomicU64, time::Duration};

use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use super::labels::GaugeGuard;

/// The state of this node, for a server that shares its store.
pub(super) struct NodeMetrics {
    leads: Gauge,
    answers: Gauge,
    lease_age_seconds: Gauge<f64, AtomicU64>,
    forwarded_calls: Gauge,
    forwarding_lag_seconds: Histogram,
    takeovers: Counter,
}

impl NodeMetrics {
    pub(super) fn new(r: &mut Registry, forwarding_lag_seconds: Histogram) -> Self {
        let this = Self {
            leads: Gauge::default(),
            answers: Gauge::default(),
            lease_age_seconds: Gauge::default(),
            forwarded_calls: Gauge::default(),
            forwarding_lag_seconds,
            takeovers: Counter::default(),
        };
        r.register(
            "node_leads",
            "Whether this node is the leader, which manages queues, ladders and groups",
            this.leads.clone(),
        );
        r.register(
            "node_answers",
            "Whether this node trusts its lease and answers calls",
            this.answers.clone(),
        );
        r.register_with_unit(
            "node_lease_age",
            "Time since the lease of this node was renewed",
            Unit::Seconds,
            this.lease_age_seconds.clone(),
        );
        r.register(
            "forwarded_calls",
            "Calls in progress that this node forwards to other nodes",
            this.forwarded_calls.clone(),
        );
        r.register_with_unit(
            "forwarding_lag",
            "Delays of other nodes in forwarding the messages of bots to this one",
            Unit::Seconds,
            this.forwarding_lag_seconds.clone(),
        );
        r.register(
            "takeovers",
            "Matches that this node took over from other nodes",
            this.takeovers.clone(),
        );
        this
    }

    pub(super) fn count_takeovers(&self, matches: usize) {
        self.takeovers.inc_by(matches as u64);
    }

    pub(super) fn forwarded_call(&self) -> GaugeGuard {
        GaugeGuard::new(&self.forwarded_calls)
    }

    pub(super) fn observe_forwarding_lag(&self, time: Duration) {
        self.forwarding_lag_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn set_state(&self, is_leader: bool, is_answering: bool, lease_age: Duration) {
        self.leads.set(is_leader.into());
        self.answers.set(is_answering.into());
        self.lease_age_seconds.set(lease_age.as_secs_f64());
    }
}

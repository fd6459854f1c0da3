//! Metrics for a node in a cluster: leadership, lease, takeovers, the database, forwarded calls,
//! and lag of forwarding nodes.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use bridgemaster_store::DatabaseFigures;
use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::{
    labels::GaugeGuard,
    registration::{add, add_seconds},
};

/// The state of this node, for a server that shares its store.
pub(super) struct NodeMetrics {
    leads: Gauge,
    answers: Gauge,
    lease_age_seconds: Gauge<f64, AtomicU64>,
    clock_skew_seconds: Gauge<f64, AtomicU64>,
    takeovers: Counter,
    database_sessions: Gauge,
    database_xmin_age: Gauge,
    database_retries: Counter,
    forwarded_calls: Gauge,
    forwarding_lag_seconds: Histogram,
}

impl NodeMetrics {
    pub(super) fn new(r: &mut Registry, forwarding_lag_seconds: Histogram) -> Self {
        let mut gauge = |name, help| add(r, name, help, Gauge::default());
        let leads = "Whether this node is the leader, which manages queues, ladders and groups";
        let leads = gauge("node_leads", leads);
        let answers = "Whether this node trusts its lease and answers calls";
        let answers = gauge("node_answers", answers);
        let sessions = "Sessions of the database's user, of all nodes";
        let database_sessions = gauge("database_sessions", sessions);
        let xmin_age = "Age in transactions of the oldest transaction that keeps deleted rows";
        let database_xmin_age = gauge("database_xmin_age", xmin_age);
        let forwarded_calls = "Calls in progress that this node forwards to other nodes";
        let forwarded_calls = gauge("forwarded_calls", forwarded_calls);
        let mut counter = |name, help| add(r, name, help, Counter::default());
        let takeovers = "Matches that this node took over from other nodes";
        let takeovers = counter("takeovers", takeovers);
        let retries = "Operations that this node repeated after a failure of the database";
        let database_retries = counter("database_retries", retries);
        let mut seconds = |name, help| add_seconds(r, name, help, Gauge::default());
        let lease_age = "Time since the lease of this node was renewed";
        let lease_age_seconds = seconds("node_lease_age", lease_age);
        let skew = "How far the clock of this node is ahead of that of the database, at least";
        let clock_skew_seconds = seconds("node_clock_skew", skew);
        let lag = "Delays of other nodes in forwarding the messages of bots to this one";
        let forwarding_lag_seconds = add_seconds(r, "forwarding_lag", lag, forwarding_lag_seconds);
        Self {
            leads,
            answers,
            lease_age_seconds,
            clock_skew_seconds,
            takeovers,
            database_sessions,
            database_xmin_age,
            database_retries,
            forwarded_calls,
            forwarding_lag_seconds,
        }
    }

    pub(super) fn count_takeovers(&self, matches: usize) {
        self.takeovers.inc_by(matches as u64);
    }

    pub(super) fn set_clock_skew_ms(&self, skew_ms: i64) {
        self.clock_skew_seconds.set(skew_ms as f64 / 1e3);
    }

    pub(super) fn set_database_retries(&self, retries: u64) {
        let counter = self.database_retries.inner();
        counter.store(retries, Ordering::Relaxed);
    }

    pub(super) fn set_database_figures(&self, figures: DatabaseFigures) {
        let gauge = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        self.database_sessions.set(gauge(figures.sessions));
        self.database_xmin_age.set(gauge(figures.xmin_age));
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

//! Metrics for a node in a cluster: leadership, lease, takeovers, the database, forwarded calls,
//! and lag of forwarding nodes.

use std::sync::atomic::AtomicU64;

use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::registration::{LAG_BOUNDS, add, add_seconds, initial, metrics};

metrics! {
    /// The state of this node, for a server that shares its store.
    struct NodeMetrics {
        leads: Gauge = add(
            "node_leads",
            "Whether this node is the leader, which manages queues, ladders and groups"),
        answers: Gauge = add(
            "node_answers",
            "Whether this node answers calls: it trusts its lease, and has its database session"),
        database_sessions: Gauge = add(
            "database_sessions", "Sessions of the database's user, of all nodes"),
        database_xmin_age: Gauge = add(
            "database_xmin_age",
            "Age in transactions of the oldest transaction that keeps deleted rows"),
        forwarded_calls: Gauge = add(
            "forwarded_calls", "Calls in progress that this node forwards to other nodes"),
        takeovers: Counter = add("takeovers", "Matches that this node took over from other nodes"),
        crashes: Counter = add(
            "node_crashes", "Crashed nodes whose lease this node ended early"),
        database_retries: Counter = add(
            "database_retries",
            "Operations that this node repeated after a failure of the database"),
        lease_age_seconds: Gauge<f64, AtomicU64> = add_seconds(
            "node_lease_age", "Time since the lease of this node was renewed"),
        clock_skew_seconds: Gauge<f64, AtomicU64> = add_seconds(
            "node_clock_skew",
            "How far the clock of this node is ahead of that of the database, at least"),
        forwarding_lag_seconds: Histogram = add_seconds(
            "forwarding_lag",
            "Delays of other nodes in forwarding the messages of bots to this one",
            Histogram::new(LAG_BOUNDS)),
    }
}

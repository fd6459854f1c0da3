//! The numbers of a server that shares its store with others.

use std::{sync::atomic::AtomicU64, time::Duration};

use prometheus_client::{
    metrics::gauge::Gauge,
    registry::{Registry, Unit},
};

use super::gauges::Counted;

/// How a server stands among those that share its store.
pub(super) struct NodeNumbers {
    leads: Gauge,
    answers: Gauge,
    lease_age_seconds: Gauge<f64, AtomicU64>,
    forwarded_calls: Gauge,
}

impl NodeNumbers {
    pub(super) fn new(r: &mut Registry) -> Self {
        let this = Self {
            leads: Gauge::default(),
            answers: Gauge::default(),
            lease_age_seconds: Gauge::default(),
            forwarded_calls: Gauge::default(),
        };
        r.register(
            "node_leads",
            "Whether this server keeps queues, ladders and groups",
            this.leads.clone(),
        );
        r.register(
            "node_answers",
            "Whether this server trusts its lease, and so answers",
            this.answers.clone(),
        );
        r.register_with_unit(
            "node_lease_age",
            "Time since the lease of this server was renewed",
            Unit::Seconds,
            this.lease_age_seconds.clone(),
        );
        r.register(
            "forwarded_calls",
            "Calls that this server passes on to another one now",
            this.forwarded_calls.clone(),
        );
        this
    }

    pub(super) fn forwarded_call(&self) -> Counted {
        Counted::new(&self.forwarded_calls)
    }

    pub(super) fn stands(&self, leads: bool, answers: bool, lease_age: Duration) {
        self.leads.set(leads.into());
        self.answers.set(answers.into());
        self.lease_age_seconds.set(lease_age.as_secs_f64());
    }
}

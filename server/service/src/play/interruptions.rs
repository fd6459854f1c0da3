//! Events that interrupt a bot's stream and do not come from its match: the server drains, a Ping
//! is due, or access ends.

use std::{future::pending, pin::Pin, sync::Arc};

use bridgemaster_cluster::Cluster;
use bridgemaster_edge::{identity::Caller, refusal::Refusal, transport::ForwardingNode};
use bridgemaster_live::Matches;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::{
    select,
    time::{Interval, MissedTickBehavior, interval},
};

/// An event that does not come from the match.
pub(super) enum Interruption {
    /// The server drains. Reported once per stream.
    Draining,
    /// A Ping is due. The first one is due immediately.
    PingDue,
    /// The server stops, the node that forwards the stream is lost, or the caller's key was
    /// revoked.
    Ended(Refusal),
}

/// The interruptions of one stream, as a set that contains a single future. The set polls the
/// future only after one of its sources has woken it, so interruptions cost almost nothing while
/// the stream is woken for other reasons. A poll that leaves the future pending wakes the task once
/// more. This is rare: it occurs at the start of the stream and after each interruption.
pub(super) struct Interruptions {
    waiting: FuturesUnordered<NextInterruption>,
}

type NextInterruption = Pin<Box<dyn Future<Output = (InterruptionSources, Interruption)> + Send>>;

/// The sources of interruptions.
struct InterruptionSources {
    matches: Arc<Matches>,
    caller: Caller,
    /// The node that forwards the stream, if any.
    node: Option<Arc<ForwardingNode>>,
    pings: Interval,
    drain_announced: bool,
}

impl Interruptions {
    /// Starts the sources for a new stream of `caller`, which `node` forwards.
    pub(super) fn new(
        matches: &Arc<Matches>,
        caller: Caller,
        node: Option<&Arc<ForwardingNode>>,
    ) -> Self {
        let mut pings = interval(matches.limits().ping_interval);
        // A bot that reads again after a pause needs one Ping, not all that were due.
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let sources = InterruptionSources {
            caller,
            node: node.cloned(),
            pings,
            drain_announced: false,
            matches: Arc::clone(matches),
        };
        let waiting = FuturesUnordered::new();
        waiting.push(Box::pin(sources.next()) as _);
        Self { waiting }
    }

    /// Returns the next interruption. Cancel-safe: no interruption is lost.
    pub(super) async fn next(&mut self) -> Interruption {
        let Some((sources, interruption)) = self.waiting.next().await else {
            // The set always contains one future.
            return pending().await;
        };
        self.waiting.push(Box::pin(sources.next()));
        interruption
    }
}

impl InterruptionSources {
    async fn next(mut self) -> (Self, Interruption) {
        let lifecycle = self.matches.lifecycle();
        let interruption = select! {
            biased;
            () = lifecycle.until_draining(), if !self.drain_announced => {
                self.drain_announced = true;
                Interruption::Draining
            }
            _ = self.pings.tick() => Interruption::PingDue,
            () = lifecycle.until_stopping() => Interruption::Ended(self.matches.lifecycle().stop_refusal()),
            refusal = lease_lapsed(self.matches.cluster()) => Interruption::Ended(refusal),
            refusal = forwarding_node_lost(self.node.as_ref()) => Interruption::Ended(refusal),
            refusal = self.caller.until_revoked() => Interruption::Ended(refusal),
        };
        (self, interruption)
    }
}

/// Completes when the node that forwards the stream is lost.
async fn forwarding_node_lost(node: Option<&Arc<ForwardingNode>>) -> Refusal {
    match node {
        Some(node) => {
            Box::pin(node.until_lost()).await;
            Refusal::forwarding_node_lost()
        }
        None => pending().await,
    }
}

/// Completes when the lease of this server lapses. From then on, other nodes may take over its
/// matches.
async fn lease_lapsed(cluster: Option<&Arc<Cluster>>) -> Refusal {
    match cluster {
        // Boxed to keep streams small on a single server.
        Some(cluster) => Box::pin(cluster.lease_lapsed()).await,
        None => pending().await,
    }
}

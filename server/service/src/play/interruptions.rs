//! What happens to a stream besides the messages of its match: seldom, against those.

use std::sync::Arc;

use tokio::{
    select,
    time::{Interval, MissedTickBehavior, interval},
};

use super::seldom::Seldom;
use crate::{cluster::Cluster, hosting::Matches, identity::Caller, refusal::Refusal};

/// Something that happens to a stream.
pub(super) enum Interruption {
    /// The server drains; told once.
    Draining,
    /// It is time for a Ping; the first time at once.
    PingDue,
    /// The server or the key ends the stream.
    Ended(Refusal),
}

/// What happens to one stream.
pub(super) struct Interruptions {
    next: Seldom<(Sources, Interruption)>,
}

/// Where it comes from.
struct Sources {
    matches: Arc<Matches>,
    caller: Caller,
    pings: Interval,
    is_told_of_drain: bool,
}

impl Interruptions {
    /// Of a stream of `caller` that begins now.
    pub(super) fn new(matches: &Arc<Matches>, caller: Caller) -> Self {
        let mut pings = interval(matches.limits().ping_interval);
        // A bot that reads again after a pause needs one Ping, not all that were due.
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let sources = Sources {
            caller,
            pings,
            is_told_of_drain: false,
            matches: Arc::clone(matches),
        };
        Self {
            next: Seldom::new(sources.next()),
        }
    }

    /// The next one. A call that is dropped loses nothing.
    pub(super) async fn next(&mut self) -> Interruption {
        let (sources, interruption) = (&mut self.next).await;
        self.next = Seldom::new(sources.next());
        interruption
    }
}

impl Sources {
    async fn next(mut self) -> (Self, Interruption) {
        let lifecycle = self.matches.lifecycle();
        let interruption = select! {
            biased;
            () = lifecycle.until_draining(), if !self.is_told_of_drain => {
                self.is_told_of_drain = true;
                Interruption::Draining
            }
            _ = self.pings.tick() => Interruption::PingDue,
            () = lifecycle.until_stopping() => Interruption::Ended(self.matches.stop_refusal()),
            refusal = lapsed(self.matches.cluster()) => Interruption::Ended(refusal),
            refusal = self.caller.refused() => Interruption::Ended(refusal),
        };
        (self, interruption)
    }
}

/// Completes when the server may not answer any more, since others may have its matches.
async fn lapsed(cluster: Option<&Arc<Cluster>>) -> Refusal {
    match cluster {
        // Boxed, so that streams are small where no other server is.
        Some(cluster) => Box::pin(cluster.lapsed()).await,
        None => std::future::pending().await,
    }
}

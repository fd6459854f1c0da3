//! A server that drains releases its matches to the others that share its store, some after the
//! other, while the rest go on here.

use std::time::Duration;

use bridgemaster_lease::limits::LOOK_FOR_ORPHANS;
use bridgemaster_store::StoreError;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use crate::{cluster::Cluster, hosting::Matches, journal::Journal};

/// Matches that are released together: few enough that those who take them over have them back in
/// play soon, and enough that a server with thousands of matches is done within [`RELEASE_TIME`].
const RELEASED_AT_ONCE: usize = 128;

/// How long a server that drains releases matches. What is left then goes with its lease, all at
/// once.
const RELEASE_TIME: Duration = Duration::from_secs(10);

/// How long it waits for others to take over what it has released: they look by themselves within
/// this time. At once when a bot asks them for its match.
const TAKEN_WITHIN: Duration = LOOK_FOR_ORPHANS;

/// Interval at which it looks whether they have.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Releases the matches that bots play, as long as another server is there to take them over.
pub(super) async fn release_matches(cluster: &Cluster, matches: &Matches, journal: &Journal) {
    if !cluster.is_shared() {
        return;
    }
    let until = Instant::now() + RELEASE_TIME;
    let mut released = 0;
    let outcome = async {
        while Instant::now() < until && cluster.has_successor().await? {
            let some = matches.that_may_leave(RELEASED_AT_ONCE).await;
            if some.is_empty() {
                break;
            }
            released += matches.release(some, journal, cluster.nodes()).await?;
            taken(cluster).await?;
        }
        Ok::<(), StoreError>(())
    };
    if let Err(problem) = outcome.await {
        warn!(%problem, "other servers take the matches over when this one has ended");
    }
    if released > 0 {
        info!(matches = released, "matches are released to other servers");
    }
}

/// Completes when others have taken over what was released, or have had the time to.
async fn taken(cluster: &Cluster) -> Result<(), StoreError> {
    let until = Instant::now() + TAKEN_WITHIN;
    while Instant::now() < until && cluster.nodes().released().await? > 0 {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

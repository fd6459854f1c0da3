//! Releases the matches of a draining node to other nodes. Matches are released in batches, while
//! the remaining matches continue here.

use std::time::Duration;

use bridgemaster_cluster::Cluster;
use bridgemaster_lease::limits::ORPHAN_POLL_INTERVAL;
use bridgemaster_live::{Matches, journal::Journal};
use bridgemaster_store::StoreError;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

/// The size of a batch: small enough for its matches to resume soon, and large enough to release
/// thousands of matches within [`RELEASE_TIME`].
const RELEASE_BATCH: usize = 128;

/// The maximum time that releasing matches may take. Any remaining matches are taken over together,
/// once this node releases its lease.
const RELEASE_TIME: Duration = Duration::from_secs(10);

/// The maximum wait for the takeover of a batch. Other nodes poll at this interval, and also when a
/// bot requests its match.
const TAKEOVER_TIMEOUT: Duration = ORPHAN_POLL_INTERVAL;

/// The interval between checks whether the batch was taken over.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Releases matches that are played by bots, as long as another node can take them over.
pub(super) async fn release_matches(cluster: &Cluster, matches: &Matches, journal: &Journal) {
    if !cluster.is_shared() {
        return;
    }
    let until = Instant::now() + RELEASE_TIME;
    let mut released = 0;
    let outcome = async {
        while Instant::now() < until && cluster.has_successor().await? {
            let some = matches.movable_matches(RELEASE_BATCH).await;
            if some.is_empty() {
                break;
            }
            released += matches.release(some, journal, cluster.nodes()).await?;
            wait_for_takeover(cluster).await?;
        }
        Ok::<(), StoreError>(())
    };
    if let Err(problem) = outcome.await {
        warn!(
            %problem,
            "cannot release matches; other nodes take them over once this node has stopped"
        );
    }
    if released > 0 {
        info!(matches = released, "released matches to other nodes");
    }
}

/// Completes once other nodes have taken over the released matches, or after a timeout.
async fn wait_for_takeover(cluster: &Cluster) -> Result<(), StoreError> {
    let until = Instant::now() + TAKEOVER_TIMEOUT;
    while Instant::now() < until && cluster.nodes().released_count().await? > 0 {
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

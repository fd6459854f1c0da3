//! Advertises the matches in play on this node, so that other nodes can list them.
//!
//! Advertisements are stored in the database, since that is the only place that all nodes can
//! reach. A match is advertised again when a listed property changes, up to a limit per round. So
//! the load on the database does not depend on how fast bots play.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1, v1::MatchInfo};
use bridgemaster_store::{AdvertisedMatch, KeyName, Nodes, StoreError};
use prost::Message as _;
use tokio::task::yield_now;

use super::{HostedMatch, Matches, delayed::VisibilityCursor};
use crate::journal::Gated;

/// The maximum number of matches advertised per round, with a row of about 1 KiB for each. A round
/// follows each renewal of the lease. If more matches have changed, the matches that were
/// advertised longest ago come first.
const MAX_ADVERTISED_PER_ROUND: usize = 1_000;
/// The number of matches that one statement advertises.
const ADVERTISED_PER_STATEMENT: usize = 100;
/// The number of matches examined between yields to other tasks.
const BATCH_SIZE: usize = 64;

/// Tracks the last advertised state of each match in play on this node.
#[derive(Default)]
pub(crate) struct Advertiser {
    advertised: HashMap<MatchId, Advertised>,
    round: u64,
}

/// The last advertisement of a match.
#[derive(Clone, Copy)]
struct Advertised {
    changes: ChangeCounters,
    /// The round of the advertisement.
    round: u64,
}

/// Change counters of the match and its delayed view.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ChangeCounters {
    current: u64,
    delayed: Option<u64>,
}

/// A match that has changed since its last advertisement.
struct PendingUpdate {
    hosted: Arc<dyn HostedMatch>,
    delayed: Option<Arc<VisibilityCursor>>,
    changes: ChangeCounters,
    /// The round in which the match was last advertised, if it was.
    advertised_in: Option<u64>,
}

impl Advertiser {
    /// Advertises the matches that changed since the last round.
    ///
    /// # Errors
    /// If the store fails; the rest is advertised in the next round.
    pub(crate) async fn advertise_changes(
        &mut self,
        matches: &Arc<Matches>,
        nodes: &dyn Nodes,
    ) -> Result<(), StoreError> {
        self.round += 1;
        let (mut pending, mut in_play) = (Vec::new(), HashMap::new());
        let mut age = u64::MAX;
        loop {
            let older = matches.roster().list_before(age, None, BATCH_SIZE);
            let Some((last, _)) = older.last() else {
                break;
            };
            age = *last;
            for (_, hosted) in older {
                if hosted.is_over() {
                    continue;
                }
                let advertised = self.advertised.get(hosted.id()).copied();
                in_play.extend(advertised.map(|advertised| (hosted.id().clone(), advertised)));
                pending.extend(pending_update(matches, hosted, advertised));
            }
            // Yields to other tasks while the lock is not held.
            yield_now().await;
        }
        self.advertised = in_play;
        // New matches come first, then the matches that were advertised longest ago.
        pending.sort_by_key(|one| one.advertised_in);
        pending.truncate(MAX_ADVERTISED_PER_ROUND);
        for some in pending.chunks(ADVERTISED_PER_STATEMENT) {
            self.advertise_batch(some, nodes).await?;
        }
        Ok(())
    }

    async fn advertise_batch(
        &mut self,
        some: &[PendingUpdate],
        nodes: &dyn Nodes,
    ) -> Result<(), StoreError> {
        // All snapshots are created before the first is awaited, so that most wait for the same
        // commit.
        let snapshots: Vec<Snapshot> = some.iter().map(Snapshot::capture).collect();
        let mut rows = Vec::with_capacity(some.len());
        for snapshot in snapshots {
            rows.extend(snapshot.into_advertised().await);
        }
        nodes.advertise(&rows).await?;
        for pending in some {
            let advertised = Advertised {
                changes: pending.changes,
                round: self.round,
            };
            self.advertised
                .insert(pending.hosted.id().clone(), advertised);
        }
        Ok(())
    }
}

/// Returns the update to advertise for a match in play, if it has changed.
fn pending_update(
    matches: &Matches,
    hosted: Arc<dyn HostedMatch>,
    advertised: Option<Advertised>,
) -> Option<PendingUpdate> {
    let is_delayed = hosted.spectator_delay().is_some();
    let delayed = is_delayed
        .then(|| matches.delayed().get(hosted.id()))
        .flatten();
    let changes = ChangeCounters {
        current: hosted.change_count(),
        delayed: delayed.as_ref().map(|delayed| delayed.change_count()),
    };
    // A delayed view that has not caught up yet is advertised in the next round.
    let is_ready = delayed.is_some() == is_delayed && changes.delayed != Some(0);
    let has_changed = advertised.is_none_or(|advertised| advertised.changes != changes);
    (is_ready && has_changed).then_some(PendingUpdate {
        hosted,
        delayed,
        changes,
        advertised_in: advertised.map(|advertised| advertised.round),
    })
}

/// The state of a match, to be advertised once it is committed.
struct Snapshot {
    match_id: MatchId,
    parties: Vec<KeyName>,
    at_once: Gated<MatchInfo>,
    delayed: Option<Gated<MatchInfo>>,
}

impl Snapshot {
    fn capture(pending: &PendingUpdate) -> Self {
        Self {
            match_id: pending.hosted.id().clone(),
            parties: pending.hosted.parties(),
            at_once: pending.hosted.info(),
            delayed: pending.delayed.as_ref().map(|delayed| delayed.info()),
        }
    }

    /// Returns the advertisement once it is committed, or `None` if the commit fails.
    async fn into_advertised(self) -> Option<AdvertisedMatch> {
        let at_once = self.at_once.committed().await.ok()?;
        let delayed = match self.delayed {
            Some(delayed) => Some(delayed.committed().await.ok()?),
            None => None,
        };
        let created_at_unix_ms = i64::try_from(at_once.created_unix_ms).unwrap_or(i64::MAX);
        let visible = v1::AdvertisedMatch {
            at_once: Some(at_once),
            delayed,
        };
        Some(AdvertisedMatch {
            match_id: self.match_id,
            created_at_unix_ms,
            parties: self.parties,
            summary: visible.encode_to_vec(),
        })
    }
}

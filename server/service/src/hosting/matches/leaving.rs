//! Matches that leave this server while it still runs: another one that shares its store goes on with
//! them.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_store::{Nodes, StoreError};
use tokio::task::yield_now;

use super::Matches;
use crate::{hosting::HostedMatch, journal::Journal};

/// Matches that are looked at before others go on.
const AT_ONCE: usize = 64;

impl Matches {
    /// At most `count` matches that another server can go on with, the newest first.
    pub(crate) async fn that_may_leave(&self, count: usize) -> Vec<Arc<dyn HostedMatch>> {
        let (mut some, mut age) = (Vec::new(), u64::MAX);
        loop {
            let older = self.roster().before(age, None, AT_ONCE);
            let Some((last, _)) = older.last() else {
                return some;
            };
            age = *last;
            let leaving = older.into_iter().map(|(_, hosted)| hosted);
            some.extend(leaving.filter(|hosted| hosted.may_leave()));
            if some.len() >= count {
                some.truncate(count);
                return some;
            }
            // Neither the lock nor the thread is kept for longer.
            yield_now().await;
        }
    }

    /// Releases matches to other servers, and ends their streams once another one may have them. Gives
    /// how many they were: some may have ended meanwhile.
    ///
    /// # Errors
    /// When the store fails. They stand still then.
    pub(crate) async fn release(
        &self,
        some: Vec<Arc<dyn HostedMatch>>,
        journal: &Journal,
        nodes: &dyn Nodes,
    ) -> Result<usize, StoreError> {
        let leaving: Vec<_> = some.into_iter().filter(|one| one.stand_still()).collect();
        // All that came of them is stored before they are released.
        journal.settled().await;
        let ids: Vec<MatchId> = leaving.iter().map(|one| one.id().clone()).collect();
        nodes.release(&ids).await?;
        for one in &leaving {
            let forgotten = self.roster().forget(one.id());
            // Dropped here, outside the lock.
            drop(forgotten);
            one.leave();
            self.leave(one.maker());
        }
        Ok(leaving.len())
    }
}

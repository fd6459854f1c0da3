//! The lease of this server is renewed while it runs.

use std::time::Duration;

use bridgemaster_store::{NodeStanding, StoreError};
use tokio::time::sleep;
use tracing::{error, info, warn};

use super::Cluster;

impl Cluster {
    /// Renews the lease until another server has taken the node over, and gives that failure.
    /// `standing` is told with each renewal.
    pub(crate) async fn renew(
        &self,
        mut standing: impl FnMut() -> NodeStanding + Send,
    ) -> StoreError {
        loop {
            let begun = self.now();
            let standing = standing();
            self.stands(standing);
            let renewing = self.nodes().renew_lease(standing);
            tokio::pin!(renewing);
            let renewed = loop {
                tokio::select! {
                    biased;
                    renewed = &mut renewing => break renewed,
                    () = sleep(self.trust().look_in(self.now())) => self.lapse(),
                }
            };
            let is_renewed = match renewed {
                Ok(()) => {
                    let had_answered = self.since_renewal() < Duration::MAX;
                    if had_answered && self.check_may_answer().is_err() {
                        info!("the lease is renewed, and this server answers again");
                    }
                    self.renewed(begun);
                    true
                }
                Err(error @ (StoreError::EpochOver { .. } | StoreError::Closed)) => return error,
                Err(error) => {
                    warn!(%error, "the lease of this server cannot be renewed");
                    false
                }
            };
            // Before the pause too: this server may have stood still while it renewed.
            self.lapse();
            sleep(self.trust().pause(is_renewed, begun, self.now())).await;
            self.lapse();
        }
    }

    /// Has this server not answer any more, if it is time for that.
    fn lapse(&self) {
        if self.lapses() {
            error!("the lease was not renewed in time: this server does not answer until it is");
        }
    }
}

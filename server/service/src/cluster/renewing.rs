//! The lease of this server is renewed while it runs.

use std::time::{Duration, Instant};

use bridgemaster_store::{
    NodeStanding, StoreError,
    limits::{LEASE_RENEWAL, LEASE_TRUST},
};
use tokio::time::sleep;
use tracing::{error, info, warn};

use super::Cluster;

/// Pause after a renewal that failed: short against what is left of a lease.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

impl Cluster {
    /// Renews the lease until another server has taken the node over, and gives that failure.
    /// `standing` is told with each renewal.
    pub(crate) async fn renew(
        &self,
        mut standing: impl FnMut() -> NodeStanding + Send,
    ) -> StoreError {
        loop {
            let begun = Instant::now();
            let renewing = self.nodes().renew_lease(standing());
            tokio::pin!(renewing);
            let renewed = loop {
                tokio::select! {
                    biased;
                    renewed = &mut renewing => break renewed,
                    () = sleep(self.trust_left()) => self.lapse(),
                }
            };
            let pause = match renewed {
                Ok(()) => {
                    let had_answered = self.since_renewal() < Duration::MAX;
                    if had_answered && self.check_may_answer().is_err() {
                        info!("the lease is renewed, and this server answers again");
                    }
                    self.renewed(begun);
                    LEASE_RENEWAL.saturating_sub(begun.elapsed())
                }
                Err(error @ (StoreError::EpochOver { .. } | StoreError::Closed)) => return error,
                Err(error) => {
                    warn!(%error, "the lease of this server cannot be renewed");
                    RETRY_PAUSE
                }
            };
            // Before the pause too: this server may have stood still while it renewed.
            self.lapse();
            sleep(pause.min(self.trust_left())).await;
            self.lapse();
        }
    }

    /// Time until the lease is not trusted any more; once it is not, the time between two looks.
    fn trust_left(&self) -> Duration {
        match LEASE_TRUST.saturating_sub(self.since_renewal()) {
            Duration::ZERO => LEASE_RENEWAL,
            left => left,
        }
    }

    /// Has this server not answer any more, if it is time for that.
    fn lapse(&self) {
        if self.since_renewal() >= LEASE_TRUST && self.lapses() {
            error!("the lease was not renewed in time: this server does not answer until it is");
        }
    }
}

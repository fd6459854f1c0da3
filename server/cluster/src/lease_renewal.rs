//! Renews the lease of this server. Stops the server from answering calls when the lease is too
//! old.

use std::time::Duration;

use bridgemaster_store::{NodeStatus, StoreError, limits::MAX_CLOCK_SKEW_MS};
use tokio::time::sleep;
use tracing::{error, info, warn};

use super::Cluster;

impl Cluster {
    /// Renews the lease until another server takes over this node, and returns the error of the
    /// failed renewal. Each renewal publishes the status that `measure` returns.
    pub async fn renew(&self, mut measure: impl FnMut() -> NodeStatus + Send) -> StoreError {
        let mut is_skewed = false;
        loop {
            let started = self.now();
            let status = measure();
            self.set_status(status.clone());
            let renewing = self.nodes().renew_lease(status);
            tokio::pin!(renewing);
            let renewed = loop {
                tokio::select! {
                    biased;
                    renewed = &mut renewing => break renewed,
                    () = sleep(self.lease_trust().next_check_in(self.now())) => {
                        self.expire_if_due();
                    }
                }
            };
            let is_renewed = match renewed {
                Ok(()) => {
                    let had_answered = self.since_renewal() < Duration::MAX;
                    if had_answered && self.check_lease().is_err() {
                        info!("lease renewed; accepting calls again");
                    }
                    self.record_renewal(started);
                    self.report_clock_skew(&mut is_skewed);
                    true
                }
                Err(error @ (StoreError::EpochEnded { .. } | StoreError::Closed)) => return error,
                Err(error) => {
                    warn!(%error, "cannot renew the lease; retrying");
                    false
                }
            };
            // The lease is also checked before the pause: if the process was suspended during the
            // renewal, the renewed lease may already be too old.
            self.expire_if_due();
            sleep(self.lease_trust().renewal_delay(is_renewed, started, self.now())).await;
            self.expire_if_due();
        }
    }

    /// Logs when this server's clock begins to differ from that of the database.
    fn report_clock_skew(&self, was_skewed: &mut bool) {
        let clock_skew_ms = self.nodes().clock_skew_ms();
        let is_skewed = clock_skew_ms.unsigned_abs() >= MAX_CLOCK_SKEW_MS;
        if is_skewed && !*was_skewed {
            warn!(
                clock_skew_ms,
                "the clock of this server differs from that of the database; synchronize both with \
                 NTP"
            );
        }
        *was_skewed = is_skewed;
    }

    /// Stops this server from answering calls if its lease is no longer trusted.
    fn expire_if_due(&self) {
        if self.expire_lease() {
            error!("lease not renewed in time; refusing calls until it is renewed");
        }
    }
}

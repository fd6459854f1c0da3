//! Renews the lease of this server, and checks the database session that renews it. Stops the
//! server from answering calls when the lease is too old. Ends the leases of crashed nodes.

use std::{convert::Infallible, future::pending, time::Duration};

use bridgemaster_lease::limits::{
    LEASE_RENEWAL_INTERVAL, LEASE_RETRY_INTERVAL, SESSION_CHECK_INTERVAL,
};
use bridgemaster_store::{
    CrashedNode, NodeAddress, NodeStatus, StoreError, limits::MAX_CLOCK_SKEW_MS,
};
use tokio::{
    net::TcpStream,
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};
use tracing::{error, info, warn};

use super::Cluster;

/// The time to wait for a suspected node to accept a connection. It is short, because the matches
/// of a crashed node wait meanwhile.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(250);

impl Cluster {
    /// Renews the lease until another server takes over this node, and returns the error of the
    /// failed renewal. Each renewal publishes the status that `measure` returns.
    pub async fn renew(&self, measure: impl FnMut() -> NodeStatus + Send) -> StoreError {
        let (suspect, suspected) = mpsc::channel(1);
        tokio::select! {
            ended = self.keep_renewing(measure, &suspect) => ended,
            never = self.expire_when_due() => match never {},
            never = self.end_leases(suspected) => match never {},
        }
    }

    /// Stops this server from answering calls whenever its lease is no longer trusted.
    async fn expire_when_due(&self) -> Infallible {
        loop {
            sleep(self.lease_trust().next_check_in(self.now())).await;
            if self.expire_lease() {
                error!("lease not renewed in time; refusing calls until it is renewed");
            }
        }
    }

    /// Renews the lease, and sends the nodes that have probably crashed to `suspect`.
    async fn keep_renewing(
        &self,
        mut measure: impl FnMut() -> NodeStatus + Send,
        suspect: &mpsc::Sender<Vec<CrashedNode>>,
    ) -> StoreError {
        let mut is_skewed = false;
        loop {
            let started = self.now();
            let status = measure();
            self.set_status(status.clone());
            match self.nodes().renew_lease(status).await {
                Ok(()) => {
                    let had_answered = self.since_renewal() < Duration::MAX;
                    if had_answered && self.check_lease().is_err() {
                        info!("lease renewed; accepting calls again");
                    }
                    self.record_renewal(started);
                    self.report_clock_skew(&mut is_skewed);
                    self.check_session_until(started + LEASE_RENEWAL_INTERVAL, suspect).await;
                }
                Err(error @ (StoreError::EpochEnded { .. } | StoreError::Closed)) => return error,
                Err(error) => {
                    self.record_session_loss();
                    warn!(%error, "cannot renew the lease; retrying");
                    sleep(LEASE_RETRY_INTERVAL).await;
                }
            }
        }
    }

    /// Checks the session that renews the lease until the next renewal is due. The last check comes
    /// immediately before the renewal, so that calls do not wait if the renewal is slow. After the
    /// loss of the session, the next renewal is due at once.
    async fn check_session_until(&self, due: Duration, suspect: &mpsc::Sender<Vec<CrashedNode>>) {
        loop {
            let left = due.saturating_sub(self.now());
            sleep(left.min(SESSION_CHECK_INTERVAL)).await;
            let started = self.now();
            match self.nodes().check_session().await {
                Ok(crashed) => {
                    self.record_session_check(started);
                    if !crashed.is_empty() {
                        // If earlier ones are still being handled, a later check reports these
                        // nodes again.
                        let _ = suspect.try_send(crashed);
                    }
                }
                Err(StoreError::Closed) => return,
                Err(error) => {
                    self.record_session_loss();
                    warn!(%error, "lost the database session that renews the lease; reconnecting");
                    return;
                }
            }
            if left <= SESSION_CHECK_INTERVAL {
                return;
            }
        }
    }

    /// Ends the leases of crashed nodes, so that their matches are taken over at once. A node that
    /// accepts connections has only lost its session. It keeps its lease, so that it can reconnect.
    async fn end_leases(&self, mut suspected: mpsc::Receiver<Vec<CrashedNode>>) -> Infallible {
        let check =
            |node: CrashedNode| async move { (!is_listening(&node.address).await).then_some(node) };
        while let Some(crashed) = suspected.recv().await {
            let checks: JoinSet<_> = crashed.into_iter().map(check).collect();
            for node in checks.join_all().await.into_iter().flatten() {
                match self.nodes().end_lease(&node).await {
                    Ok(true) => {
                        warn!(node = %node.name, "a node has crashed; taking over its matches");
                        self.record_crash();
                    }
                    Ok(false) => {}
                    Err(error) => warn!(%error, "cannot end the lease of a crashed node; retrying"),
                }
            }
        }
        // The sender lives as long as the lease is renewed.
        pending().await
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
}

/// Returns whether a process accepts connections at this address.
async fn is_listening(address: &NodeAddress) -> bool {
    let connecting = timeout(CONNECT_TIMEOUT, TcpStream::connect(address.as_str()));
    matches!(connecting.await, Ok(Ok(_)))
}

//! Shuts a server down: the server drains if requested, ends its streams, and stores and closes its
//! resources.

use std::{sync::Arc, time::Duration};

use bridgemaster_edge::{identity::Authenticator, limits::Limits, refusal::Refusal};
use bridgemaster_live::{
    Matches,
    journal::Journal,
    replays::{ReplayExporter, WithholdingPolicy},
};
use bridgemaster_store::StoreError;
use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic_health::ServingStatus;
use tracing::{info, warn};

use super::{
    errors::ServeError,
    health::{ServicesHealth, report_health},
    release::release_matches,
};

/// The signals that stop a server: one after its matches have ended, the other at once.
pub(super) struct StopSignals {
    pub(super) drain: CancellationToken,
    pub(super) stop: CancellationToken,
}

/// The replay folder's writer, and its task.
pub(super) struct ReplayTask {
    exporter: Arc<ReplayExporter>,
    task: AbortOnDropHandle<()>,
}

impl ReplayTask {
    pub(super) fn spawn(
        exporter: Arc<ReplayExporter>,
        withholding: Arc<dyn WithholdingPolicy>,
    ) -> Self {
        let running = Arc::clone(&exporter);
        let task = tokio::spawn(async move { running.run(&*withholding).await });
        Self { exporter, task: AbortOnDropHandle::new(task) }
    }

    /// Waits until the replays of all finished matches are written or have failed.
    async fn finish(self) {
        self.exporter.close();
        // If the task panics, which would be a bug, the next start writes the missing replays.
        let _ = self.task.await;
    }
}

/// Completes once the server is to stop, after draining if requested. Reports the health until
/// then. Cancels `drained` when the drain has ended.
pub(super) async fn until_stopped(
    matches: Arc<Matches>,
    journal: Option<Arc<Journal>>,
    services_health: ServicesHealth,
    signals: StopSignals,
    drained: CancellationToken,
) {
    let is_drained = select! {
        biased;
        () = stop_requested(journal.as_deref(), &signals.stop) => false,
        () = signals.drain.cancelled() => true,
        never = report_health(&matches, &services_health) => match never {},
    };
    services_health.report(ServingStatus::NotServing).await;
    if is_drained {
        matches.lifecycle().drain(matches.limits().drain_time);
        select! {
            () = matches.until_idle() => {}
            () = sleep(matches.lifecycle().drain_time_left()) => {}
            () = stop_requested(journal.as_deref(), &signals.stop) => {}
        }
        if let (Some(cluster), Some(journal)) = (matches.cluster(), &journal) {
            select! {
                () = release_matches(cluster, &matches, journal) => {}
                () = stop_requested(Some(journal), &signals.stop) => {}
            }
        }
    }
    drained.cancel();
    // Results of matches that have just ended still have to be committed and sent.
    if let Some(journal) = &journal {
        journal.flush().await;
    }
    stop_streams(&matches, journal.as_deref());
}

/// Closes all streams, and refuses further calls with the reason why the server stops.
pub(super) fn stop_streams(matches: &Matches, journal: Option<&Journal>) {
    let failure = journal.and_then(Journal::failure);
    matches.lifecycle().stop(match failure.as_deref() {
        Some(StoreError::EpochEnded { .. }) if matches.cluster().is_some() => {
            Refusal::node_superseded()
        }
        Some(_) => Refusal::storage_failed(),
        None => Refusal::stopping(),
    });
}

/// Stores and closes the resources of a stopped server, each within the stop time.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) async fn close_resources(
    limits: &Limits,
    journal: Option<&Journal>,
    replays: Option<ReplayTask>,
    authenticator: &Authenticator,
) -> Result<(), ServeError> {
    if let Some(journal) = journal {
        // The journal is flushed first, since a replay is written only once the end of its match is
        // stored.
        if timeout(limits.stop_time, journal.flush()).await.is_err() {
            warn!(
                "the store did not answer within the stop time; no acknowledged decision is lost"
            );
            return Ok(());
        }
    }
    if let Some(replays) = replays
        && timeout(limits.stop_time, replays.finish()).await.is_err()
    {
        warn!(
            "replays were not written within the stop time; with a store, the next start writes \
             them"
        );
    }
    if timeout(limits.stop_time, authenticator.close()).await.is_err() {
        warn!("the times of the last API key uses were not stored within the stop time");
    }
    if let Some(journal) = journal {
        if let Some(failure) = journal.failure() {
            return Err(ServeError::Storage(failure));
        }
        match timeout(limits.stop_time, journal.store().close()).await {
            Ok(closed) => closed.map_err(|error| ServeError::Storage(Arc::new(error)))?,
            Err(_) => warn!("the store was not closed within the stop time"),
        }
    }
    info!("stopped");
    Ok(())
}

/// Completes when the server is to stop without a drain, or the store has failed.
async fn stop_requested(journal: Option<&Journal>, stop: &CancellationToken) {
    let Some(journal) = journal else {
        return stop.cancelled().await;
    };
    select! {
        () = stop.cancelled() => {}
        () = journal.failure_token().cancelled() => {}
    }
}

/// Completes `time` after `stop` was cancelled. The server then closes connections whose peers do
/// not respond.
pub(super) async fn stop_time_elapsed(stop: &CancellationToken, time: Duration) {
    stop.cancelled().await;
    sleep(time).await;
}

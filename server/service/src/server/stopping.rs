//! How a server stops: it is asked to, it drains, and what it holds is stored and closed.

use std::{sync::Arc, time::Duration};

use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic_health::ServingStatus;
use tracing::{debug, info, warn};

use super::{errors::ServeError, health::ServicesHealth, releasing::release_matches};
use crate::{
    cluster::Cluster, hosting::Matches, identity::Authenticator, journal::Journal, limits::Limits,
    replays::ReplayKeeper,
};

/// Time for the database to take out the address of a server that ends. It is not waited for longer:
/// who is sent here meanwhile finds nobody, and goes on with the other addresses that he has.
const WITHDRAWAL_TIME: Duration = Duration::from_secs(1);

/// Cancelled when the server is to stop: after its matches, or at once.
pub(super) struct Asked {
    pub(super) drain: CancellationToken,
    pub(super) stop: CancellationToken,
}

/// The folder of replays, and the task that keeps it.
pub(super) struct Replays {
    keeper: Arc<ReplayKeeper>,
    keeping: AbortOnDropHandle<()>,
}

impl Replays {
    pub(super) fn keep(keeper: Arc<ReplayKeeper>) -> Self {
        let kept = Arc::clone(&keeper);
        let keeping = tokio::spawn(async move { kept.keep().await });
        Self {
            keeper,
            keeping: AbortOnDropHandle::new(keeping),
        }
    }

    /// Waits until the replays of all ended matches are on disk, if the disk takes them.
    async fn written(self) {
        self.keeper.close();
        // A panic would be a defect; the next server writes what is missing.
        let _ = self.keeping.await;
    }
}

/// Completes when the server was asked to stop and has drained, if it was asked to; `drained` is
/// cancelled then.
pub(super) async fn stopped(
    matches: Arc<Matches>,
    journal: Option<Arc<Journal>>,
    services_health: ServicesHealth,
    asked: Asked,
    drained: CancellationToken,
) {
    let is_drained = select! {
        biased;
        () = asked_to_stop(journal.as_deref(), &asked.stop) => false,
        () = asked.drain.cancelled() => true,
    };
    services_health.report(ServingStatus::NotServing).await;
    if is_drained {
        matches.lifecycle().drain(matches.limits().drain_time);
        select! {
            () = matches.emptied() => {}
            () = sleep(matches.lifecycle().drain_left()) => {}
            () = asked_to_stop(journal.as_deref(), &asked.stop) => {}
        }
        if let (Some(cluster), Some(journal)) = (matches.cluster(), &journal) {
            select! {
                () = release_matches(cluster, &matches, journal) => {}
                () = asked_to_stop(Some(journal), &asked.stop) => {}
            }
        }
    }
    drained.cancel();
    // Before streams end: who comes back to another server must not be sent here.
    if let Some(cluster) = matches.cluster() {
        withdraw(cluster).await;
    }
    // The results of matches that have just ended are still to be told.
    if let Some(journal) = &journal {
        journal.settled().await;
    }
    matches.lifecycle().stop();
}

/// Has nobody sent to this server any more.
async fn withdraw(cluster: &Cluster) {
    if !cluster.is_shared() {
        return;
    }
    match timeout(WITHDRAWAL_TIME, cluster.nodes().withdraw()).await {
        Ok(Ok(())) => {}
        Ok(Err(problem)) => debug!(%problem, "the address of this server stays in the database"),
        Err(_) => debug!("the address of this server stays in the database"),
    }
}

/// Stores and closes what a server holds that serves no more, each within the stop time.
///
/// # Errors
/// When the store fails.
pub(super) async fn close(
    limits: &Limits,
    journal: Option<&Journal>,
    replays: Option<Replays>,
    authenticator: &Authenticator,
) -> Result<(), ServeError> {
    if let Some(journal) = journal {
        // First, since the replay of a match is written when its end is stored.
        if timeout(limits.stop_time, journal.settled()).await.is_err() {
            warn!(
                "the store did not answer within the stop time; everything that bots were told is stored"
            );
            return Ok(());
        }
    }
    if let Some(replays) = replays
        && timeout(limits.stop_time, replays.written()).await.is_err()
    {
        warn!("replays were not written within the stop time");
    }
    if timeout(limits.stop_time, authenticator.close())
        .await
        .is_err()
    {
        warn!("the last uses of API keys were not stored within the stop time");
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

/// Completes when the server is to stop without a drain, or cannot go on.
async fn asked_to_stop(journal: Option<&Journal>, stop: &CancellationToken) {
    let Some(journal) = journal else {
        return stop.cancelled().await;
    };
    select! {
        () = stop.cancelled() => {}
        () = journal.failed().cancelled() => {}
    }
}

/// Completes when `stop` was cancelled `time` ago: a silent peer must not keep the server alive.
pub(super) async fn stop_deadline(stop: &CancellationToken, time: Duration) {
    stop.cancelled().await;
    sleep(time).await;
}

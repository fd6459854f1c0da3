//! The budget for response bytes that were produced but not yet read by clients.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::quotas::permits;
use crate::refusal::Refusal;

/// A permit for the buffers from which a stream is produced.
pub(crate) struct AnswerPermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl AnswerPermit {
    pub(super) fn of(permits: Vec<OwnedSemaphorePermit>) -> Self {
        Self { _permits: permits }
    }
}

/// Acquires permits for `bytes` bytes of each semaphore, or all permits of a semaphore that has
/// fewer. Waits at most `timeout_after`. Each semaphore comes with its total number of permits, and
/// the name of the corresponding limit.
pub(super) async fn acquire<const PARTS: usize>(
    parts: [(&Arc<Semaphore>, usize, &'static str); PARTS],
    bytes: usize,
    timeout_after: Duration,
) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
    let mut limit = "";
    let mut acquired = Vec::new();
    let waiting = async {
        for (semaphore, total, name) in parts {
            limit = name;
            let count = u32::try_from(permits(bytes).min(total)).unwrap_or(u32::MAX);
            let permit = Arc::clone(semaphore).acquire_many_owned(count).await?;
            acquired.push(permit);
        }
        Ok::<_, AcquireError>(())
    };
    let waited = timeout(timeout_after, waiting).await;
    // The semaphores are never closed.
    waited.map(|_| acquired).map_err(|_| {
        Refusal::new(
            RefusalReason::LimitReached,
            format!("the server's limit {limit} is reached; read previous responses first"),
        )
        .with("limit", limit)
    })
}

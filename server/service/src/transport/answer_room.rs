//! Room for answers: how many bytes may be produced and not read.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::allowances::permits;
use crate::refusal::Refusal;

/// Room for what a stream is made from.
pub(crate) struct AnswerRoom {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl AnswerRoom {
    pub(super) fn of(permits: Vec<OwnedSemaphorePermit>) -> Self {
        Self { _permits: permits }
    }
}

/// Waits, but not longer than `patience`, until each semaphore has permits for so many bytes, or
/// all its permits if it never has as many. With each are the number of its permits and the name
/// of the limit that it holds.
pub(super) async fn wait<const PARTS: usize>(
    parts: [(&Arc<Semaphore>, usize, &'static str); PARTS],
    bytes: usize,
    patience: Duration,
) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
    let mut limit = "";
    let mut room = Vec::new();
    let waiting = async {
        for (semaphore, most, name) in parts {
            limit = name;
            let wanted = u32::try_from(permits(bytes).min(most)).unwrap_or(u32::MAX);
            let permit = Arc::clone(semaphore).acquire_many_owned(wanted).await?;
            room.push(permit);
        }
        Ok::<_, AcquireError>(())
    };
    let waited = timeout(patience, waiting).await;
    // The semaphores are never closed.
    waited.map(|_| room).map_err(|_| {
        Refusal::new(
            RefusalReason::LimitReached,
            format!("earlier answers are not read, and the server's limit {limit} is reached"),
        )
        .with("limit", limit)
    })
}

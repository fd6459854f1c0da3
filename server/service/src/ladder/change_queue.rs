//! A queue of changes that run one after the other, each to completion.

use std::pin::Pin;

use bridgemaster_store::StoreError;
use tokio::sync::{mpsc, oneshot};

/// The number of queued changes beyond which callers wait.
const CAPACITY: usize = 64;

type Change = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs changes in order of arrival.
///
/// A queued change runs to completion even if the call that queued it is dropped, for example
/// because its stream is reset. So no change is stored without being applied.
pub(super) struct ChangeQueue(mpsc::Sender<Change>);

impl ChangeQueue {
    /// Spawns a task that runs changes until the queue is dropped.
    pub(super) fn spawn() -> Self {
        let (sender, mut changes) = mpsc::channel::<Change>(CAPACITY);
        tokio::spawn(async move {
            while let Some(change) = changes.recv().await {
                change.await;
            }
        });
        Self(sender)
    }

    /// Runs a change, and returns its result.
    ///
    /// # Errors
    /// The change's own errors; [`StoreError::Closed`] if the task has ended.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, result) = oneshot::channel();
        let change = Box::pin(async move {
            // The caller may have been dropped.
            let _ = sender.send(change.await);
        });
        let sent = self.0.send(change).await;
        sent.map_err(|_| StoreError::Closed)?;
        result.await.unwrap_or(Err(StoreError::Closed))
    }
}

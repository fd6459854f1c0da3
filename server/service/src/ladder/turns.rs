//! Changes of a ladder, one after the other, each to its end.

use std::pin::Pin;

use bridgemaster_store::StoreError;
use tokio::sync::{mpsc, oneshot};

/// Changes that wait for their turn before whoever brings more waits as well.
const WAITING: usize = 64;

type Change = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Carries changes out in the order in which they come.
///
/// A change that has come is carried out to its end, also when whoever asked for it is gone, as a
/// call whose stream is reset: so nothing is stored and then not taken in.
pub(super) struct Turns(mpsc::Sender<Change>);

impl Turns {
    /// Begins a task that carries changes out, until this is dropped.
    pub(super) fn begin() -> Self {
        let (sender, mut changes) = mpsc::channel::<Change>(WAITING);
        tokio::spawn(async move {
            while let Some(change) = changes.recv().await {
                change.await;
            }
        });
        Self(sender)
    }

    /// Has a change carried out, and gives what came of it.
    ///
    /// # Errors
    /// Those of the change; [`StoreError::Closed`] if nothing is carried out any more.
    pub(super) async fn take<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = oneshot::channel();
        let change = Box::pin(async move {
            // Whoever asked may be gone.
            let _ = tell.send(change.await);
        });
        let sent = self.0.send(change).await;
        sent.map_err(|_| StoreError::Closed)?;
        told.await.unwrap_or(Err(StoreError::Closed))
    }
}

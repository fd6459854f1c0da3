//! A handle to await that a commit is durable.

use std::{fmt, pin::Pin};

use crate::StoreError;

type FlushFuture = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// A batch that is committed, but might not be durable yet. The batch becomes durable even if this
/// handle is not awaited.
#[must_use = "effects of a commit must not become visible before it is durable"]
pub struct Flush(Option<FlushFuture>);

impl Flush {
    /// Returns the flush of a batch that is already durable.
    pub fn already_durable() -> Self {
        Self(None)
    }

    /// Returns the flush of a batch that is durable once `flushed` completes. The batch must become
    /// durable even if the future is never polled.
    pub fn from_future(
        flushed: impl Future<Output = Result<(), StoreError>> + Send + 'static,
    ) -> Self {
        Self(Some(Box::pin(flushed)))
    }

    /// Returns whether the batch is known to be durable already.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.0.is_none()
    }

    /// Completes when the batch and all earlier batches are as durable as the store guarantees.
    ///
    /// # Errors
    /// A storage failure. It is then unknown whether the batch is stored.
    pub async fn wait(self) -> Result<(), StoreError> {
        match self.0 {
            Some(flushing) => flushing.await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Flush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flush")
            .field("is_durable", &self.is_durable())
            .finish()
    }
}

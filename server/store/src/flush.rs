//! A commit on its way to where it is durable.

use std::{fmt, pin::Pin};

use crate::StoreError;

type Flushing = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// A batch that is committed, and may not be durable yet. It becomes so whether anybody waits for it
/// or not.
#[must_use = "nobody may see what was committed before it is durable"]
pub struct Flush(Option<Flushing>);

impl Flush {
    /// The batch is durable.
    pub fn done() -> Self {
        Self(None)
    }

    /// It is once this completes, which does not need to be polled to come about.
    pub fn until(flushed: impl Future<Output = Result<(), StoreError>> + Send + 'static) -> Self {
        Self(Some(Box::pin(flushed)))
    }

    /// Whether it is known to be durable already.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.0.is_none()
    }

    /// Completes when the batch and all before it are as durable as the store promises.
    ///
    /// # Errors
    /// A failure of the storage: whether the batch is stored is not known then.
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
            .field("is_done", &self.is_done())
            .finish()
    }
}

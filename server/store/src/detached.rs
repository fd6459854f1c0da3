//! Work that ends, though nobody waits for it any more.

use crate::StoreError;

/// Runs a piece of work in a task of its own, so that a caller that stops waiting cannot leave a
/// transaction half done.
pub(crate) async fn detached<T: Send + 'static, F: From<StoreError> + Send + 'static>(
    work: impl Future<Output = Result<T, F>> + Send + 'static,
) -> Result<T, F> {
    match tokio::spawn(work).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime shuts down.
            Err(_) => Err(StoreError::Closed.into()),
        },
    }
}

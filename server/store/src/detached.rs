//! Work that ends, though nobody waits for it any more.

use tokio::task::JoinError;

use crate::StoreError;

/// Begins a piece of work in a task of its own, so that a caller that stops waiting cannot leave a
/// transaction half done.
pub(crate) fn detached<T: Send + 'static, F: From<StoreError> + Send + 'static>(
    work: impl Future<Output = Result<T, F>> + Send + 'static,
) -> impl Future<Output = Result<T, F>> + Send + 'static {
    let working = tokio::spawn(work);
    async move {
        match working.await {
            Ok(outcome) => outcome,
            Err(error) => Err(ended(error).into()),
        }
    }
}

/// Runs a piece of work that blocks, on a thread where it may.
pub(crate) async fn on_a_thread<T: Send + 'static, F: From<StoreError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, F> + Send + 'static,
) -> Result<T, F> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(ended(error).into()),
    }
}

/// What it means that there is no outcome; a panic goes on.
fn ended(error: JoinError) -> StoreError {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime shuts down.
        Err(_) => StoreError::Closed,
    }
}

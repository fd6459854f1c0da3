//! Boxed futures, and work that is completed in a separate task even if its caller stops waiting.

use std::pin::Pin;

use tokio::task::JoinError;

use crate::StoreError;

/// A future that is compiled once, in the crate that creates it. An `async fn` is compiled again,
/// with all nested futures, in each crate that awaits it. So the long `async` functions of this
/// crate return this type instead.
pub type CompiledFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs a future in a separate task, so that a caller that stops waiting cannot leave a transaction
/// incomplete.
pub(crate) fn run_detached<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> impl Future<Output = Result<T, E>> + Send + 'static {
    let task = tokio::spawn(work);
    async move {
        match task.await {
            Ok(outcome) => outcome,
            Err(error) => Err(join_error(error).into()),
        }
    }
}

/// Runs blocking work on a thread of the blocking pool.
pub(crate) async fn run_blocking<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(join_error(error).into()),
    }
}

/// Converts a task's failure to a store error. Resumes the panic if the task panicked.
fn join_error(error: JoinError) -> StoreError {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The task was cancelled, because the runtime is shutting down.
        Err(_) => StoreError::Closed,
    }
}

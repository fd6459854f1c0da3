//! What the long `async` functions of this crate return.

use std::pin::Pin;

/// A future that is compiled once, in the crate that makes it. What an `async fn` does is compiled
/// anew in each program that awaits it, with all that it awaits in turn.
pub type CompiledFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

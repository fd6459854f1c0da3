//! Boxed futures for the long `async` functions of this crate. Boxing shortens the build of
//! dependent crates.

use std::pin::Pin;

/// A future that is compiled once, in the crate that creates it. An `async fn` would be compiled
/// again in each crate that awaits it, together with all nested futures.
pub type CompiledFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

//! Replays on the server's side: the key that signs them, and the folder that comes to have each.

mod folder;
mod keeper;
mod missing;
mod retention;
pub(crate) mod signing_key;
mod writer;

pub(crate) use keeper::ReplayKeeper;
pub use retention::KeepReplays;
pub(crate) use retention::Retention;

//! Replays on the server's side: the key that signs them, and the folder that comes to have each.

mod folder;
mod keeper;
pub(crate) mod signing_key;

pub(crate) use keeper::ReplayKeeper;

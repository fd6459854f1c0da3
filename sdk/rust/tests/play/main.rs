//! The SDK against a server whose every message is in the test's hand.

#![allow(clippy::unwrap_used, missing_docs)]

mod conversation;
mod puppet;
mod refusals;
mod resuming;
mod scripted_server;
mod seed;

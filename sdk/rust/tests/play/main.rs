//! The SDK against a server whose messages the tests script.

#![allow(clippy::unwrap_used, missing_docs)]

mod attending;
mod conversation;
mod refusals;
mod resuming;
mod scripted_bot;
mod scripted_server;
mod seed;

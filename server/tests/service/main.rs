//! The server over real connections on loopback: whole matches, and bots that misbehave.

#![allow(clippy::unwrap_used, missing_docs)]

mod catalog;
mod conversation;
mod limits;
mod metrics;
mod raw_bot;
mod reconnecting;
mod referee_lag;
mod seed_commitment;
mod spectators;
mod stopping;
mod stray_answers;
mod table;
mod whole_matches;
mod zoo;

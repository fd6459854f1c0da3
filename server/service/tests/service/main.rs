//! The server over real connections on loopback: whole matches, and bots that misbehave.

#![allow(clippy::unwrap_used, missing_docs)]

mod cancelling;
mod catalog;
#[path = "../certificates/mod.rs"]
mod certificates;
mod connections;
mod conversation;
mod failing_store;
mod flood;
mod groups;
mod held;
mod hindered_store;
mod keys;
mod large_replays;
mod limits;
mod listing;
mod lobby;
mod locked_server;
mod log_lines;
mod match_records;
mod metrics;
mod raw_bot;
mod reads_beside_matches;
mod reconnecting;
mod referee_lag;
mod repeated_requests;
mod replay_files;
mod reserved_seats;
mod restarting;
mod security;
mod seed_commitment;
mod set_aside;
mod silent_requests;
mod slow_pongs;
mod slow_store;
mod spectators;
mod stopping;
mod stray_answers;
mod test_server;
mod tls;
mod turned_away;
mod unserved_calls;
mod whole_matches;
mod zoo;

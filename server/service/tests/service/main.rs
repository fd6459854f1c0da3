//! Tests of the server over loopback connections: whole matches, and misbehaving bots.

#![allow(clippy::unwrap_used, missing_docs)]

mod built_in_bots;
mod caller;
mod cancelling;
mod catalog;
#[path = "../certificates/mod.rs"]
mod certificates;
mod cluster_lists;
#[allow(dead_code)] // Not every target needs all of it.
#[path = "../../../traces/tests/collecting/mod.rs"]
mod collecting;
mod connections;
mod conversation;
mod delayed_law;
mod delayed_remote;
mod delayed_retention;
mod delayed_spectators;
mod forks;
mod groups;
mod heartbeats;
mod held;
mod intercepted_store;
mod keys;
mod ladder;
mod ladder_actions;
mod ladder_conduct;
mod ladder_fixture;
mod ladder_rights;
mod ladder_troubles;
mod lag;
mod large_replays;
mod leases;
mod least_privilege;
mod limits;
mod listing;
mod lobby;
mod log_lines;
mod metrics;
mod notes;
mod overview;
mod page;
mod planted_node;
mod positions;
mod public_reading;
mod quarantine;
mod raw_bot;
mod raw_call;
mod reads_beside_matches;
mod reconnecting;
mod replay_files;
mod reserved_seats;
mod rules;
mod scripted_cluster;
mod seat_calls;
mod security;
mod stopping;
mod store_troubles;
mod streams;
mod test_server;
mod tls;
mod unserved_calls;
mod waiting;
mod whole_matches;
mod withheld_replays;
mod zoo;

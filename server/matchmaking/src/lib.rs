//! Matchmaking: queues in which bots wait for matches, and ladders that pair and rate bots.

#![forbid(unsafe_code)]

pub mod ladder;
pub mod lobby;

//! The command line, by running the real binary.

#![allow(clippy::unwrap_used)]

mod demo;
mod every_game;
mod forged_replays;
mod keys;
mod misuse;
mod program;
mod served_match;

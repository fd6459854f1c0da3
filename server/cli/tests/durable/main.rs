//! The real binary with a data folder: killed, started again, and refusing what it cannot believe.

#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

mod contest_annulled;
mod contest_bot_kills;
mod contest_kills;
mod counted_play;
mod draining;
mod kills;
#[path = "../kit/mod.rs"]
mod kit;
mod ladder_kills;
mod ladder_lost_bot;
mod lost_tail;
mod paced_bot;
mod refusing;
mod replay_files;
mod served;
mod served_ladder;
mod trusting;

//! Whole ladders in virtual time: bots of known strength come and go, fail and lag, and the server
//! is started again at any moment from what it has stored.
//!
//! How often bots are suspected wrongly, and after how many matches rightly, is told at length by
//!
//! ```text
//! cargo test -p bridgemaster-ladder --release --test simulation -- --ignored --nocapture suspicion
//! ```

#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "the long form prints its figures")]

mod closing_rounds;
mod facts;
mod pairing;
mod scenes;
mod suspicion;
mod world;

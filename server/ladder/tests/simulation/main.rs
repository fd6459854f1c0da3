//! Simulations of whole ladders in virtual time: bots of known strength come and go, fail and lag,
//! and the server is restarted from its store at any time.
//!
//! The following prints how often bots are suspected or marked wrongly, and after how many matches
//! they are suspected rightly:
//!
//! ```text
//! cargo test -p bridgemaster-ladder --release --test simulation -- --ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "the long form prints its figures")]

mod actions;
mod closing_rounds;
mod fair_share;
mod flags;
mod pairing;
mod properties;
mod ranks;
mod scenarios;
mod suspicion;
mod world;

//! Decision ratings for the bot `greedy`. The bot tries every decision in a state that is
//! consistent with its observation, and evaluates the resulting state. It looks ahead at most to
//! the end of its own turn. The crate in `bots/rust` contains the bot itself. The rules service's
//! playouts use these ratings too.

#![forbid(unsafe_code)]

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
pub mod old_london_bridge;
mod rate;

pub use rate::{Rate, best_decision, playout_decision};

//! What decisions look like to the bot `greedy`: it tries every decision in a state that its
//! observation allows, looks no further than the end of its own turn, and evaluates what it has
//! then. The bot itself is in `bots/rust`; playouts of the rules by call take decisions by it too.

#![forbid(unsafe_code)]

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
pub mod old_london_bridge;
mod rate;

pub use rate::{Rate, best_decision, playout_decision};

//! The games' generated packages and, behind the `games` feature, the conversions between their
//! messages and the rules. Each game has its own folder.
//!
//! A game's file `messages.rs` describes its messages. From these descriptions, the macros in
//! `describe.rs` generate the conversions in both directions. `pieces.rs` contains the conversions
//! that are written by hand.
//!
//! Messages from outside are checked for form: every number must be in range, every list must have
//! a valid length, and every enum value must be known. The rules decide whether a decision is legal
//! or a setup is possible.

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
pub mod old_london_bridge;

#[cfg(feature = "games")]
mod conversion;
#[cfg(feature = "games")]
mod describe;
#[cfg(feature = "games")]
mod enums;
#[cfg(feature = "games")]
mod other_form;
mod request;
#[cfg(feature = "games")]
mod wire;
#[cfg(feature = "games")]
mod wire_game;
#[cfg(feature = "games")]
mod writer;

#[cfg(feature = "games")]
pub(crate) use wire::Oneof;
#[cfg(feature = "games")]
pub use wire::{GameEntry, WireError, WireGame, game_id};
#[cfg(feature = "games")]
pub use writer::{Field, Fields, Number, Writer, field_of};

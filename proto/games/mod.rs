//! The packages of the games and, behind the feature `games`, the conversions between them and
//! the rules: one folder a game.
//!
//! The file `messages.rs` of a game describes its messages, and both conversions follow from the
//! description, as `describe.rs` tells. `pieces.rs` has the forms that are written by hand.
//!
//! What comes from outside is checked for form: every number is in its range, every list has its
//! length, every enum value is known. Whether a decision is legal, or a setup possible, is for
//! the rules to say.

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

//! Carcassonne with the Drawbridges: generated messages and their conversions.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::carcassonne::v1;

#[cfg(feature = "games")]
use bridgemaster_games::carcassonne::Carcassonne;

#[cfg(feature = "games")]
mod messages;
#[cfg(feature = "games")]
mod pieces;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(Carcassonne);

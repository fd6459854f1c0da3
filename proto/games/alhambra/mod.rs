//! Alhambra, the card game: generated messages and their conversions.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::alhambra::v1;

#[cfg(feature = "games")]
use bridgemaster_games::alhambra::Alhambra;

#[cfg(feature = "games")]
mod messages;
#[cfg(feature = "games")]
mod pieces;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(Alhambra with chance);

//! Bridges to Nowhere: generated messages and their conversions.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::bridges_to_nowhere::v1;

#[cfg(feature = "games")]
use bridgemaster_games::bridges_to_nowhere::BridgesToNowhere;

#[cfg(feature = "games")]
mod messages;
#[cfg(feature = "games")]
mod pieces;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(BridgesToNowhere, observation by pieces::fill_in_games);

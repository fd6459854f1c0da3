//! Bridges to Nowhere.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::bridges_to_nowhere::v1;

#[cfg(feature = "games")]
use bridgemaster_games::bridges_to_nowhere::BridgesToNowhere;

#[cfg(feature = "games")]
mod components;
#[cfg(feature = "games")]
mod config;
#[cfg(feature = "games")]
mod decision;
#[cfg(feature = "games")]
mod event;
#[cfg(feature = "games")]
mod observation;
#[cfg(feature = "games")]
mod setup;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(BridgesToNowhere);

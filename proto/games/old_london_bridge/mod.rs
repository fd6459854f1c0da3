//! Old London Bridge.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::old_london_bridge::v1;

#[cfg(feature = "games")]
use bridgemaster_games::old_london_bridge::OldLondonBridge;

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
mod phase;
#[cfg(feature = "games")]
mod setup;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(OldLondonBridge);

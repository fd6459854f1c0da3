//! Old London Bridge.

#[doc(inline)]
pub use crate::generated::bridgemaster::games::old_london_bridge::v1;

#[cfg(feature = "games")]
use bridgemaster_games::old_london_bridge::OldLondonBridge;

#[cfg(feature = "games")]
mod messages;
#[cfg(feature = "games")]
mod pieces;

#[cfg(feature = "games")]
crate::games::wire_game::wire_game!(
    OldLondonBridge,
    setup by pieces::first_of_the_alike,
    observation by pieces::of_edition
);

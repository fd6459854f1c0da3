//! Old London Bridge: generated messages and their conversions.

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
    setup by pieces::canonicalize_stacks,
    observation by pieces::fill_in_buildings
);

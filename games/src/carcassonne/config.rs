//! The choices for a match of Carcassonne with the Drawbridges.

use std::sync::Arc;

use super::edition::Edition;

/// The choices for a match. The default has drawbridges and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `true` if the twelve drawbridge tiles are in the game in addition to the 72 base tiles.
    pub drawbridges: bool,
    /// `true` if meeples may be placed on fields.
    pub fields: bool,
    /// The drawbridge tiles. Set even in a match without drawbridges.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            drawbridges: true,
            fields: true,
            edition: Edition::built_in(),
        }
    }
}

//! What can be chosen for a match of Carcassonne with the Drawbridges.

use std::sync::Arc;

use super::edition::Edition;

/// What can be chosen for a match. The default has drawbridges and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whether the twelve drawbridge tiles are in the game; without them the 72 base tiles are.
    pub drawbridges: bool,
    /// Whether meeples may be placed on fields.
    pub fields: bool,
    /// The drawbridge tiles, in the game or not.
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

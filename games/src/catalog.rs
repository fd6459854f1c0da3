//! The one list of games.

use crate::{Game, old_london_bridge::OldLondonBridge};

/// The identifiers of all games, in the order of the catalogue.
pub const GAME_IDS: &[&str] = &[OldLondonBridge::ID];

/// Evaluates an expression with the game of an identifier as a type: `Some` of it, or `None`
/// when there is no such game.
///
/// ```
/// use bridgemaster_games::{Game, with_game};
///
/// assert_eq!(with_game!("old_london_bridge", G => G::NAME), Some("Old London Bridge"));
/// assert_eq!(with_game!("chess", G => G::NAME), None);
/// ```
#[macro_export]
macro_rules! with_game {
    ($id:expr, $game:ident => $body:expr) => {
        match $id {
            <$crate::old_london_bridge::OldLondonBridge as $crate::Game>::ID => {
                type $game = $crate::old_london_bridge::OldLondonBridge;
                Some($body)
            }
            _ => None,
        }
    };
}

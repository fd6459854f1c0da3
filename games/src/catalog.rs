//! The one list of games.

/// Makes [`GAME_IDS`] and [`with_game`] of the modules and types of the games.
macro_rules! catalog {
    ($dollar:tt $($module:ident::$game:ident,)*) => {
        /// The identifiers of all games, in the order of the catalogue.
        pub const GAME_IDS: &[&str] = &[$(<crate::$module::$game as crate::Game>::ID),*];

        /// Evaluates an expression with the game of an identifier as a type: `Some` of it, or
        /// `None` when there is no such game.
        ///
        /// ```
        /// use bridgemaster_games::{Game, with_game};
        ///
        /// assert_eq!(with_game!("old_london_bridge", G => G::NAME), Some("Old London Bridge"));
        /// assert_eq!(with_game!("chess", G => G::NAME), None);
        /// ```
        #[macro_export]
        macro_rules! with_game {
            ($dollar id:expr, $dollar game:ident => $dollar body:expr) => {
                match $dollar id {
                    $(<$dollar crate::$module::$game as $dollar crate::Game>::ID => {
                        type $dollar game = $dollar crate::$module::$game;
                        Some($dollar body)
                    })*
                    _ => None,
                }
            };
        }
    };
}

catalog! { $
    old_london_bridge::OldLondonBridge,
    alhambra::Alhambra,
    bridges_to_nowhere::BridgesToNowhere,
    carcassonne::Carcassonne,
}

//! The list of games. This module is the only place where the games are listed.

/// Calls a macro with the list of games, each as `module: Type,`. The macro is passed by its name,
/// or by its path in brackets. Further tokens are passed before the list. Code with a part for each
/// game is generated from this list, so a game without that part does not compile.
///
/// ```
/// use bridgemaster_games::{Rules as _, for_each_game};
///
/// macro_rules! names {
///     ($prefix:literal $($module:ident: $game:ident,)*) => {
///         [$(format!("{} {}", $prefix, bridgemaster_games::$module::$game::NAME)),*]
///     };
/// }
///
/// assert_eq!(for_each_game!(names, "rules of")[1], "rules of Alhambra: The Card Game");
/// ```
#[macro_export]
macro_rules! for_each_game {
    ($then:ident $(, $($before:tt)*)?) => {
        $crate::for_each_game! { [$then] $(, $($before)*)? }
    };
    ([$($then:tt)+] $(, $($before:tt)*)?) => {
        $($then)+! { $($($before)*)?
            old_london_bridge: OldLondonBridge,
            alhambra: Alhambra,
            bridges_to_nowhere: BridgesToNowhere,
            carcassonne: Carcassonne,
        }
    };
}

macro_rules! game_ids {
    ($($module:ident: $game:ident,)*) => {
        /// The identifiers of all games, in the order of the catalogue.
        pub const GAME_IDS: &[&str] = &[$(<crate::$module::$game as crate::Rules>::ID),*];
    };
}
for_each_game!(game_ids);

/// Evaluates an expression in which a type stands for the game with an identifier. Returns `Some`
/// with the value, or `None` if no game has this identifier.
///
/// ```
/// use bridgemaster_games::with_game;
///
/// assert_eq!(with_game!("old_london_bridge", G => G::NAME), Some("Old London Bridge"));
/// assert_eq!(with_game!("chess", G => G::NAME), None);
/// ```
#[macro_export]
macro_rules! with_game {
    ($id:expr, $game:ident => $body:expr) => {
        $crate::for_each_game!([$crate::with_game], @match $id, $game => $body;)
    };
    (@match $id:expr, $alias:ident => $body:expr; $($module:ident: $game:ident,)*) => {
        match $id {
            $(<$crate::$module::$game as $crate::Rules>::ID => {
                #[allow(unused_imports, reason = "the expression uses some of them")]
                use $crate::{Game as _, Options as _, Rules as _, Sample as _, Show as _};
                type $alias = $crate::$module::$game;
                Some($body)
            })*
            _ => None,
        }
    };
}

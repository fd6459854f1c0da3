//! The rules service agrees with the rules themselves, in every game.

#![allow(clippy::unwrap_used)]

mod agreement;
mod hostile;
mod places;
mod playthrough;
mod secrecy;
mod session;

/// Runs a function for each game, given as `function::<Game>`.
macro_rules! of_every_game {
    ($($function:ident as $test:ident,)*) => {
        $(#[test]
        fn $test() {
            for id in bridgemaster_games::GAME_IDS {
                bridgemaster_games::with_game!(*id, G => $function::<G>());
            }
        })*
    };
}
pub(crate) use of_every_game;

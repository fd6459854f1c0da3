//! What can be chosen for a match of Bridges to Nowhere.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::components::CONTRACTS;
use super::edition::Edition;

/// Most games of a match: as many as there are contracts.
pub const MAX_GAMES: usize = CONTRACTS;
/// Values of [`Config::games`].
pub const GAMES: RangeInclusive<u8> = 1..=MAX_GAMES as u8;
/// Values of [`Config::contracts_to_win`]: with three, six games nearly always decide a match.
pub const CONTRACTS_TO_WIN: RangeInclusive<u8> = 1..=3;

/// What can be chosen for a match. The default is the published game with the built-in edition:
/// played for contracts until a seat has two, in at most six games.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whether each game is played for a contract, which also scores. Without contracts a won game
    /// counts as one all the same.
    pub contracts: bool,
    /// The match ends as soon as a seat has won this many contracts, see [`CONTRACTS_TO_WIN`].
    pub contracts_to_win: u8,
    /// The match ends after this many games at the latest, see [`GAMES`]; then more contracts,
    /// then more points in all games decide (N12). A match of one game is decided by its points.
    pub games: u8,
    /// Edition data: the deck.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            contracts: true,
            contracts_to_win: 2,
            games: MAX_GAMES as u8,
            edition: Edition::built_in(),
        }
    }
}

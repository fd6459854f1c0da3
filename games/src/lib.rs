//! The rules of every Bridgemaster game: pure and deterministic. Nothing here knows async code,
//! I/O, a clock or protobuf.
//!
//! [`Game`] is the one seam through which the referee, the protocol, the replays and the tools
//! know a game. [`with_game`] holds the one list of games.

#![forbid(unsafe_code)]

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
mod catalog;
mod chance;
mod digest;
mod edition;
mod game;
mod named;
mod notation;
pub mod old_london_bridge;
mod option;
mod out_of_turn;
mod outcome;
mod seat;
mod setup_error;

pub use catalog::GAME_IDS;
pub use chance::{ChanceStream, MAX_SEED_CHARS, Seed, SeedError};
pub use digest::{Digest, Digester};
pub use edition::{EditionError, MAX_EDITION_NAME};
pub use game::{EventSink, Game, LegalList, NoChance, NoEvents, Progress, settle};
pub use notation::NotationError;
pub use option::{GameOption, OptionError, OptionSource};
pub use out_of_turn::OutOfTurn;
pub use outcome::{Outcome, ScoreLine, SeatOutcome};
pub use seat::{MAX_SEATS, Seat, SeatCount, SeatSet, Viewer};
pub use setup_error::SetupError;

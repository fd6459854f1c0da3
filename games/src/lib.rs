//! The rules of every Bridgemaster game. The rules are pure and deterministic: nothing in this
//! crate uses async code, I/O, a clock or protobuf.
//!
//! [`Game`] is the only interface between a game and the referee, the protocol, the replays and the
//! tools. The trait combines [`Rules`], [`Sample`], [`Show`] and [`Options`], which every game
//! implements. [`for_each_game`] has the list of games.

#![forbid(unsafe_code)]

pub mod alhambra;
pub mod bridges_to_nowhere;
pub mod carcassonne;
mod catalog;
mod chance;
mod digest;
mod edition;
mod events;
mod field_error;
mod game;
mod named;
mod notation;
pub mod old_london_bridge;
mod options;
mod outcome;
mod refusals;
mod rules;
mod sample;
mod seat;
mod secret;
mod show;

/// The example of the repository's README, which is a test of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

pub use catalog::GAME_IDS;
pub use chance::{ChanceStream, MAX_SEED_CHARS, Seed, SeedError};
pub use digest::{Digest, Digester};
pub use edition::MAX_EDITION_NAME;
pub use events::{EventSink, NoEvents};
pub use field_error::{FieldError, check_range};
pub use game::{Game, resolve_chance};
pub use notation::NotationError;
pub use options::{
    ConfigOption, GameOption, OptionError, OptionSource, Options, Reader, Values, Word,
};
pub use outcome::{Outcome, ScoreLine, SeatOutcome};
pub use refusals::OutOfTurn;
pub use rules::{LegalList, NoChance, Rules};
pub use sample::Sample;
pub use seat::{MAX_SEATS, Seat, SeatCount, SeatSet, Viewer};
pub use secret::Secret;
pub use show::{Progress, Show};

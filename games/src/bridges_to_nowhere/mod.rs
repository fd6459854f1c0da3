//! Bridges to Nowhere, complete: 2 seats, a draft and secret simultaneous building, six contracts,
//! a match of several games.
//!
//! Rulings (N1) to (N15) and the edition datum (D1) are explained in
//! `docs/rules/bridges-to-nowhere.md`.

mod barred;
mod board;
mod building;
mod components;
mod config;
mod decision;
mod draft;
mod edition;
mod event;
mod illegal;
mod notation;
mod observation;
mod observation_check;
mod options;
mod render;
mod rules;
mod run;
mod sampling;
mod scoring;
mod setup;
mod state;
mod structure;

pub use components::*;
pub use config::{CONTRACTS_TO_WIN, Config, GAMES, MAX_GAMES};
pub use decision::Decision;
pub use edition::{BridgeCardParts, Edition, EditionParts};
pub use event::Event;
pub use illegal::Illegal;
pub use observation::{GameResult, MAX_CATEGORY_POINTS, Observation, Phase, SeatScore, SeatView};
pub use setup::{Deal, Setup};
pub use state::State;

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct BridgesToNowhere;

//! The complete rules of Bridges to Nowhere, for 2 seats: a draft, secret simultaneous building,
//! six contracts, and matches of several games.
//!
//! Rulings (N1) to (N19) and the edition datum (D1) are explained in
//! `docs/rules/bridges-to-nowhere.md`.

mod board;
mod building;
mod components;
mod config;
mod decision;
mod draft;
mod edition;
mod event;
mod observation;
mod observation_check;
mod render;
mod rules;
mod run;
mod sampling;
mod scoring;
mod setup;
mod state;
mod structure;

pub use components::*;
pub use config::{CONTRACTS_TO_WIN, Config, GAMES, MAX_GAMES, NextCards};
pub use decision::{Decision, Illegal};
pub use edition::{Edition, EditionParts};
pub use event::Event;
pub use observation::{GameResult, MAX_CATEGORY_POINTS, Observation, Phase, SeatScore, SeatView};
pub use scoring::Achievements;
pub use setup::{Deal, Setup};
pub use state::State;

/// Implements the rules of Bridges to Nowhere.
#[derive(Clone, Copy, Debug)]
pub struct BridgesToNowhere;

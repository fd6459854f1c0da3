//! The complete rules of Old London Bridge (Gabriele Bubola and Leo Colovini), for 2 to 4 seats,
//! with all bonus tiles and all score-tile faces.
//!
//! Rulings (R1) to (R26) and edition data (E1) to (E6) are explained in
//! `docs/rules/old-london-bridge.md`.

mod building;
mod components;
mod config;
mod decision;
mod edition;
mod event;
mod legal;
mod observation;
mod observation_check;
mod placement;
mod render;
mod rules;
mod sampling;
mod scoring;
mod setup;
mod state;
mod tracks;
mod turn;

pub use components::*;
pub use config::{Config, FaceChoice, StartLeaders};
pub use decision::{Decision, Illegal, MAX_PLAYED, Placement, PlayedCards, Spot, TurnTile};
pub use edition::{
    BuildingId, Edition, EditionParts, MAX_HOUSE_NUMBER, MAX_INCOME, MAX_SPACE_MONEY,
    MAX_TRACK_SPACES,
};
pub use event::Event;
pub use observation::{
    BonusStackView, MAX_TURNS, Observation, Pawn, Phase, SeatView, StackView, Turn, TurnStep,
    TurnView,
};
pub use setup::{MAX_ROUNDS, Setup};
pub use state::State;

/// Implements the rules of Old London Bridge.
#[derive(Clone, Copy, Debug)]
pub struct OldLondonBridge;

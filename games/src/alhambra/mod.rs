//! The complete rules of Alhambra: The Card Game (Dirk Henn), for 2 to 6 seats, including the dummy
//! at a table of two.
//!
//! Rulings (A1) to (A10) and the sources of prices and points are explained in
//! `docs/rules/alhambra.md`.

mod building;
mod components;
mod config;
mod decision;
mod event;
mod legal;
mod money;
mod observation;
mod pile;
mod refill;
mod render;
mod row_cards;
mod rules;
mod sampling;
mod scoring;
mod setup;
mod state;

pub use building::{Building, Buildings};
pub use components::*;
pub use config::{Config, DummyPlaces, WithoutBuildings};
pub use decision::{Decision, Illegal, Purchase};
pub use event::{Event, Owner};
pub use money::{Money, MoneyCard, ValueCounts};
pub use observation::{
    DummyView, MAX_TURN_PURCHASES, Observation, Phase, PlaceRange, Points, SeatView, TurnPurchase,
};
pub use row_cards::RowCards;
pub use setup::{Setup, Shuffle};
pub use state::State;

/// Implements the rules of Alhambra.
#[derive(Clone, Copy, Debug)]
pub struct Alhambra;

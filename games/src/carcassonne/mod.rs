//! The rules of Carcassonne (Klaus-Jürgen Wrede), third edition, with the mini expansion the
//! Drawbridges, for 2 to 5 seats. The drawbridge tiles and the fields are optional.
//!
//! Rulings (C1) to (C6) are explained in `docs/rules/carcassonne-drawbridges.md`.

mod components;
mod config;
mod decision;
mod edition;
mod edition_parts;
mod event;
mod feature_view;
mod features;
mod forest;
mod frontier;
mod map;
mod meeples;
mod observation;
mod observation_check;
mod render;
mod rules;
mod sampling;
mod scoring;
mod setup;
mod state;
mod tile;

pub use components::*;
pub use config::Config;
pub use decision::{Decision, Gate, Illegal, Placement};
pub use edition::Edition;
pub use edition_parts::{CityParts, EditionParts, FieldParts, RoadParts, TileParts};
pub use event::Event;
pub use feature_view::{FeatureId, FeatureKind, FeatureView};
pub use observation::{
    Crossing, LaidTile, MAX_POINTS, Meeple, Observation, Phase, Points, SeatView,
};
pub use setup::Setup;
pub use state::State;

/// Implements the rules of Carcassonne with the Drawbridges.
#[derive(Clone, Copy, Debug)]
pub struct Carcassonne;

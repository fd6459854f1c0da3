//! Carcassonne (Klaus-Jürgen Wrede), third edition, with the Drawbridges, a mini expansion: 2 to 5
//! seats, with or without the drawbridge tiles and fields.
//!
//! Rulings (C1) to (C5) are explained in `docs/rules/carcassonne-drawbridges.md`.

mod apply;
mod components;
mod config;
mod decision;
mod drawbridges;
mod edition;
mod edition_check;
mod event;
mod feature_view;
mod features;
mod forest;
mod frontier;
mod legal;
mod map;
mod meeples;
mod notation;
mod observation;
mod observation_check;
mod observe;
mod options;
mod refusal;
mod render;
mod sampling;
mod scoring;
mod setup;
mod state;
mod tile;
mod transcript;

use std::{fmt, ops::RangeInclusive};

pub use components::*;
pub use config::{Config, ConfigError};
pub use decision::{Decision, Gate, Placement};
pub use edition::{CityParts, Edition, EditionParts, FieldParts, RoadParts, TileParts};
pub use event::Event;
pub use feature_view::{FeatureId, FeatureKind, FeatureView};
pub use observation::{
    Crossing, LaidTile, MAX_POINTS, Meeple, Observation, Phase, Points, SeatView,
};
pub use refusal::Refusal;
pub use setup::{Setup, SetupError};
pub use state::State;

use crate::{
    ChanceStream, Digest, EventSink, Game, GameOption, LegalList, NoChance, OptionError, Outcome,
    Progress, Seat, SeatCount, SeatSet, Seed, Viewer,
};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Carcassonne;

impl Game for Carcassonne {
    const ID: &'static str = "carcassonne";
    const NAME: &'static str = "Carcassonne with the Drawbridges";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = MIN_PLAYERS as u8..=MAX_PLAYERS as u8;
    const LEGAL_CAP: usize = legal::LEGAL_CAP;
    const NOTES: &'static [&'static str] = &[
        "Eight of the twelve drawbridge tiles of the house edition (D5 to D12) are the project's \
         own: the source shows them as pictures only.",
        "The drawbridge tiles D1 to D3 are known by their shape and D4 was read from a picture; \
         the fields of all four are inferred.",
    ];
    const OPTIONS: &'static [GameOption] = options::OPTIONS;

    type Config = Config;
    type ConfigError = ConfigError;
    type Setup = Setup;
    type SetupError = SetupError;
    type State = State;
    type Decision = Decision;
    type Refusal = Refusal;
    type Observation = Observation;
    type Event = Event;
    type Chance = NoChance;

    fn check_config(config: &Config, seats: SeatCount) -> Result<(), ConfigError> {
        config.check(seats)
    }

    fn set_option(config: &mut Config, name: &str, value: &str) -> Result<(), OptionError> {
        options::set(config, name, value)
    }

    fn draw_setup(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, ConfigError> {
        setup::draw(config, seats, seed)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        events: &mut impl EventSink<Event>,
    ) -> Result<State, SetupError> {
        setup.check(config, seats)?;
        let mut state = State::new(config, seats, setup);
        state.draw_tile(events);
        Ok(state)
    }

    fn apply_chance(
        _state: &mut State,
        chance: &NoChance,
        _events: &mut impl EventSink<Event>,
    ) -> Result<(), SetupError> {
        match *chance {}
    }

    fn owing(state: &State) -> SeatSet {
        state.owing()
    }

    fn legal(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        state.legal(seat, list);
        LegalList::Complete
    }

    fn apply(
        state: &mut State,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        state.apply(seat, decision, events)
    }

    fn observe(state: &State, viewer: Viewer) -> Observation {
        state.observe(viewer)
    }

    fn sample_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, SetupError> {
        sampling::sample(config, observation, chance)
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn render(
        config: &Config,
        observation: &Observation,
        text: &mut impl fmt::Write,
    ) -> fmt::Result {
        render::render(config, observation, text)
    }

    fn progress(observation: &Observation) -> Option<Progress> {
        Some(render::progress(observation))
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}

//! Alhambra: The Card Game (Dirk Henn), complete: 2 to 6 seats, the dummy at a table of two.
//!
//! Rulings (A1) to (A10) and the sources of prices and points are explained in
//! `docs/rules/alhambra.md`.

mod apply;
mod building;
mod components;
mod config;
mod decision;
mod event;
mod legal;
mod money;
mod notation;
mod observation;
mod observation_check;
mod observe;
mod options;
mod payments;
mod pile;
mod refill;
mod refusal;
mod render;
mod sampling;
mod scoring;
mod setup;
mod shuffle;
mod state;
mod transcript;

use std::{fmt, ops::RangeInclusive};

pub use building::{Building, Buildings};
pub use components::*;
pub use config::{Config, ConfigError, DummyPlaces, WithoutBuildings};
pub use decision::{Decision, Purchase};
pub use event::{Event, Owner};
pub use money::{MONEY_KINDS, Money, MoneyCard, RowCards, ValueCounts};
pub use observation::{
    DummyView, MAX_TURN_PURCHASES, Observation, Phase, PlaceRange, Points, SeatView, TurnPurchase,
};
pub use refusal::Refusal;
pub use setup::{Setup, SetupError};
pub use shuffle::Shuffle;
pub use state::State;

use crate::{
    ChanceStream, Digest, EventSink, Game, GameOption, LegalList, OptionError, Outcome, Progress,
    Seat, SeatCount, SeatSet, Seed, Viewer,
};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Alhambra;

impl Game for Alhambra {
    const ID: &'static str = "alhambra";
    const NAME: &'static str = "Alhambra: The Card Game";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = MIN_PLAYERS as u8..=MAX_PLAYERS as u8;
    const LEGAL_CAP: usize = legal::LEGAL_CAP;
    const NOTES: &'static [&'static str] = &[
        "Prices and points that the rulebook shows as pictures only come from public lists of the \
         game, which agree with each other and with every figure in its text.",
        "Hands are open: every take and payment is, so that hiding them would only test memory.",
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
    type Chance = Shuffle;

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
        state.begin(events);
        Ok(state)
    }

    fn chance_due(state: &State) -> Option<u64> {
        state.shuffle_due()
    }

    fn draw_chance(state: &State, chance: &mut ChanceStream) -> Option<Shuffle> {
        state.draw_shuffle(chance)
    }

    fn apply_chance(
        state: &mut State,
        chance: &Shuffle,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), SetupError> {
        state.apply_shuffle(chance, events)
    }

    fn owing(state: &State) -> SeatSet {
        state.owing()
    }

    fn legal(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        state.legal(seat, list)
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
        _config: &Config,
        observation: &Observation,
        text: &mut impl fmt::Write,
    ) -> fmt::Result {
        render::render(observation, text)
    }

    fn progress(observation: &Observation) -> Option<Progress> {
        Some(render::progress(observation))
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}

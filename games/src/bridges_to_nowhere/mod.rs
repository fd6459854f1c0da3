//! Bridges to Nowhere, complete: 2 seats, a draft and secret simultaneous building, six contracts,
//! a match of several games.
//!
//! Rulings (N1) to (N15) and the edition datum (D1) are explained in
//! `docs/rules/bridges-to-nowhere.md`.

mod building;
mod components;
mod config;
mod decision;
mod draft;
mod edition;
mod event;
mod legal;
mod notation;
mod observation;
mod observation_check;
mod observe;
mod options;
mod refusal;
mod render;
mod run;
mod sampling;
mod scoring;
mod setup;
mod state;
mod structure;
mod transcript;

use std::{fmt, ops::RangeInclusive};

pub use components::*;
pub use config::{CONTRACTS_TO_WIN, Config, ConfigError, GAMES, MAX_GAMES};
pub use decision::Decision;
pub use edition::{BridgeCardParts, Edition, EditionParts};
pub use event::Event;
pub use observation::{GameResult, MAX_CATEGORY_POINTS, Observation, Phase, SeatScore, SeatView};
pub use refusal::Refusal;
pub use setup::{Deal, Setup, SetupError};
pub use state::State;

use crate::{
    ChanceStream, Digest, EventSink, Game, GameOption, LegalList, NoChance, OptionError, Outcome,
    Progress, Seat, SeatCount, SeatSet, Seed, Viewer,
};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct BridgesToNowhere;

impl Game for BridgesToNowhere {
    const ID: &'static str = "bridges_to_nowhere";
    const NAME: &'static str = "Bridges to Nowhere";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = PLAYERS as u8..=PLAYERS as u8;
    const LEGAL_CAP: usize = legal::LEGAL_CAP;
    const NOTES: &'static [&'static str] = &[
        "The house edition's deck is not the publisher's: no source lists the cards. Known of the \
         printed game are 24 bridge cards, 8 in each of three styles, with a number and two \
         symbols each.",
        "The rules follow a summary of the printed rules; what it leaves open was ruled on and is \
         listed in docs/rules/bridges-to-nowhere.md.",
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
        let mut state = State::new(config, setup);
        state.begin_game(events);
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

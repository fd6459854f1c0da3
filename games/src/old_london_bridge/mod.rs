//! Old London Bridge (Gabriele Bubola and Leo Colovini), complete: 2 to 4 seats, all bonus tiles,
//! all score-tile faces.
//!
//! Rulings (R1) to (R24) and edition data (E1) to (E6) are explained in
//! `docs/rules/old-london-bridge.md`.

mod apply;
mod bridge;
mod building;
mod components;
mod config;
mod decision;
mod edition;
mod edition_check;
mod event;
mod legal;
mod notation;
mod observation;
mod observation_check;
mod observe;
mod options;
mod placement;
mod refusal;
mod render;
mod sampling;
mod scoring;
mod setup;
mod state;
mod tracks;
mod transcript;
mod turn;
mod turn_check;

use std::{fmt, ops::RangeInclusive};

pub use components::*;
pub use config::{Config, ConfigError, FaceChoice, StartLeaders};
pub use decision::{Decision, MAX_PLAYED, Placement, PlayedCards, Spot, TurnTile};
pub use edition::{
    BuildingId, BuildingParts, Edition, EditionParts, MAX_HOUSE_NUMBER, MAX_INCOME,
    MAX_SPACE_MONEY, MAX_TRACK_SPACES,
};
pub use event::Event;
pub use observation::{
    BonusStackView, MAX_TURNS, Observation, Pawn, Phase, SeatView, StackView, Turn, TurnStep,
    TurnView,
};
pub use refusal::Refusal;
pub use setup::{MAX_ROUNDS, Setup, SetupError};
pub use state::State;

use crate::{
    ChanceStream, Digest, EventSink, Game, GameOption, LegalList, NoChance, OptionError, Outcome,
    Progress, Seat, SeatCount, SeatSet, Seed, Viewer,
};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct OldLondonBridge;

impl Game for OldLondonBridge {
    const ID: &'static str = "old_london_bridge";
    const NAME: &'static str = "Old London Bridge";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    const LEGAL_CAP: usize = legal::LEGAL_CAP;
    const NOTES: &'static [&'static str] = &[
        "The house edition's ring, rondel, tracks, bonus stacks and buildings are not the \
         publisher's: the rulebooks show them as pictures only.",
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
        state.begin_round(events);
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

//! The seam: what everything that is not rules knows of a game.

use crate::{
    ChanceStream, EventSink, FieldError, GameOption, LegalList, OptionError, Options, OutOfTurn,
    Rules, Sample, Seat, Show, sample::not_shown,
};

/// A game: its rules, its hidden information, its face for people and its options. What is the
/// same in all games is here, once.
pub trait Game: Rules + Sample + Show + Options {
    /// Replaces the content of `list` by the legal decisions of `seat` in canonical order; empty
    /// when the seat owes none.
    fn legal(state: &Self::State, seat: Seat, list: &mut Vec<Self::Decision>) -> LegalList {
        list.clear();
        match Self::owing(state).contains(seat) {
            true => Self::list(state, seat, list),
            false => LegalList::Complete,
        }
    }

    /// Applies a decision of `seat`, or refuses it and leaves the state as it was.
    fn apply(
        state: &mut Self::State,
        seat: Seat,
        decision: &Self::Decision,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::Illegal> {
        let owing = Self::owing(state);
        if owing.contains(seat) {
            return Self::decide(state, seat, decision, events);
        }
        let is_over = owing.is_empty() && Self::chance_due(state).is_none();
        Err(OutOfTurn::refuse(seat, owing, is_over).into())
    }

    /// A state that `observation` allows, the hidden facts drawn uniformly from `chance`: what a
    /// bot searches in. Observing it again gives `observation` back.
    ///
    /// `observation` must be what [`Sample::observe`] gave a viewer of a match with this config;
    /// anything else is refused.
    fn sample_state(
        config: &Self::Config,
        observation: &Self::Observation,
        chance: &mut ChanceStream,
    ) -> Result<Self::State, FieldError> {
        let state = Self::draw_state(config, observation, chance)?;
        let shown = Self::observe(&state, Self::viewer(observation));
        match shown == *observation {
            true => Ok(state),
            false => Err(not_shown(observation, &shown)),
        }
    }

    /// The options, for people and for tools.
    fn options() -> Vec<GameOption> {
        Self::OPTIONS
            .iter()
            .map(|option| option.describe())
            .collect()
    }

    /// Sets one of the [options](Options) from its text.
    fn set_option(config: &mut Self::Config, name: &str, value: &str) -> Result<(), OptionError> {
        match Self::OPTIONS.iter().find(|option| option.name() == name) {
            Some(option) => option.set(config, value),
            None => Err(OptionError::unknown(name, &Self::options())),
        }
    }
}

impl<G: Rules + Sample + Show + Options> Game for G {}

/// Draws from `chance` and applies every chance result that `state` waits for: for searches and
/// playouts. A referee draws each from its own stream instead and writes it down.
pub fn settle<G: Game>(
    state: &mut G::State,
    chance: &mut ChanceStream,
    events: &mut impl EventSink<G::Event>,
) {
    while G::chance_due(state).is_some() {
        let drawn = G::draw_chance(state, chance);
        let applied = drawn.map(|drawn| G::apply_chance(state, &drawn, events));
        debug_assert!(
            matches!(applied, Some(Ok(()))),
            "a due result is drawn and applies"
        );
        if !matches!(applied, Some(Ok(()))) {
            return;
        }
    }
}

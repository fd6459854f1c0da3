//! The interface between a game and everything outside its rules.

use crate::{
    ChanceStream, EventSink, FieldError, GameOption, LegalList, OptionError, Options, OutOfTurn,
    Rules, Sample, Seat, SeatCount, Show, field_error::check_seats, sample::mismatch,
};

/// A game with its rules, hidden information, text rendering and options. This trait is implemented
/// for every type with the four traits, and adds methods that are the same in all games.
pub trait Game: Rules + Sample + Show + Options {
    /// Checks a config for a match with this number of seats. The number may be outside
    /// [`Rules::SEATS`].
    ///
    /// # Errors
    ///
    /// Returns an error that names the field of the config, or `seats`.
    fn check_config(config: &Self::Config, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Self::SEATS)?;
        Self::check_ranges(config)?;
        Self::check_choices(config, seats)
    }

    /// Checks that the numbers of a config are in the ranges that its [options](Options) declare,
    /// so that games need not check them.
    ///
    /// # Errors
    ///
    /// Returns an error that names the field. The field has the name of the option, with `_` for
    /// `-`.
    fn check_ranges(config: &Self::Config) -> Result<(), FieldError> {
        let mut options = Self::OPTIONS.iter();
        options.try_for_each(|option| option.check(config))
    }

    /// Replaces the content of `list` with the legal decisions of `seat`, in canonical order. The
    /// list is empty if the seat owes no decision.
    fn legal(state: &Self::State, seat: Seat, list: &mut Vec<Self::Decision>) -> LegalList {
        list.clear();
        if Self::seats_to_decide(state).contains(seat) {
            Self::list(state, seat, list)
        } else {
            LegalList::Complete
        }
    }

    /// Applies a decision of `seat`, or refuses it and leaves the state unchanged.
    fn apply(
        state: &mut Self::State,
        seat: Seat,
        decision: &Self::Decision,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::Illegal> {
        let seats_to_decide = Self::seats_to_decide(state);
        if seats_to_decide.contains(seat) {
            return Self::decide(state, seat, decision, events);
        }
        let is_over = seats_to_decide.is_empty() && Self::chance_due(state).is_none();
        Err(OutOfTurn::new(seat, seats_to_decide, is_over).into())
    }

    /// Samples a state that is consistent with `observation`, in which a bot can search. Hidden
    /// facts are drawn uniformly from `chance`. Observing the state returns `observation` again.
    ///
    /// Returns an error if `observation` is not a possible result of [`Sample::observe`] in a match
    /// with this config.
    fn sample_state(
        config: &Self::Config,
        observation: &Self::Observation,
        chance: &mut ChanceStream,
    ) -> Result<Self::State, FieldError> {
        let state = Self::draw_state(config, observation, chance)?;
        let shown = Self::observe(&state, Self::viewer(observation));
        if shown == *observation { Ok(state) } else { Err(mismatch(observation, &shown)) }
    }

    /// Returns descriptions of the options, for help texts and tools.
    fn options() -> Vec<GameOption> {
        Self::OPTIONS.iter().map(|option| option.describe()).collect()
    }

    /// Sets one of the [options](Options) from a text value.
    fn set_option(config: &mut Self::Config, name: &str, value: &str) -> Result<(), OptionError> {
        match Self::OPTIONS.iter().find(|option| option.name == name) {
            Some(option) => option.set(config, value),
            None => Err(OptionError::unknown(name, &Self::options())),
        }
    }
}

impl<G: Rules + Sample + Show + Options> Game for G {}

/// Draws from `chance` and applies every chance result that is due in `state`, for searches and
/// playouts. A referee instead draws each result from a separate stream and records it.
pub fn resolve_chance<G: Game>(
    state: &mut G::State,
    chance: &mut ChanceStream,
    events: &mut impl EventSink<G::Event>,
) {
    while G::chance_due(state).is_some() {
        let drawn = G::draw_chance(state, chance);
        let applied = drawn.map(|drawn| G::apply_chance(state, &drawn, events));
        debug_assert!(matches!(applied, Some(Ok(()))), "a due result is drawn and applies");
        if !matches!(applied, Some(Ok(()))) {
            return;
        }
    }
}

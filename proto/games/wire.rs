//! The traits of a game's conversions, and their error type.

pub use bridgemaster_games::FieldError;
use bridgemaster_games::Game;

use super::writer::Writer;
use crate::v1::{
    GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
};

/// Creates the error for a `oneof` without an entry.
pub fn none_of<O: Oneof>(field: &str) -> FieldError {
    let detail = match O::ENTRIES {
        [only] => format!("{only} must be set"),
        [first, second] => format!("{first} or {second} must be set"),
        [rest @ .., last] => format!("one of {} and {last} must be set", rest.join(", ")),
        [] => "has no entries".to_owned(),
    };
    FieldError::new(field, detail)
}

/// Creates the error for a message whose entry is missing or belongs to another game than `G`.
pub(super) fn missing_entry<G: Game>() -> FieldError {
    FieldError::new(G::ID, format!("must be set: the game is {}", G::NAME))
}

/// A result whose error gets a longer path as it propagates outwards.
pub(super) trait Path: Sized {
    /// Prepends a name to the path; an empty name leaves the path unchanged.
    fn below(self, parent: &str) -> Self;

    /// Prepends a list's name and an item's index to the path.
    fn at(self, list: &str, place: usize) -> Self;
}

impl<T> Path for Result<T, FieldError> {
    fn below(self, parent: &str) -> Self {
        self.map_err(|error| error.below(parent))
    }

    fn at(self, list: &str, place: usize) -> Self {
        self.map_err(|error| error.at(list, place))
    }
}

/// A `oneof` in a message. `build.rs` implements this trait from the descriptors.
pub trait Oneof {
    /// The names of all entries in the `oneof`.
    const ENTRIES: &'static [&'static str];

    /// Returns the name of the entry that is set.
    fn entry(&self) -> &'static str;
}

/// A game with conversions to and from protocol messages. Reading a written value returns an equal
/// value. If a message belongs to another game, lacks a part, or has a number out of range, reading
/// returns an error that names the field.
pub trait WireGame: Game {
    /// Converts a config to a message, with defaults and edition data filled in.
    fn config_to_wire(config: &Self::Config) -> GameConfig;
    /// Reads a config. Unset fields get the game's defaults.
    fn config_from_wire(config: &GameConfig) -> Result<Self::Config, FieldError>;
    /// Converts a setup to a message.
    fn setup_to_wire(setup: &Self::Setup) -> GameSetup;
    /// Reads a setup for a match with this config.
    fn setup_from_wire(setup: &GameSetup, config: &Self::Config)
    -> Result<Self::Setup, FieldError>;
    /// Converts a decision to a message.
    fn decision_to_wire(decision: &Self::Decision) -> GameDecision;
    /// Reads a decision. The rules check later that the decision is legal.
    fn decision_from_wire(decision: &GameDecision) -> Result<Self::Decision, FieldError>;
    /// Converts an observation to a message.
    fn observation_to_wire(observation: &Self::Observation) -> GameObservation;
    /// Reads an observation from a match with this config.
    fn observation_from_wire(
        observation: &GameObservation,
        config: &Self::Config,
    ) -> Result<Self::Observation, FieldError>;
    /// Converts a request, with its legal decisions and events, to a message.
    fn request_to_wire(
        observation: &Self::Observation,
        legal: &[Self::Decision],
        events: &[Self::Event],
    ) -> GameRequest;
    /// Writes a request's fields as bytes, with the same content as [`Self::request_to_wire`].
    fn put_request(
        observation: &Self::Observation,
        legal: &[Self::Decision],
        events: &[Self::Event],
        to: &mut Writer,
    ) {
        to.body(&Self::request_to_wire(observation, legal, events));
    }
    /// Writes a [`GameConfig`]'s fields as bytes.
    fn put_config(config: &Self::Config, to: &mut Writer) {
        to.body(&Self::config_to_wire(config));
    }
    /// Writes a [`GameDecision`]'s fields as bytes.
    fn put_decision(decision: &Self::Decision, to: &mut Writer) {
        to.body(&Self::decision_to_wire(decision));
    }
    /// Writes a [`GameEvent`]'s fields as bytes.
    fn put_event(event: &Self::Event, to: &mut Writer) {
        to.body(&Self::event_to_wire(event));
    }
    /// Reads the observation and the legal decisions from a request in a match with this config.
    fn request_from_wire(
        request: &GameRequest,
        config: &Self::Config,
    ) -> Result<(Self::Observation, Vec<Self::Decision>), FieldError>;
    /// Reads the events in a request: those since the seat's last request.
    fn request_events_from_wire(request: &GameRequest) -> Result<Vec<Self::Event>, FieldError>;
    /// Converts an event to a message.
    fn event_to_wire(event: &Self::Event) -> GameEvent;
    /// Reads an event in this game.
    fn event_from_wire(event: &GameEvent) -> Result<Self::Event, FieldError>;
    /// Converts a chance result after the setup to a message.
    fn chance_to_wire(chance: &Self::Chance) -> GameChance;
    /// Reads a chance result after the setup. The default is for games without such results.
    fn chance_from_wire(_chance: &GameChance) -> Result<Self::Chance, FieldError> {
        let detail = format!("{} has no chance results after the setup", Self::NAME);
        Err(FieldError::new("game", detail))
    }
}

/// A message with one entry per game.
pub trait GameEntry {
    /// Returns the identifier of the game whose entry is set. Returns `None` if no entry is set or
    /// the game is unknown to this version.
    fn game_id(&self) -> Option<&'static str>;
}

/// Implements [`GameEntry`]: each entry's name is its game's identifier.
macro_rules! game_entries {
    ($($message:ident)*) => {
        $(impl GameEntry for $message {
            fn game_id(&self) -> Option<&'static str> {
                self.game.as_ref().map(Oneof::entry)
            }
        })*
    };
}
game_entries! { GameConfig GameSetup GameObservation GameDecision GameEvent GameRequest }

/// Returns the identifier of the game that a message belongs to; see [`GameEntry::game_id`].
pub fn game_id(message: &impl GameEntry) -> Option<&'static str> {
    message.game_id()
}

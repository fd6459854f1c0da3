//! What every game offers to the protocol.

use bridgemaster_games::{EditionError, Game};
use thiserror::Error;

use super::writer::Writer;
use crate::v1::{
    GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
};

/// Why a message is no value of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {detail}")]
pub struct WireError {
    /// The field that is wrong, as a path below the given message, such as
    /// `old_london_bridge.place.stack`; lists count from 0.
    pub field: String,
    /// What is wrong with it, and what would be valid.
    pub detail: String,
}

impl WireError {
    /// A field, as a path below the message, and what is wrong with it.
    pub fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }

    /// A chance result of a game whose chance is all in its setup.
    pub(super) fn no_chance<G: Game>() -> Self {
        Self::new(
            "game",
            format!("{} has no chance results after the setup", G::NAME),
        )
    }

    /// A `oneof` of which no entry is set.
    pub(super) fn none_of<O: Oneof>(field: &str) -> Self {
        let detail = match O::ENTRIES {
            [first, second] => format!("{first} or {second} must be set"),
            [rest @ .., last] => format!("one of {} and {last} must be set", rest.join(", ")),
            [] => "has no entries".to_owned(),
        };
        Self::new(field, detail)
    }

    /// No entry of the game's `oneof` that belongs to `G`.
    pub(super) fn entry<G: Game>() -> Self {
        Self::new(G::ID, format!("must be set: the game is {}", G::NAME))
    }
}

/// For rules that name the entries of edition data as the wire does.
impl From<EditionError> for WireError {
    fn from(error: EditionError) -> Self {
        match error {
            EditionError::Form(detail) => Self::new("", detail),
            EditionError::Entry { entry, problem } => Self::new(entry, problem),
        }
    }
}

/// Completes the path of an error while it travels outwards.
pub(super) trait Path: Sized {
    /// Puts a name before the path; an empty one leaves it as it is.
    fn below(self, parent: &str) -> Self;

    /// Puts the place of a list's item before the path.
    fn at(self, list: &str, place: usize) -> Self;
}

impl Path for WireError {
    fn below(self, parent: &str) -> Self {
        let field = match (parent, &self.field[..]) {
            ("", field) => field.to_owned(),
            (parent, "") => parent.to_owned(),
            (parent, field) if field.starts_with('[') => format!("{parent}{field}"),
            (parent, field) => format!("{parent}.{field}"),
        };
        Self { field, ..self }
    }

    fn at(self, list: &str, place: usize) -> Self {
        self.below(&format!("{list}[{place}]"))
    }
}

impl<T> Path for Result<T, WireError> {
    fn below(self, parent: &str) -> Self {
        self.map_err(|error| error.below(parent))
    }

    fn at(self, list: &str, place: usize) -> Self {
        self.map_err(|error| error.at(list, place))
    }
}

/// A `oneof` of a message. `build.rs` implements it from the descriptors.
pub(crate) trait Oneof {
    /// The names of its entries.
    const ENTRIES: &'static [&'static str];

    /// The name of the entry that is set.
    fn entry(&self) -> &'static str;
}

/// A game that the protocol carries. Reading back what was written gives the same value; what
/// belongs to another game, lacks a part or is out of range gives an error that names the field.
pub trait WireGame: Game {
    /// Writes a config, defaults and edition data filled in.
    fn config_to_wire(config: &Self::Config) -> GameConfig;
    /// Reads a config; what is not set takes the game's default.
    fn config_from_wire(config: &GameConfig) -> Result<Self::Config, WireError>;
    /// Writes a setup.
    fn setup_to_wire(setup: &Self::Setup) -> GameSetup;
    /// Reads a setup of a match with this config.
    fn setup_from_wire(setup: &GameSetup, config: &Self::Config) -> Result<Self::Setup, WireError>;
    /// Writes a decision.
    fn decision_to_wire(decision: &Self::Decision) -> GameDecision;
    /// Reads a decision.
    fn decision_from_wire(decision: &GameDecision) -> Result<Self::Decision, WireError>;
    /// Writes an observation.
    fn observation_to_wire(observation: &Self::Observation) -> GameObservation;
    /// Reads an observation of a match with this config.
    fn observation_from_wire(
        observation: &GameObservation,
        config: &Self::Config,
    ) -> Result<Self::Observation, WireError>;
    /// Writes what a seat is asked.
    fn request_to_wire(
        observation: &Self::Observation,
        legal: &[Self::Decision],
        events: &[Self::Event],
    ) -> GameRequest;
    /// Writes the fields of the same message as bytes.
    fn put_request(
        observation: &Self::Observation,
        legal: &[Self::Decision],
        events: &[Self::Event],
        to: &mut Writer,
    ) {
        to.body(&Self::request_to_wire(observation, legal, events));
    }
    /// Writes the fields of a [`GameConfig`] as bytes.
    fn put_config(config: &Self::Config, to: &mut Writer) {
        to.body(&Self::config_to_wire(config));
    }
    /// Writes the fields of a [`GameDecision`] as bytes.
    fn put_decision(decision: &Self::Decision, to: &mut Writer) {
        to.body(&Self::decision_to_wire(decision));
    }
    /// Writes the fields of a [`GameEvent`] as bytes.
    fn put_event(event: &Self::Event, to: &mut Writer) {
        to.body(&Self::event_to_wire(event));
    }
    /// Reads what a seat knows and its legal decisions, in a match with this config.
    fn request_from_wire(
        request: &GameRequest,
        config: &Self::Config,
    ) -> Result<(Self::Observation, Vec<Self::Decision>), WireError>;
    /// Reads what happened since the seat's last request.
    fn request_events_from_wire(request: &GameRequest) -> Result<Vec<Self::Event>, WireError>;
    /// Writes an event.
    fn event_to_wire(event: &Self::Event) -> GameEvent;
    /// Reads an event.
    fn event_from_wire(event: &GameEvent) -> Result<Self::Event, WireError>;
    /// Writes a chance result that falls after the setup.
    fn chance_to_wire(chance: &Self::Chance) -> GameChance;
    /// Reads a chance result that falls after the setup.
    fn chance_from_wire(chance: &GameChance) -> Result<Self::Chance, WireError>;
}

/// A message with one entry a game.
pub trait GameEntry {
    /// The identifier of the game whose entry is set; `None` when no entry is, or one of a game
    /// that this version does not know.
    fn game_id(&self) -> Option<&'static str>;
}

/// Implements [`GameEntry`]: an entry is named as its game is identified.
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

/// The identifier of the game that a message belongs to; see [`GameEntry::game_id`].
pub fn game_id(message: &impl GameEntry) -> Option<&'static str> {
    message.game_id()
}

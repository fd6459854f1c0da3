//! The macro that implements `WireGame`: it connects a game with its entry in each message that has
//! one entry per game.

use bridgemaster_games::Game;

use super::{
    conversion::OnWire,
    wire::{FieldError, Path, missing_entry},
    writer::{Field, Writer},
};

/// A game's entry in the message `M`, which has one entry per game.
pub(super) trait EntryOf<M>: Sized {
    /// The entry as a field of the message.
    const FIELD: Field;

    /// Returns the message with this entry.
    fn into_message(self) -> M;

    /// Returns the entry, or `None` if the message has another entry or none.
    fn from_message(message: &M) -> Option<&Self>;
}

/// Converts a value to the message in which it is a game's entry `E`.
pub(super) fn to_message<E: EntryOf<M>, M>(value: &impl OnWire<E>) -> M {
    value.to_wire().into_message()
}

/// Writes a value as the entry `E` of a message's fields.
pub(super) fn put_entry<E: EntryOf<M>, M>(value: &impl OnWire<E>, to: &mut Writer) {
    value.put(E::FIELD, to);
}

/// Returns the entry of the game `G`, or an error that names the game.
pub(super) fn entry<G: Game, E: EntryOf<M>, M>(message: &M) -> Result<&E, FieldError> {
    E::from_message(message).ok_or_else(missing_entry::<G>)
}

/// Reads the entry of the game `G`.
pub(super) fn read<G: Game, E: EntryOf<M>, M, R: OnWire<E>>(message: &M) -> Result<R, FieldError> {
    R::from_wire(G::ID, entry::<G, E, M>(message)?)
}

/// Reads the items from a list.
pub(super) fn read_list<R: OnWire<W>, W>(field: &str, list: &[W]) -> Result<Vec<R>, FieldError> {
    let items = list.iter().enumerate();
    items.map(|(place, item)| R::from_wire("", item).at(field, place)).collect()
}

/// Implements [`EntryOf`] for a game's entries. The entries have the name of the game's type.
macro_rules! entries {
    ($game:ident: $($entry:ident in $message:ident of $module:ident,)+) => {$(
        impl $crate::games::wire_game::EntryOf<$crate::v1::$message> for v1::$entry {
            const FIELD: $crate::games::Field =
                $crate::games::field_of::<$crate::v1::$module::Game>(stringify!($game));

            fn into_message(self) -> $crate::v1::$message {
                let game = Some($crate::v1::$module::Game::$game(self.into()));
                $crate::v1::$message { game }
            }

            fn from_message(message: &$crate::v1::$message) -> Option<&Self> {
                match &message.game {
                    Some($crate::v1::$module::Game::$game(entry)) => {
                        Some(std::borrow::Borrow::borrow(entry))
                    }
                    _ => None,
                }
            }
        }
    )+};
}
pub(super) use entries;

/// Converts a game's chance results after the setup. Without an entry's type, the game must have no
/// such results, or the code does not compile.
macro_rules! chance {
    () => {
        fn chance_to_wire(chance: &Self::Chance) -> GameChance {
            match *chance {}
        }
    };
    ($chance:ident) => {
        fn chance_to_wire(chance: &Self::Chance) -> GameChance {
            to_message::<v1::$chance, _>(chance)
        }

        fn chance_from_wire(chance: &GameChance) -> Result<Self::Chance, FieldError> {
            read::<Self, v1::$chance, _, _>(chance)
        }
    };
}
pub(super) use chance;

/// Implements [`WireGame`](super::WireGame) for a game whose messages are described. The game's
/// type and its entries in the messages must have the same name. A game with chance after the setup
/// adds `with chance` and the entry's type. If parts of a setup or an observation follow from the
/// match config, `setup by path` or `observation by path` names the function that fills in these
/// parts.
macro_rules! wire_game {
    (
        $game:ident $(with chance $chance:ident)?
        $(, setup by $complete_setup:path)?
        $(, observation by $complete_observation:path)?
    ) => {
        $crate::games::wire_game::entries! { $game:
            Config in GameConfig of game_config,
            Setup in GameSetup of game_setup,
            Decision in GameDecision of game_decision,
            Observation in GameObservation of game_observation,
            Request in GameRequest of game_request,
            Event in GameEvent of game_event,
            $($chance in GameChance of game_chance,)?
        }

        const _: () = {
            use bridgemaster_games::{Game as _, Rules as _};
            use $crate::games::conversion::OnWire;
            use $crate::games::wire::{Path as _, FieldError, WireGame};
            use $crate::games::wire_game::{EntryOf, entry, put_entry, read, read_list, to_message};
            use $crate::games::writer::{Writer, field_of};
            use $crate::v1::{
                GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest,
                GameSetup,
            };

            impl WireGame for $game {
                fn config_to_wire(config: &Self::Config) -> GameConfig {
                    to_message::<v1::Config, _>(config)
                }

                fn config_from_wire(config: &GameConfig) -> Result<Self::Config, FieldError> {
                    let config = read::<Self, v1::Config, _, _>(config)?;
                    Self::check_ranges(&config).below(Self::ID).map(|()| config)
                }

                fn setup_to_wire(setup: &Self::Setup) -> GameSetup {
                    to_message::<v1::Setup, _>(setup)
                }

                fn setup_from_wire(
                    setup: &GameSetup,
                    _config: &Self::Config,
                ) -> Result<Self::Setup, FieldError> {
                    #[allow(unused_mut, reason = "some games complete the setup")]
                    let mut setup = read::<Self, v1::Setup, _, _>(setup)?;
                    $($complete_setup(&mut setup, _config).below(Self::ID)?;)?
                    Ok(setup)
                }

                fn decision_to_wire(decision: &Self::Decision) -> GameDecision {
                    to_message::<v1::Decision, _>(decision)
                }

                fn decision_from_wire(
                    decision: &GameDecision,
                ) -> Result<Self::Decision, FieldError> {
                    read::<Self, v1::Decision, _, _>(decision)
                }

                fn observation_to_wire(observation: &Self::Observation) -> GameObservation {
                    to_message::<v1::Observation, _>(observation)
                }

                fn observation_from_wire(
                    observation: &GameObservation,
                    _config: &Self::Config,
                ) -> Result<Self::Observation, FieldError> {
                    #[allow(unused_mut, reason = "some games complete the observation")]
                    let mut observation = read::<Self, v1::Observation, _, _>(observation)?;
                    $($complete_observation(&mut observation, _config).below(Self::ID)?;)?
                    Ok(observation)
                }

                fn request_to_wire(
                    observation: &Self::Observation,
                    legal: &[Self::Decision],
                    events: &[Self::Event],
                ) -> GameRequest {
                    let entry = v1::Request {
                        observation: Some(observation.to_wire()),
                        legal_decisions: legal.iter().map(OnWire::to_wire).collect(),
                        events: events.iter().map(OnWire::to_wire).collect(),
                    };
                    entry.into_message()
                }

                fn put_request(
                    observation: &Self::Observation,
                    legal: &[Self::Decision],
                    events: &[Self::Event],
                    to: &mut Writer,
                ) {
                    to.message(<v1::Request as EntryOf<GameRequest>>::FIELD, |to| {
                        let field = const { field_of::<v1::Request>("observation") };
                        OnWire::<v1::Observation>::put(observation, field, to);
                        let field = const { field_of::<v1::Request>("legal_decisions") };
                        for decision in legal {
                            OnWire::<v1::Decision>::put(decision, field, to);
                        }
                        let field = const { field_of::<v1::Request>("events") };
                        for event in events {
                            OnWire::<v1::Event>::put(event, field, to);
                        }
                    });
                }

                fn put_config(config: &Self::Config, to: &mut Writer) {
                    put_entry::<v1::Config, GameConfig>(config, to);
                }

                fn put_decision(decision: &Self::Decision, to: &mut Writer) {
                    put_entry::<v1::Decision, GameDecision>(decision, to);
                }

                fn put_event(event: &Self::Event, to: &mut Writer) {
                    put_entry::<v1::Event, GameEvent>(event, to);
                }

                fn request_from_wire(
                    request: &GameRequest,
                    _config: &Self::Config,
                ) -> Result<(Self::Observation, Vec<Self::Decision>), FieldError> {
                    let entry: &v1::Request = entry::<Self, _, _>(request)?;
                    let read = || -> Result<_, FieldError> {
                        const FIELD: &str = "observation";
                        #[allow(unused_mut, reason = "some games complete the observation")]
                        let mut observation: Self::Observation =
                            OnWire::from_wire(FIELD, &entry.observation)?;
                        $($complete_observation(&mut observation, _config).below(FIELD)?;)?
                        let legal = read_list("legal_decisions", &entry.legal_decisions)?;
                        Ok((observation, legal))
                    };
                    read().below(Self::ID)
                }

                fn request_events_from_wire(
                    request: &GameRequest,
                ) -> Result<Vec<Self::Event>, FieldError> {
                    let entry: &v1::Request = entry::<Self, _, _>(request)?;
                    read_list("events", &entry.events).below(Self::ID)
                }

                fn event_to_wire(event: &Self::Event) -> GameEvent {
                    to_message::<v1::Event, _>(event)
                }

                fn event_from_wire(event: &GameEvent) -> Result<Self::Event, FieldError> {
                    read::<Self, v1::Event, _, _>(event)
                }

                $crate::games::wire_game::chance!($($chance)?);
            }
        };
    };
}
pub(super) use wire_game;

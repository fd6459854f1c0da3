//! The seam: what a game offers to everything that is not rules.

use std::{
    error::Error,
    fmt::{self, Debug, Display},
    ops::RangeInclusive,
    str::FromStr,
};

use crate::{
    ChanceStream, Digest, GameOption, OptionError, Outcome, Seat, SeatCount, SeatSet, Seed, Viewer,
};

/// Whether a legal list names every legal decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalList {
    /// Every legal decision is listed.
    Complete,
    /// The list was cut at [`Game::LEGAL_CAP`]; decisions beyond it are accepted all the same.
    Cut,
}

/// Takes the public events of a game as they happen.
pub trait EventSink<E> {
    /// Takes one event.
    fn push(&mut self, event: E);
}

impl<E> EventSink<E> for Vec<E> {
    fn push(&mut self, event: E) {
        Vec::push(self, event);
    }
}

/// An [`EventSink`] that drops everything: for search and playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<E> EventSink<E> for NoEvents {
    fn push(&mut self, _event: E) {}
}

/// The chance results of a game whose chance is all in its setup: there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoChance {}

impl Display for NoChance {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps that are over.
    pub done: u32,
    /// Steps of the whole match, if it is played to its last one.
    pub total: u32,
    /// What a step is, in the plural: "turns".
    pub unit: &'static str,
}

/// The rules of one game.
///
/// Laws, which the test suite holds every game to:
/// * a listed decision applies; a refused one leaves the state as it was;
/// * `decision.to_string().parse()` gives the decision back;
/// * two states that differ only in what a viewer may not know give equal observations;
/// * equal setup and equal decisions give equal digests, on every platform;
/// * an event is public: it tells nothing that a spectator may not know at that moment;
/// * what a spectator sees changes only with an event: a decision without one is secret.
///
/// Whoever holds a state [settles](settle) it after [`Game::start`] and each [`Game::apply`].
pub trait Game: Debug + Send + Sync + 'static {
    /// Stable identifier in protocol, replays and CLI: lower snake case.
    const ID: &'static str;
    /// Name for people.
    const NAME: &'static str;
    /// Raised whenever equal setup and decisions may lead to another state than before.
    const RULES_VERSION: u32;
    /// How many seats a match can have.
    const SEATS: RangeInclusive<u8>;
    /// Longest legal list; a game whose list cannot exceed it never answers [`LegalList::Cut`].
    const LEGAL_CAP: usize;
    /// What a user should know about data that is not the publisher's, one sentence a note.
    const NOTES: &'static [&'static str];
    /// What of a config people can choose by text. None unless a game says otherwise.
    const OPTIONS: &'static [GameOption] = &[];

    /// What can be chosen for a match, seats aside; the default is the standard game.
    type Config: Clone + Debug + Default + PartialEq + Send + Sync;
    /// Why a config is refused; names the field.
    type ConfigError: Error + Send + Sync + 'static;
    /// Every chance result that is fixed before play, edition choices included.
    type Setup: Clone + Debug + PartialEq + Send + Sync;
    /// Why a setup from outside is refused; names the field.
    type SetupError: Error + Send + Sync + 'static;
    /// The whole truth. Cheap to clone.
    type State: Clone + Debug + Send + Sync;
    /// What a seat answers. `Display` is the text notation, `FromStr` parses it back exactly.
    type Decision: Clone
        + Debug
        + PartialEq
        + Display
        + FromStr<Err: Error + Send + Sync + 'static>
        + Send
        + Sync;
    /// Why a decision is refused; names the field and what would be legal.
    type Refusal: Error + Clone + PartialEq + Send + Sync + 'static;
    /// Everything that one viewer may know.
    type Observation: Clone + Debug + PartialEq + Send + Sync;
    /// Something public that happened. `Display` is one line of a transcript.
    type Event: Clone + Debug + PartialEq + Display + Send + Sync;
    /// A chance result that falls after the setup, such as a shuffle in the middle of a match;
    /// [`NoChance`] where there is none. `Display` is one line of a transcript. Secret.
    type Chance: Clone + Debug + PartialEq + Display + Send + Sync;

    /// Checks a config against a number of seats.
    fn check_config(config: &Self::Config, seats: SeatCount) -> Result<(), Self::ConfigError>;

    /// Sets one of [`Game::OPTIONS`] from its text.
    fn set_option(_config: &mut Self::Config, name: &str, _value: &str) -> Result<(), OptionError> {
        Err(OptionError::unknown(name, Self::OPTIONS))
    }

    /// Draws every chance result of the setup from `seed`.
    fn draw_setup(
        config: &Self::Config,
        seats: SeatCount,
        seed: &Seed,
    ) -> Result<Self::Setup, Self::ConfigError>;

    /// Starts a match from a setup, which may come from outside (a replay) and is validated.
    fn start(
        config: &Self::Config,
        seats: SeatCount,
        setup: &Self::Setup,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<Self::State, Self::SetupError>;

    /// The number of the chance stream that decides what the state waits for: `None` when it
    /// waits for no chance result. While it waits for one, no seat owes a decision and there is no
    /// outcome. Each result of a match has a stream of its own, which the setup does not use and
    /// whose number is below 2^32: the referee's own streams are above.
    fn chance_due(_state: &Self::State) -> Option<u64> {
        None
    }

    /// Draws the chance result that the state waits for; `None` when it waits for none.
    fn draw_chance(_state: &Self::State, _chance: &mut ChanceStream) -> Option<Self::Chance> {
        None
    }

    /// Applies a chance result, which may come from outside (a replay) and is validated; a refused
    /// one leaves the state as it was.
    fn apply_chance(
        state: &mut Self::State,
        chance: &Self::Chance,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::SetupError>;

    /// The seats that owe a decision now, several when they decide simultaneously; empty when
    /// the match is over or waits for a chance result.
    fn owing(state: &Self::State) -> SeatSet;

    /// Replaces the content of `list` by the legal decisions of `seat` in canonical order; empty
    /// when the seat owes none.
    fn legal(state: &Self::State, seat: Seat, list: &mut Vec<Self::Decision>) -> LegalList;

    /// Applies a decision of `seat`, or refuses it and leaves the state as it was.
    fn apply(
        state: &mut Self::State,
        seat: Seat,
        decision: &Self::Decision,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::Refusal>;

    /// What `viewer` may know. Complete: a bot needs no memory of earlier observations.
    fn observe(state: &Self::State, viewer: Viewer) -> Self::Observation;

    /// A state that `observation` allows, the hidden facts drawn uniformly from `chance`: what a
    /// bot searches in. Observing it again gives `observation` back.
    ///
    /// `observation` must be what [`Game::observe`] gave a viewer of a match with this config;
    /// anything else is refused.
    fn sample_state(
        config: &Self::Config,
        observation: &Self::Observation,
        chance: &mut ChanceStream,
    ) -> Result<Self::State, Self::SetupError>;

    /// The result, once no seat owes a decision and no chance result is due.
    fn outcome(state: &Self::State) -> Option<Outcome>;

    /// Writes what a viewer sees as text for people, some lines of at most 100 columns, the last
    /// with its line break. `config` is the config of the match.
    fn render(
        _config: &Self::Config,
        observation: &Self::Observation,
        text: &mut impl fmt::Write,
    ) -> fmt::Result {
        writeln!(text, "{observation:#?}")
    }

    /// How far a match has come, for a progress bar; `None` where a game cannot tell.
    fn progress(_observation: &Self::Observation) -> Option<Progress> {
        None
    }

    /// A digest of the whole state, hidden facts included: never shown while a match runs.
    fn digest(state: &Self::State) -> Digest;
}

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

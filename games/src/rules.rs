//! The rules of a game: chance, turn order, legal decisions and their effects.

use std::{
    error::Error,
    fmt::{self, Debug, Display},
    ops::RangeInclusive,
    str::FromStr,
};

use crate::{
    ChanceStream, Digest, EventSink, FieldError, OutOfTurn, Outcome, Seat, SeatCount, SeatSet, Seed,
};

/// States whether a list of legal decisions is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalList {
    /// Every legal decision is listed.
    Complete,
    /// The list was cut at [`Rules::LEGAL_CAP`]; unlisted legal decisions are still accepted.
    Cut,
}

/// The type of later chance results for a game that has none after its setup. This type has no
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoChance {}

impl Display for NoChance {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// The rules of one game.
///
/// The test suite checks these laws for every game:
/// * a listed decision can be applied, and a refused decision leaves the state unchanged;
/// * a legal list is strictly ascending, by [`Rules::precedence`] and then by the decisions' `Ord`;
/// * `decision.to_string().parse()` returns the decision, and no other text does;
/// * equal setup and equal decisions give equal digests, on every platform;
/// * states with equal digests have equal observations, and equal decisions lead them to equal
///   states;
/// * an event is public: it reveals nothing that a spectator may not know at that moment.
///
/// Callers must [resolve chance](crate::resolve_chance) after [`Rules::start`] and each
/// [`Game::apply`](crate::Game::apply).
pub trait Rules: Clone + Debug + Send + Sync + 'static {
    /// The stable identifier used in the protocol, in replays and in the CLI. It is in lower snake
    /// case.
    const ID: &'static str;
    /// The display name of the game.
    const NAME: &'static str;
    /// The version of the rules, which increases when the same setup and decisions may lead to a
    /// different state.
    const RULES_VERSION: u32;
    /// The valid numbers of seats in a match.
    const SEATS: RangeInclusive<u8>;
    /// The maximum length of a legal list. A game whose lists never exceed this length never
    /// returns [`LegalList::Cut`].
    const LEGAL_CAP: usize;
    /// Notes about data that does not come from the publisher, one sentence each.
    const NOTES: &'static [&'static str] = &[];

    /// The choices for a match, except for the number of seats. The default is the standard game.
    type Config: Clone + Debug + Default + PartialEq + Send + Sync;
    /// Every chance result that is fixed before play, including results that depend on the config.
    type Setup: Clone + Debug + PartialEq + Send + Sync;
    /// The complete state of a match, including hidden facts. A state is cheap to clone.
    type State: Clone + Debug + Send + Sync;
    /// A decision of a seat. `Display` writes the text notation, and `FromStr` parses exactly that.
    /// `Ord` gives the order of legal lists.
    type Decision: Clone
        + Debug
        + Ord
        + Display
        + FromStr<Err: Error + Send + Sync + 'static>
        + Send
        + Sync;
    /// The reason why a decision is refused. Names the field and the legal alternatives.
    type Illegal: Error + Clone + PartialEq + From<OutOfTurn> + Send + Sync + 'static;
    /// A public event. `Display` writes one line of a transcript.
    type Event: Clone + Debug + PartialEq + Display + Send + Sync;
    /// A chance result after the setup, such as a shuffle in the middle of a match. It is secret.
    /// `Display` writes one line of a transcript. A game without such results uses [`NoChance`].
    type Chance: Clone + Debug + PartialEq + Display + Send + Sync;

    /// Checks a config's fields that have no declared range. Callers use
    /// [`Game::check_config`](crate::Game::check_config) instead, which first checks the number of
    /// seats and the options' ranges. The default accepts every combination.
    ///
    /// # Errors
    ///
    /// Returns an error that names the field of the config.
    fn check_choices(_config: &Self::Config, _seats: SeatCount) -> Result<(), FieldError> {
        Ok(())
    }

    /// Draws every chance result of the setup from `seed`.
    fn draw_setup(
        config: &Self::Config,
        seats: SeatCount,
        seed: &Seed,
    ) -> Result<Self::Setup, FieldError>;

    /// Starts a match from a setup. The setup may be from outside, such as from a replay, and is
    /// validated.
    fn start(
        config: &Self::Config,
        seats: SeatCount,
        setup: &Self::Setup,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<Self::State, FieldError>;

    /// Returns the match's number of seats.
    fn seats(state: &Self::State) -> SeatCount;

    /// Returns the number of the chance stream for the next chance result, or `None` if none is
    /// due. While a chance result is due, no seat owes a decision and the match has no outcome.
    /// Each result in a match has its own stream, which the setup does not use. The numbers of
    /// these streams are below 2^32; the referee's own streams have higher numbers.
    fn chance_due(_state: &Self::State) -> Option<u64> {
        None
    }

    /// Draws the chance result that is due; returns `None` if none is due.
    fn draw_chance(_state: &Self::State, _chance: &mut ChanceStream) -> Option<Self::Chance> {
        None
    }

    /// Applies a chance result. The result may be from outside, such as from a replay, and is
    /// validated. A refused result leaves the state unchanged. The default, for games without
    /// chance results, refuses every result.
    fn apply_chance(
        _state: &mut Self::State,
        _chance: &Self::Chance,
        _events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), FieldError> {
        FieldError::refuse("chance", "none is due")
    }

    /// Returns the seats that owe a decision now. The set contains several seats if they decide
    /// simultaneously. The set is empty if the match has ended or a chance result is due.
    fn seats_to_decide(state: &Self::State) -> SeatSet;

    /// Adds a seat's legal decisions to an empty list. The seat must owe a decision. The decisions
    /// are in canonical order: ascending by [`Rules::precedence`], then by `Ord`. Callers use
    /// [`Game::legal`](crate::Game::legal) instead of this function.
    fn list(state: &Self::State, seat: Seat, list: &mut Vec<Self::Decision>) -> LegalList;

    /// Returns the part of the canonical order that depends on the state. Decisions with a lower
    /// number are listed first. For example, a game can ensure that a cut list begins with the most
    /// useful decisions. The default is 0 for every decision.
    fn precedence(_state: &Self::State, _decision: &Self::Decision) -> u16 {
        0
    }

    /// Applies a decision for a seat that owes one, or refuses the decision and leaves the state
    /// unchanged. Callers use [`Game::apply`](crate::Game::apply) instead.
    fn decide(
        state: &mut Self::State,
        seat: Seat,
        decision: &Self::Decision,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::Illegal>;

    /// Returns the result, once no seat owes a decision and no chance result is due.
    fn outcome(state: &Self::State) -> Option<Outcome>;

    /// Returns a digest of the whole state, including hidden facts. The digest is never published
    /// while a match runs. Implementations destructure the state, so that the compiler reports a
    /// missing field.
    fn digest(state: &Self::State) -> Digest;
}

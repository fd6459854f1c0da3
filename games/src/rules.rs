//! The rules of a game: what chance decides, whose turn it is, what is legal and what it does.

use std::{
    error::Error,
    fmt::{self, Debug, Display},
    ops::RangeInclusive,
    str::FromStr,
};

use crate::{
    ChanceStream, Digest, EventSink, FieldError, OutOfTurn, Outcome, Seat, SeatCount, SeatSet,
    Seed, field_error::check_seats,
};

/// Whether a legal list names every legal decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalList {
    /// Every legal decision is listed.
    Complete,
    /// The list was cut at [`Rules::LEGAL_CAP`]; decisions beyond it are accepted all the same.
    Cut,
}

/// The chance results of a game whose chance is all in its setup: there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoChance {}

impl Display for NoChance {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// The rules of one game.
///
/// Laws, which the test suite holds every game to:
/// * a listed decision applies; a refused one leaves the state as it was;
/// * `decision.to_string().parse()` gives the decision back, and no other text does;
/// * equal setup and equal decisions give equal digests, on every platform;
/// * states of equal digests show the same and play on alike;
/// * an event is public: it tells nothing that a spectator may not know at that moment.
///
/// Whoever holds a state [settles](crate::settle) it after [`Rules::start`] and each
/// [`Game::apply`](crate::Game::apply).
pub trait Rules: Debug + Send + Sync + 'static {
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
    const NOTES: &'static [&'static str] = &[];

    /// What can be chosen for a match, seats aside; the default is the standard game.
    type Config: Clone + Debug + Default + PartialEq + Send + Sync;
    /// Every chance result that is fixed before play, edition choices included.
    type Setup: Clone + Debug + PartialEq + Send + Sync;
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
    type Illegal: Error + Clone + PartialEq + From<OutOfTurn> + Send + Sync + 'static;
    /// Something public that happened. `Display` is one line of a transcript.
    type Event: Clone + Debug + PartialEq + Display + Send + Sync;
    /// A chance result that falls after the setup, such as a shuffle in the middle of a match;
    /// [`NoChance`] where there is none. `Display` is one line of a transcript. Secret.
    type Chance: Clone + Debug + PartialEq + Display + Send + Sync;

    /// Checks a config against a number of seats, which may be out of [`Rules::SEATS`]. A game in
    /// which every config goes with every number of seats has nothing to say here.
    ///
    /// # Errors
    /// Names the field of the config, or `seats`.
    fn check_config(_config: &Self::Config, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Self::SEATS)
    }

    /// Draws every chance result of the setup from `seed`.
    fn draw_setup(
        config: &Self::Config,
        seats: SeatCount,
        seed: &Seed,
    ) -> Result<Self::Setup, FieldError>;

    /// Starts a match from a setup, which may come from outside (a replay) and is validated.
    fn start(
        config: &Self::Config,
        seats: SeatCount,
        setup: &Self::Setup,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<Self::State, FieldError>;

    /// How many seats play.
    fn seats(state: &Self::State) -> SeatCount;

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
    /// one leaves the state as it was. A game without chance results has nothing to say here.
    fn apply_chance(
        _state: &mut Self::State,
        _chance: &Self::Chance,
        _events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), FieldError> {
        FieldError::refuse("chance", "none is due")
    }

    /// The seats that owe a decision now, several when they decide simultaneously; empty when
    /// the match is over or waits for a chance result.
    fn owing(state: &Self::State) -> SeatSet;

    /// Adds the legal decisions of a seat that owes one to an empty list, in canonical order.
    /// Callers take [`Game::legal`](crate::Game::legal).
    fn list(state: &Self::State, seat: Seat, list: &mut Vec<Self::Decision>) -> LegalList;

    /// Applies a decision of a seat that owes one, or refuses it and leaves the state as it was.
    /// Callers take [`Game::apply`](crate::Game::apply).
    fn decide(
        state: &mut Self::State,
        seat: Seat,
        decision: &Self::Decision,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Self::Illegal>;

    /// The result, once no seat owes a decision and no chance result is due.
    fn outcome(state: &Self::State) -> Option<Outcome>;

    /// A digest of the whole state, hidden facts included: never shown while a match runs. Names
    /// every field of the state, so that a new one is not forgotten.
    fn digest(state: &Self::State) -> Digest;
}

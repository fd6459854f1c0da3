//! Random legal play, step by step.

use std::fmt::Debug;

use bridgemaster_games::{
    ChanceStream, Game, GameOption, NoEvents, SeatCount, Seed, Viewer, resolve_chance,
};
use bridgemaster_proto::games::{FieldError, WireGame};

/// A chance stream that no match uses.
const PLAY_STREAM: u64 = 1 << 40;

/// A game whose messages are tested. Every game in the catalogue implements this trait.
pub(crate) trait Wired: WireGame {
    /// Replaces the edition, if the game has one, by an edition with other data in every entry.
    fn set_other_edition(_config: &mut Self::Config) {}

    /// A random config: every field sometimes differs from its default.
    fn any_config(chance: &mut ChanceStream) -> Self::Config {
        let mut config = Self::Config::default();
        for GameOption { name, examples, .. } in Self::options() {
            let choice = chance.below(examples.len() as u32 + 1) as usize;
            if let Some(value) = examples.get(choice) {
                Self::set_option(&mut config, name, value).unwrap();
            }
        }
        if chance.below(2) == 0 {
            Self::set_other_edition(&mut config);
        }
        config
    }

    /// Values that random play rarely reaches, and both ends of ranges.
    fn rare() -> Rare<Self>
    where
        Self: Sized;

    /// Pairs of a changed field and the other field that the error then names.
    const ERROR_AT_OTHER_FIELD: &'static [(&'static str, &'static str)] = &[];
}

/// Asserts a refusal's path and a part of its error text.
#[track_caller]
pub(crate) fn refused<T: Debug>(result: Result<T, FieldError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, field, "{error}");
    assert!(error.problem.contains(detail), "{error}");
}

/// Rare values in a match with the default config.
pub(crate) struct Rare<G: Game> {
    pub(crate) setups: Vec<G::Setup>,
    /// Decisions, legal or not.
    pub(crate) decisions: Vec<G::Decision>,
    pub(crate) events: Vec<G::Event>,
    /// Chance results after the setup.
    pub(crate) chances: Vec<G::Chance>,
    /// Observations, possible or not.
    pub(crate) observations: Vec<G::Observation>,
}

impl<G: Game> Default for Rare<G> {
    fn default() -> Self {
        Self {
            setups: Vec::new(),
            decisions: Vec::new(),
            events: Vec::new(),
            chances: Vec::new(),
            observations: Vec::new(),
        }
    }
}

/// A seat's data before one decision.
pub(crate) struct Step<'a, G: Game> {
    state: &'a G::State,
    /// The observation of the seat.
    pub(crate) observation: &'a G::Observation,
    /// The legal decisions of the seat.
    pub(crate) legal: &'a [G::Decision],
    /// Events since its last decision.
    pub(crate) events: &'a [G::Event],
}

impl<G: Game> Step<'_, G> {
    /// The observation of another viewer.
    pub(crate) fn observe(&self, viewer: Viewer) -> G::Observation {
        G::observe(self.state, viewer)
    }
}

/// An upper bound on the number of decisions in a match of any game.
const MAX_DECISIONS: usize = 2000;

/// Plays a state to its end with uniformly random decisions.
pub(crate) fn play_to_end<G: Game>(mut state: G::State) {
    let mut chance = ChanceStream::new(&Seed::from(0), PLAY_STREAM);
    let mut legal = Vec::new();
    for _ in 0..MAX_DECISIONS {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            return assert!(G::outcome(&state).is_some(), "no seat owes a decision");
        };
        G::legal(&state, seat, &mut legal);
        assert!(!legal.is_empty(), "seat {seat} has no decision");
        let decision = &legal[chance.below(legal.len() as u32) as usize];
        G::apply(&mut state, seat, decision, &mut NoEvents).unwrap();
    }
    panic!("the match does not end");
}

/// The record of a whole match.
pub(crate) struct Played<G: Game> {
    pub(crate) events: Vec<G::Event>,
    /// All chance results after the setup.
    pub(crate) chances: Vec<G::Chance>,
    /// A spectator's observation at the end.
    pub(crate) end: G::Observation,
}

/// Draws a setup for a match with this seed.
pub(crate) fn setup_of<G: Game>(config: &G::Config, seats: u8, seed: u64) -> G::Setup {
    G::draw_setup(config, SeatCount::new(seats).unwrap(), &Seed::from(seed)).unwrap()
}

/// Plays a whole match with uniformly random decisions and calls `visit` before each.
pub(crate) fn play<G: Game>(
    config: &G::Config,
    seats: u8,
    seed: u64,
    mut visit: impl FnMut(&Step<'_, G>),
) -> Played<G> {
    let setup = setup_of::<G>(config, seats, seed);
    let count = SeatCount::new(seats).unwrap();
    let (mut events, mut chances) = (Vec::new(), Vec::new());
    let mut state = G::start(config, count, &setup, &mut events).unwrap();
    let seed = Seed::from(seed);
    let mut chance = ChanceStream::new(&seed, PLAY_STREAM);
    let mut legal = Vec::new();
    let mut sent_events = vec![0; seats.into()];
    loop {
        while let Some(stream) = G::chance_due(&state) {
            let drawn = G::draw_chance(&state, &mut ChanceStream::new(&seed, stream)).unwrap();
            G::apply_chance(&mut state, &drawn, &mut events).unwrap();
            chances.push(drawn);
        }
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        G::legal(&state, seat, &mut legal);
        let observation = G::observe(&state, Viewer::Seat(seat));
        visit(&Step {
            state: &state,
            observation: &observation,
            legal: &legal,
            events: &events[sent_events[seat.index()]..],
        });
        sent_events[seat.index()] = events.len();
        let decision = legal[chance.below(legal.len() as u32) as usize].clone();
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    Played { events, chances, end: G::observe(&state, Viewer::Spectator) }
}

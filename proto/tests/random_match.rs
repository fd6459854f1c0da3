//! Random legal play, told step by step.

use bridgemaster_games::{ChanceStream, Game, SeatCount, Seed, Viewer};
use bridgemaster_proto::games::WireGame;

/// A stream of chance that no match uses.
const PLAY_STREAM: u64 = 1 << 40;

/// A game whose messages are tested: each game of the catalogue is one.
pub(crate) trait Wired: WireGame {
    /// Some config: every part of it is some time other than the default.
    fn any_config(chance: &mut ChanceStream) -> Self::Config;

    /// What random play hardly reaches, and what is at the ends of its ranges.
    fn rare() -> Rare<Self>
    where
        Self: Sized;

    /// Fields that make another one wrong when they change, as the one that changed and the one
    /// that an error names.
    const FOUND_ELSEWHERE: &'static [(&'static str, &'static str)] = &[];
}

/// Values of a match with the default config.
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

/// What there is to see before one decision.
pub(crate) struct Step<'a, G: Game> {
    state: &'a G::State,
    /// What it sees.
    pub(crate) observation: &'a G::Observation,
    /// What it may answer.
    pub(crate) legal: &'a [G::Decision],
    /// What happened since its last decision.
    pub(crate) events: &'a [G::Event],
}

impl<G: Game> Step<'_, G> {
    /// What another viewer sees.
    pub(crate) fn observe(&self, viewer: Viewer) -> G::Observation {
        G::observe(self.state, viewer)
    }
}

/// A whole match.
pub(crate) struct Played<G: Game> {
    pub(crate) events: Vec<G::Event>,
    /// All chance results after the setup.
    pub(crate) chances: Vec<G::Chance>,
    /// What a spectator sees at the end.
    pub(crate) end: G::Observation,
}

/// Draws a setup.
pub(crate) fn setup_of<G: Game>(config: &G::Config, seats: u8, seed: u64) -> G::Setup {
    G::draw_setup(config, SeatCount::new(seats).unwrap(), &Seed::from(seed)).unwrap()
}

/// Plays a whole match with uniformly random decisions and shows every step.
pub(crate) fn play<G: Game>(
    config: &G::Config,
    seats: u8,
    seed: u64,
    mut see: impl FnMut(&Step<'_, G>),
) -> Played<G> {
    let setup = setup_of::<G>(config, seats, seed);
    let count = SeatCount::new(seats).unwrap();
    let (mut events, mut chances) = (Vec::new(), Vec::new());
    let mut state = G::start(config, count, &setup, &mut events).unwrap();
    let seed = Seed::from(seed);
    let mut chance = ChanceStream::new(&seed, PLAY_STREAM);
    let mut legal = Vec::new();
    let mut told = vec![0; seats.into()];
    loop {
        while let Some(stream) = G::chance_due(&state) {
            let drawn = G::draw_chance(&state, &mut ChanceStream::new(&seed, stream)).unwrap();
            G::apply_chance(&mut state, &drawn, &mut events).unwrap();
            chances.push(drawn);
        }
        let Some(seat) = G::owing(&state).iter().next() else {
            break;
        };
        G::legal(&state, seat, &mut legal);
        let observation = G::observe(&state, Viewer::Seat(seat));
        see(&Step {
            state: &state,
            observation: &observation,
            legal: &legal,
            events: &events[told[seat.index()]..],
        });
        told[seat.index()] = events.len();
        let decision = legal[chance.below(legal.len() as u32) as usize].clone();
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    Played {
        events,
        chances,
        end: G::observe(&state, Viewer::Spectator),
    }
}

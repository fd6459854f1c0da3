//! Random legal play, told step by step.

use bridgemaster_games::{
    ChanceStream, Game, SeatCount, Seed, Viewer,
    old_london_bridge::{
        Area, Config, Decision, Event, FaceChoice, Observation, OldLondonBridge, Setup,
    },
};

type Olb = OldLondonBridge;

/// A stream of chance that no setup uses.
const PLAY_STREAM: u64 = 1 << 40;

/// What there is to see before one decision.
pub(crate) struct Step<'a> {
    /// What it sees.
    pub(crate) observation: &'a Observation,
    /// What it may answer.
    pub(crate) legal: &'a [Decision],
    /// What happened since its last decision.
    pub(crate) events: &'a [Event],
}

/// A config whose faces follow from `choices`: one of the five faces of each area, or random.
pub(crate) fn config_of(choices: [usize; 4]) -> Config {
    let mut config = Config::default();
    for ((choice, area), number) in config.faces.iter_mut().zip(Area::ALL).zip(choices) {
        *choice = match area.faces().get(number) {
            Some(&face) => FaceChoice::Face(face),
            None => FaceChoice::Random,
        };
    }
    config
}

/// Draws a setup.
pub(crate) fn setup_of(config: &Config, seats: u8, seed: u64) -> Setup {
    Olb::draw_setup(config, SeatCount::new(seats).unwrap(), &Seed::from(seed)).unwrap()
}

/// Plays a whole match with uniformly random decisions and shows every step. Returns all events,
/// and what a spectator sees at the end.
pub(crate) fn play(
    config: &Config,
    seats: u8,
    seed: u64,
    mut see: impl FnMut(&Step<'_>),
) -> (Vec<Event>, Observation) {
    let setup = setup_of(config, seats, seed);
    let mut events = Vec::new();
    let mut state =
        Olb::start(config, SeatCount::new(seats).unwrap(), &setup, &mut events).unwrap();
    let mut chance = ChanceStream::new(&Seed::from(seed), PLAY_STREAM);
    let mut legal = Vec::new();
    let mut told = vec![0; seats.into()];
    while let Some(seat) = Olb::owing(&state).iter().next() {
        Olb::legal(&state, seat, &mut legal);
        let observation = Olb::observe(&state, Viewer::Seat(seat));
        let events_before = &events[told[seat.index()]..];
        see(&Step {
            observation: &observation,
            legal: &legal,
            events: events_before,
        });
        told[seat.index()] = events.len();
        let decision = legal[chance.below(legal.len() as u32) as usize];
        Olb::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    let end = Olb::observe(&state, Viewer::Spectator);
    (events, end)
}

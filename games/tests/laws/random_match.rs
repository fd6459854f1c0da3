//! Random matches, each determined by two numbers.

use std::collections::HashSet;

use bridgemaster_games::{
    ChanceStream, Game, GameOption, NoEvents, Seat, SeatCount, SeatSet, Seed, Viewer,
    resolve_chance,
};

#[derive(Clone, Debug)]
pub(crate) struct RandomMatch {
    pub(crate) seats: u8,
    pub(crate) seed: u64,
}

/// `count` matches with all numbers of seats.
pub(crate) fn random_matches<G: Game>(count: u64) -> impl Iterator<Item = RandomMatch> {
    let tables = G::SEATS.cycle();
    (0..count).zip(tables).map(|(seed, seats)| RandomMatch { seats, seed })
}

/// A bound on the decisions of a uniform random match of any game here.
const MAX_DECISIONS: usize = 2000;

/// A position before a decision, or the end.
pub(crate) struct Step<'a, G: Game> {
    pub(crate) config: &'a G::Config,
    /// The state, with no chance due.
    pub(crate) state: &'a G::State,
    /// Events since the previous position.
    pub(crate) events: &'a [G::Event],
}

/// A random config: each option has its default or one of its examples.
fn random_config<G: Game>(seats: SeatCount, chance: &mut ChanceStream) -> G::Config {
    let mut config = G::Config::default();
    for GameOption { name, examples, .. } in G::options() {
        let choice = chance.below(examples.len() as u32 + 1) as usize;
        if let Some(value) = examples.get(choice) {
            G::set_option(&mut config, name, value).unwrap();
        }
    }
    G::check_config(&config, seats).unwrap();
    config
}

impl RandomMatch {
    pub(crate) fn seat_count(&self) -> SeatCount {
        SeatCount::new(self.seats).unwrap()
    }

    pub(crate) fn seats(&self) -> impl Iterator<Item = Seat> {
        self.seat_count().seats()
    }

    pub(crate) fn viewers(&self) -> impl Iterator<Item = Viewer> {
        self.seats().map(Viewer::Seat).chain([Viewer::Spectator])
    }

    pub(crate) fn seed(&self) -> Seed {
        Seed::from(self.seed)
    }

    /// The stream for everything except the match's own chance results.
    pub(crate) fn chance(&self) -> ChanceStream {
        ChanceStream::new(&self.seed(), 1_000_000)
    }

    pub(crate) fn config<G: Game>(&self) -> G::Config {
        random_config::<G>(self.seat_count(), &mut self.chance())
    }

    pub(crate) fn setup<G: Game>(&self, config: &G::Config) -> G::Setup {
        G::draw_setup(config, self.seat_count(), &self.seed()).unwrap()
    }

    pub(crate) fn start<G: Game>(
        &self,
        config: &G::Config,
        setup: &G::Setup,
    ) -> (G::State, Vec<G::Event>) {
        let mut events = Vec::new();
        let state = G::start(config, self.seat_count(), setup, &mut events).unwrap();
        (state, events)
    }
}

/// Plays a match with uniform random decisions and calls `visit` with each position, the final one
/// included.
pub(crate) fn play<G: Game>(
    random: &RandomMatch,
    visit: impl FnMut(&Step<'_, G>, &mut ChanceStream),
) {
    play_variant::<G>(random, 0, visit);
}

/// Plays one of many variants of a match: other decisions from the same setup.
pub(crate) fn play_variant<G: Game>(
    random: &RandomMatch,
    variant: u64,
    mut visit: impl FnMut(&Step<'_, G>, &mut ChanceStream),
) {
    let mut chance = ChanceStream::new(&random.seed(), 1_000_001 + variant);
    let config = random.config::<G>();
    let (mut state, mut events) = random.start::<G>(&config, &random.setup::<G>(&config));
    for _ in 0..MAX_DECISIONS {
        resolve_chance_as_referee::<G>(&mut state, &random.seed(), &mut events);
        let step = Step { config: &config, state: &state, events: &events };
        visit(&step, &mut chance);
        events.clear();
        let Some(seat) = random_seat(G::seats_to_decide(&state), &mut chance) else {
            return;
        };
        let list = legal::<G>(&state, seat);
        let decision = &list[chance.below(list.len() as u32) as usize];
        G::apply(&mut state, seat, decision, &mut events).unwrap();
    }
    panic!("the match did not end within {MAX_DECISIONS} decisions");
}

/// Plays a state to the end of the match, and panics if the match does not end.
pub(crate) fn play_to_end<G: Game>(mut state: G::State, chance: &mut ChanceStream) {
    for _ in 0..MAX_DECISIONS {
        resolve_chance::<G>(&mut state, chance, &mut NoEvents);
        let Some(seat) = random_seat(G::seats_to_decide(&state), chance) else {
            let outcome = G::outcome(&state).expect("no seat owes a decision before the end");
            return assert_eq!(outcome.seats.len(), usize::from(G::seats(&state).get()));
        };
        let list = legal::<G>(&state, seat);
        assert!(!list.is_empty(), "seat {seat} owes a decision and has none");
        let decision = &list[chance.below(list.len() as u32) as usize];
        G::apply(&mut state, seat, decision, &mut NoEvents).unwrap();
    }
    panic!("the match does not end");
}

/// A random one of `seats`; `None` if there is none.
pub(crate) fn random_seat(seats: SeatSet, chance: &mut ChanceStream) -> Option<Seat> {
    let count = seats.len() as u32;
    (count > 0).then(|| seats.iter().nth(chance.below(count) as usize).unwrap())
}

/// Applies every due chance result as a referee does, and checks the contract of chance.
pub(crate) fn resolve_chance_as_referee<G: Game>(
    state: &mut G::State,
    seed: &Seed,
    events: &mut Vec<G::Event>,
) {
    let mut streams = HashSet::new();
    while let Some(stream) = G::chance_due(state) {
        assert!(stream < 1 << 32 && streams.insert(stream), "{stream}");
        assert!(G::seats_to_decide(state).is_empty(), "a seat owes a decision");
        assert_eq!(G::outcome(state), None);
        let draw = || G::draw_chance(state, &mut ChanceStream::new(seed, stream));
        let drawn = draw().unwrap();
        assert_eq!(draw().as_ref(), Some(&drawn));
        assert!(!drawn.to_string().contains('\n'));
        let mut searched = state.clone();
        let mut chance = ChanceStream::new(seed, 0);
        resolve_chance::<G>(&mut searched, &mut chance, &mut NoEvents);
        assert_eq!(G::chance_due(&searched), None);
        G::apply_chance(state, &drawn, events).unwrap();
    }
    assert_eq!(G::draw_chance(state, &mut ChanceStream::new(seed, 0)), None);
}

pub(crate) fn legal<G: Game>(state: &G::State, seat: Seat) -> Vec<G::Decision> {
    let mut list = Vec::new();
    G::legal(state, seat, &mut list);
    list
}

/// A random section of a list, at most `most` items.
pub(crate) fn some<'a, T>(
    list: &'a [T],
    most: usize,
    chance: &mut ChanceStream,
) -> impl Iterator<Item = &'a T> + use<'a, T> {
    let from = match list.len().checked_sub(most) {
        None | Some(0) => 0,
        Some(spare) => chance.below(spare as u32 + 1) as usize,
    };
    list[from..].iter().take(most)
}

//! Matches of random play, step by step, with the messages of their positions.

use bridgemaster_games::{ChanceStream, Game, NoEvents, Seat, SeatCount, Seed, Viewer};
use bridgemaster_proto::{
    games::WireGame,
    v1::{MatchConfig, RulesDecision, RulesPosition, rules_decision::Choice},
};

/// A chance stream that no match uses.
const PLAY_STREAM: u64 = 1 << 40;

/// A match in progress.
pub(crate) struct Playthrough<G: Game> {
    pub(crate) seats: SeatCount,
    pub(crate) config: G::Config,
    pub(crate) seed: Seed,
    pub(crate) state: G::State,
    /// All decisions so far.
    pub(crate) decisions: Vec<RulesDecision>,
    chance: ChanceStream,
}

impl<G: WireGame> Playthrough<G> {
    /// One match for each number of seats.
    pub(crate) fn for_each_seat_count() -> impl Iterator<Item = Self> {
        G::SEATS.map(|seats| Self::new(seats, 7 + u64::from(seats)))
    }

    pub(crate) fn new(seats: u8, seed: u64) -> Self {
        let (config, seats) = (G::Config::default(), SeatCount::new(seats).unwrap());
        let seed = Seed::from(seed);
        let setup = G::draw_setup(&config, seats, &seed).unwrap();
        let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
        resolve_chance::<G>(&mut state, &seed);
        Self {
            seats,
            config,
            state,
            decisions: Vec::new(),
            chance: ChanceStream::new(&seed, PLAY_STREAM),
            seed,
        }
    }

    /// The first seat that owes a decision; `None` at the end.
    pub(crate) fn turn(&self) -> Option<Seat> {
        G::seats_to_decide(&self.state).iter().next()
    }

    pub(crate) fn legal(&self, seat: Seat) -> Vec<G::Decision> {
        let mut legal = Vec::new();
        G::legal(&self.state, seat, &mut legal);
        legal
    }

    /// A random number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.chance.below(bound as u32) as usize
    }

    /// Plays a random decision for a seat.
    pub(crate) fn step(&mut self, seat: Seat) {
        let legal = self.legal(seat);
        let index = self.below(legal.len());
        G::apply(&mut self.state, seat, &legal[index], &mut NoEvents).unwrap();
        resolve_chance::<G>(&mut self.state, &self.seed);
        let decision = match self.below(2) {
            0 => by_index(seat, index),
            _ => RulesDecision {
                seat: seat.number().into(),
                choice: Some(Choice::Decision(G::decision_to_wire(&legal[index]))),
            },
        };
        self.decisions.push(decision);
    }

    pub(crate) fn match_config(&self) -> MatchConfig {
        MatchConfig {
            game: Some(G::config_to_wire(&self.config)),
            seats: self.seats.get().into(),
            ..MatchConfig::default()
        }
    }

    /// The position as the start of the match and all its decisions.
    pub(crate) fn position_from_start(&self) -> RulesPosition {
        RulesPosition {
            config: Some(self.match_config()),
            observation: None,
            sample_seed: self.seed.to_string(),
            decisions: self.decisions.clone(),
        }
    }

    /// The position as the observation of a viewer.
    pub(crate) fn as_seen_by(&self, viewer: Viewer, sample_seed: &str) -> RulesPosition {
        RulesPosition {
            config: Some(self.match_config()),
            observation: Some(G::observation_to_wire(&G::observe(&self.state, viewer))),
            sample_seed: sample_seed.to_owned(),
            decisions: Vec::new(),
        }
    }
}

pub(crate) fn by_index(seat: Seat, index: usize) -> RulesDecision {
    RulesDecision { seat: seat.number().into(), choice: Some(Choice::Index(index as u32)) }
}

/// Draws each chance result from its stream, as a referee does.
pub(crate) fn resolve_chance<G: Game>(state: &mut G::State, seed: &Seed) {
    while let Some(stream) = G::chance_due(state) {
        let drawn = G::draw_chance(state, &mut ChanceStream::new(seed, stream)).unwrap();
        G::apply_chance(state, &drawn, &mut NoEvents).unwrap();
    }
}

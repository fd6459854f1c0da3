//! The rules of a match, and the house: the automatic player that decides for seats that are
//! forfeited, late or absent.

use std::sync::Arc;

use bridgemaster_games::{
    ChanceStream, FieldError, Game, LegalList, MAX_SEATS, Seat, SeatCount, Seed,
};

use crate::{ClockRules, FaultPolicy, Fork, SeatOdds, clock::check_odds};

/// The rules of a match with all defaults filled in.
#[derive(Clone, Debug)]
pub struct MatchRules<G: Game> {
    /// The game's options.
    pub config: G::Config,
    /// The number of seats, within the range of the game.
    pub seats: SeatCount,
    /// The seed for all chance results. Secret while the match runs.
    pub seed: Seed,
    /// The match's clock.
    pub clock: ClockRules,
    /// Time controls of single seats, at most one entry per seat.
    pub odds: Vec<SeatOdds>,
    /// The costs of faults.
    pub faults: FaultPolicy,
    /// The policy by which the house, the server's own player, decides.
    pub house: HousePolicy,
    /// True if bots are asked even if only one decision is legal. If false, the referee plays such
    /// a decision.
    pub ask_forced: bool,
    /// The position of another match from which this match continues; `None` for a regular start.
    pub fork: Option<Arc<Fork<G>>>,
}

impl<G: Game> MatchRules<G> {
    /// The default rules for this number of seats and this seed.
    pub fn standard(seats: SeatCount, seed: Seed) -> Self {
        Self {
            config: G::Config::default(),
            seats,
            seed,
            clock: ClockRules::default(),
            odds: Vec::new(),
            faults: FaultPolicy::default(),
            house: HousePolicy::default(),
            ask_forced: false,
            fork: None,
        }
    }

    /// A seat's clock, with its own time control if it has time odds.
    pub fn clock_of(&self, seat: Seat) -> ClockRules {
        let odds = self.odds.iter().find(|odds| odds.seat == seat);
        ClockRules {
            time_control: odds.map_or(self.clock.time_control, |odds| odds.time_control),
            ..self.clock
        }
    }

    /// Returns whether the referee decides instead of the bot. It does if only one decision is
    /// legal and `ask_forced` is false.
    pub fn is_played_by_referee(&self, list: LegalList, decisions: usize) -> bool {
        list == LegalList::Complete && decisions == 1 && !self.ask_forced
    }

    /// Checks the value of every field.
    ///
    /// # Errors
    /// Returns an error that names the first invalid field and its valid values.
    pub fn check(&self) -> Result<(), FieldError> {
        if !G::SEATS.contains(&self.seats.get()) {
            let (min, max) = (G::SEATS.start(), G::SEATS.end());
            let range = format!("{min}..={max} for {}", G::NAME);
            let detail = format!("{} is out of range ({range})", self.seats);
            return FieldError::refuse("seats", detail);
        }
        G::check_config(&self.config, self.seats)
            .map_err(|error| FieldError::new("game", error))?;
        self.clock.check()?;
        check_odds(&self.odds, self.seats)?;
        self.faults.check()
    }
}

/// The house's decisions for a seat use the chance stream with this number minus the seat's number.
/// These streams are at the end of the range, because games number their streams from 0.
const LAST_STREAM: u64 = u64::MAX;

/// The policy by which the house decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HousePolicy {
    /// A legal decision chosen uniformly, from stream `u64::MAX - seat` of the match's seed.
    #[default]
    Random,
    /// The first legal decision.
    First,
}

/// Picks the house's decisions. Each seat has its own chance stream, so that the absence of one
/// seat does not change the house decisions for other seats.
#[derive(Debug)]
pub(crate) struct House {
    policy: HousePolicy,
    seed: Seed,
    streams: [Option<Box<ChanceStream>>; MAX_SEATS],
}

impl House {
    pub(crate) fn new(policy: HousePolicy, seed: Seed) -> Self {
        Self { policy, seed, streams: Default::default() }
    }

    /// Returns an index below `count`, which must be at least 1.
    pub(crate) fn pick(&mut self, seat: Seat, count: usize) -> usize {
        match self.policy {
            HousePolicy::First => 0,
            HousePolicy::Random => {
                let number = LAST_STREAM - u64::from(seat.number());
                let stream = self.streams[seat.index()]
                    .get_or_insert_with(|| Box::new(ChanceStream::new(&self.seed, number)));
                let bound = u32::try_from(count).unwrap_or(u32::MAX).max(1);
                stream.below(bound) as usize
            }
        }
    }
}

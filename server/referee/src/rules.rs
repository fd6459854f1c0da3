//! The rules of a match.

use std::sync::Arc;

use bridgemaster_games::{Game, LegalList, Seat, SeatCount, Seed};

use crate::{ClockRules, FaultPolicy, Fork, HousePolicy, RulesError, SeatOdds, odds};

/// The rules of a match, every default filled in.
#[derive(Debug)]
pub struct MatchRules<G: Game> {
    /// The options of the game.
    pub config: G::Config,
    /// Number of seats, within the range of the game.
    pub seats: SeatCount,
    /// What fixes every result of chance; secret while the match runs.
    pub seed: Seed,
    /// Time.
    pub clock: ClockRules,
    /// What differs from `clock` for single seats, at most one entry a seat.
    pub odds: Vec<SeatOdds>,
    /// What faults cost.
    pub faults: FaultPolicy,
    /// How the house decides.
    pub house: HousePolicy,
    /// Ask bots for decisions that have one legal answer too; otherwise the referee plays them.
    pub ask_forced: bool,
    /// The position of another match that it goes on from; `None` for one that begins by itself.
    pub fork: Option<Arc<Fork<G>>>,
}

impl<G: Game> Clone for MatchRules<G> {
    fn clone(&self) -> Self {
        Self {
            config: self.config.clone(),
            seats: self.seats,
            seed: self.seed.clone(),
            clock: self.clock,
            odds: self.odds.clone(),
            faults: self.faults,
            house: self.house,
            ask_forced: self.ask_forced,
            fork: self.fork.clone(),
        }
    }
}

impl<G: Game> MatchRules<G> {
    /// The standard rules for this many seats and this seed.
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

    /// The time rules of a seat.
    pub fn clock_of(&self, seat: Seat) -> ClockRules {
        let odds = self.odds.iter().find(|odds| odds.seat == seat);
        odds.map_or(self.clock, |odds| odds.applied_to(&self.clock))
    }

    /// Whether the referee plays for a seat that has this legal list: there is nothing to choose,
    /// and the match does not ask for such decisions.
    pub fn referee_plays(&self, list: LegalList, decisions: usize) -> bool {
        list == LegalList::Complete && decisions == 1 && !self.ask_forced
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is wrong and what would be valid.
    pub fn check(&self) -> Result<(), RulesError> {
        if !G::SEATS.contains(&self.seats.get()) {
            return Err(RulesError::Seats {
                game: G::NAME,
                seats: self.seats.get(),
                min: *G::SEATS.start(),
                max: *G::SEATS.end(),
            });
        }
        G::check_config(&self.config, self.seats).map_err(RulesError::Config)?;
        self.clock.check()?;
        odds::check(&self.odds, self.seats, &self.clock)?;
        self.faults.check()
    }
}

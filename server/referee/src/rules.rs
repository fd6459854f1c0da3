//! The rules of a match, and why they are refused.

use bridgemaster_games::{Game, SeatCount, Seed};
use thiserror::Error;

use crate::{ClockRules, FaultAction, FaultPolicy, HousePolicy};

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
    /// What faults cost.
    pub faults: FaultPolicy,
    /// How the house decides.
    pub house: HousePolicy,
    /// Ask bots for decisions that have one legal answer too; otherwise the referee plays them.
    pub ask_forced: bool,
}

impl<G: Game> Clone for MatchRules<G> {
    fn clone(&self) -> Self {
        Self {
            config: self.config.clone(),
            seats: self.seats,
            seed: self.seed.clone(),
            clock: self.clock,
            faults: self.faults,
            house: self.house,
            ask_forced: self.ask_forced,
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
            faults: FaultPolicy::default(),
            house: HousePolicy::default(),
            ask_forced: false,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is wrong and what would be valid.
    pub fn check(&self) -> Result<(), RulesError<G>> {
        if !G::SEATS.contains(&self.seats.get()) {
            return Err(RulesError::Seats {
                seats: self.seats.get(),
                min: *G::SEATS.start(),
                max: *G::SEATS.end(),
            });
        }
        G::check_config(&self.config, self.seats).map_err(RulesError::Config)?;
        self.clock.check()?;
        self.faults.check()
    }
}

/// Why the rules of a match are refused.
#[derive(Debug, Error)]
pub enum RulesError<G: Game> {
    /// The game is not for so many.
    #[error("{}: {}", self.field(), self.detail())]
    Seats {
        /// The number given.
        seats: u8,
        /// Fewest seats.
        min: u8,
        /// Most seats.
        max: u8,
    },
    /// A number out of its range.
    #[error("{}: {}", self.field(), self.detail())]
    Range {
        /// Path of the field below the rules.
        field: &'static str,
        /// The value given.
        value: u32,
        /// Least valid value.
        min: u32,
        /// Greatest valid value.
        max: u32,
    },
    /// An action that is not possible for this fault.
    #[error("{}: {}", self.field(), self.detail())]
    Action {
        /// Path of the field below the rules.
        field: &'static str,
        /// The action given.
        action: FaultAction,
        /// The actions that are possible.
        valid: &'static [FaultAction],
    },
    /// The config of the game is refused.
    #[error("game config: {0}")]
    Config(#[source] G::ConfigError),
    /// The setup that was drawn is refused.
    #[error("game setup: {0}")]
    Setup(#[source] G::SetupError),
}

impl<G: Game> RulesError<G> {
    /// Path of the field that is wrong.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Seats { .. } => "seats",
            Self::Range { field, .. } | Self::Action { field, .. } => field,
            Self::Config(_) | Self::Setup(_) => "game",
        }
    }

    /// What is wrong with that field, and what would be valid.
    pub fn detail(&self) -> String {
        match self {
            Self::Seats { seats, min, max } => {
                format!("{seats} is out of range; {} has {min} to {max}", G::NAME)
            }
            Self::Range {
                value, min, max, ..
            } => format!("{value} is out of range; {min} to {max} is valid"),
            Self::Action { action, valid, .. } => {
                format!("{action} is not possible; valid: {}", list(valid))
            }
            Self::Config(error) => error.to_string(),
            Self::Setup(error) => error.to_string(),
        }
    }
}

fn list(actions: &[FaultAction]) -> String {
    actions
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Checks that a number is within `min..=max`.
pub(crate) fn check_range<G: Game>(
    field: &'static str,
    value: u32,
    min: u32,
    max: u32,
) -> Result<(), RulesError<G>> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(RulesError::Range {
            field,
            value,
            min,
            max,
        })
    }
}

//! The rules of each match of a contest.

use std::{collections::BTreeMap, fmt};

use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, GameConfig, HousePolicy, MatchConfig, TimeOdds},
};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// The rules of each match of a contest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRules {
    /// The game.
    pub game: String,
    /// Version of its rules that is wanted: another one is refused. Not given: the server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_version: Option<u32>,
    /// Seats of each match.
    pub seats: u8,
    /// Options of the game and their values as text; of an option that takes a file, what is in
    /// it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Time.
    #[serde(default, skip_serializing_if = "Clock::is_default")]
    pub clock: Clock,
    /// What faults cost.
    #[serde(default, skip_serializing_if = "FaultCosts::is_default")]
    pub fault_costs: FaultCosts,
    /// How the house decides for a seat that is late or forfeited; the server's default when not
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house: Option<House>,
    /// Whether bots are asked for decisions with one legal answer too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask_forced: bool,
}

/// How a match measures time. What is not given is the server's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clock {
    /// Time in each seat's bank at the start, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u32>,
    /// Time added after each answered request, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u32>,
    /// Longest time for one decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_ms: Option<u32>,
    /// Time for bots to connect, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<u32>,
    /// Time that a seat may be without a stream, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_ms: Option<u32>,
    /// Largest round trip that is credited back for one decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_credit_ms: Option<u32>,
    /// Largest lag of the server in one request that does not spoil the match, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referee_lag_limit_ms: Option<u32>,
}

/// How the clock of one bot differs from that of the match; what is not given does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Odds {
    /// Time in its bank at the start, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u32>,
    /// Time added after each answered request, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u32>,
    /// Longest time for one decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_ms: Option<u32>,
}

/// What faults cost. What is not given is the server's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaultCosts {
    /// A decision that is not legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub illegal: Option<Cost>,
    /// No legal answer in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Cost>,
    /// A stream that is lost and does not come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnected: Option<Cost>,
    /// Never connecting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_connected: Option<Cost>,
    /// Too many messages that answer nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flood: Option<Cost>,
    /// Bytes that are no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Cost>,
    /// Strikes at which a seat forfeits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikes_to_forfeit: Option<u32>,
}

/// What a fault costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// The message is refused, and the clock runs on.
    Refuse,
    /// A strike; the seat forfeits at the limit of strikes.
    Strike,
    /// The house decides this request.
    Substitute,
    /// The house plays the seat to the end, and it takes the last place.
    Forfeit,
}

/// How the house decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum House {
    /// A legal decision drawn from the seed.
    Random,
    /// The first legal decision.
    First,
}

impl Clock {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Odds {
    /// Whether it is the clock of the match.
    #[must_use]
    pub fn is_even(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("bank", self.bank_ms),
            ("increment", self.increment_ms),
            ("cap", self.cap_ms),
        ];
        let given = parts.into_iter().filter_map(|(name, ms)| Some((name, ms?)));
        for (number, (name, ms)) in given.enumerate() {
            let before = if number == 0 { "" } else { ", " };
            write!(f, "{before}{name} {ms} ms")?;
        }
        Ok(())
    }
}

impl From<TimeOdds> for Odds {
    fn from(odds: TimeOdds) -> Self {
        Self {
            bank_ms: odds.bank_ms,
            increment_ms: odds.increment_ms,
            cap_ms: odds.cap_ms,
        }
    }
}

impl From<Odds> for TimeOdds {
    fn from(odds: Odds) -> Self {
        Self {
            bank_ms: odds.bank_ms,
            increment_ms: odds.increment_ms,
            cap_ms: odds.cap_ms,
        }
    }
}

impl FaultCosts {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl From<ClockRules> for Clock {
    fn from(rules: ClockRules) -> Self {
        Self {
            bank_ms: rules.bank_ms,
            increment_ms: rules.increment_ms,
            cap_ms: rules.cap_ms,
            startup_ms: rules.startup_ms,
            reconnect_ms: rules.reconnect_ms,
            round_trip_credit_ms: rules.round_trip_credit_ms,
            referee_lag_limit_ms: rules.referee_lag_limit_ms,
        }
    }
}

impl From<Clock> for ClockRules {
    fn from(clock: Clock) -> Self {
        Self {
            bank_ms: clock.bank_ms,
            increment_ms: clock.increment_ms,
            cap_ms: clock.cap_ms,
            startup_ms: clock.startup_ms,
            reconnect_ms: clock.reconnect_ms,
            round_trip_credit_ms: clock.round_trip_credit_ms,
            referee_lag_limit_ms: clock.referee_lag_limit_ms,
        }
    }
}

impl From<FaultPolicy> for FaultCosts {
    fn from(policy: FaultPolicy) -> Self {
        Self {
            illegal: cost(policy.illegal()),
            late: cost(policy.late()),
            disconnected: cost(policy.disconnected()),
            never_connected: cost(policy.never_connected()),
            flood: cost(policy.flood()),
            garbage: cost(policy.garbage()),
            strikes_to_forfeit: policy.strikes_to_forfeit,
        }
    }
}

impl From<FaultCosts> for FaultPolicy {
    fn from(costs: FaultCosts) -> Self {
        Self {
            illegal: action(costs.illegal).into(),
            late: action(costs.late).into(),
            disconnected: action(costs.disconnected).into(),
            never_connected: action(costs.never_connected).into(),
            flood: action(costs.flood).into(),
            garbage: action(costs.garbage).into(),
            strikes_to_forfeit: costs.strikes_to_forfeit,
        }
    }
}

fn cost(action: FaultAction) -> Option<Cost> {
    match action {
        FaultAction::Unspecified => None,
        FaultAction::Refuse => Some(Cost::Refuse),
        FaultAction::Strike => Some(Cost::Strike),
        FaultAction::Substitute => Some(Cost::Substitute),
        FaultAction::Forfeit => Some(Cost::Forfeit),
    }
}

fn action(cost: Option<Cost>) -> FaultAction {
    match cost {
        None => FaultAction::Unspecified,
        Some(Cost::Refuse) => FaultAction::Refuse,
        Some(Cost::Strike) => FaultAction::Strike,
        Some(Cost::Substitute) => FaultAction::Substitute,
        Some(Cost::Forfeit) => FaultAction::Forfeit,
    }
}

impl House {
    /// The policy of a match; none where it says nothing.
    #[must_use]
    pub fn of(policy: HousePolicy) -> Option<Self> {
        match policy {
            HousePolicy::Unspecified => None,
            HousePolicy::Random => Some(Self::Random),
            HousePolicy::First => Some(Self::First),
        }
    }
}

impl MatchRules {
    /// The config of a match by these rules with this seed.
    ///
    /// # Errors
    /// Those of the game, its seats and its options.
    pub fn config(&self, seed: &str) -> Result<MatchConfig, SpecError> {
        let house = match self.house {
            None => HousePolicy::Unspecified,
            Some(House::Random) => HousePolicy::Random,
            Some(House::First) => HousePolicy::First,
        };
        Ok(MatchConfig {
            game: Some(self.game_config()?),
            seats: self.seats.into(),
            seed: Some(seed.to_owned()),
            clock: Some(self.clock.into()),
            faults: Some(self.fault_costs.into()),
            house_policy: house.into(),
            ask_forced: self.ask_forced,
            ..MatchConfig::default()
        })
    }

    pub(super) fn check(&self) -> Result<(), SpecError> {
        self.game_config().map(drop)
    }

    fn game_config(&self) -> Result<GameConfig, SpecError> {
        with_game!(self.game.as_str(), G => self.config_of::<G>())
            .ok_or_else(|| SpecError::Game(self.game.clone(), GAME_IDS.join(", ")))?
    }

    fn config_of<G: WireGame>(&self) -> Result<GameConfig, SpecError> {
        let seats = SeatCount::new(self.seats)
            .filter(|seats| G::SEATS.contains(&seats.get()))
            .ok_or_else(|| SpecError::Seats {
                seats: self.seats,
                game: G::NAME.to_owned(),
                least: *G::SEATS.start(),
                most: *G::SEATS.end(),
            })?;
        let refused = |error: &dyn std::fmt::Display| SpecError::Option(error.to_string());
        let mut config = G::Config::default();
        for (name, value) in &self.options {
            G::set_option(&mut config, name, value).map_err(|error| refused(&error))?;
        }
        G::check_config(&config, seats).map_err(|error| refused(&error))?;
        Ok(G::config_to_wire(&config))
    }
}

//! A contest's match rules.

use std::{collections::BTreeMap, fmt};

use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, GameConfig, HousePolicy, MatchConfig, TimeOdds},
};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// The game, its options and the time control for every match of a contest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRules {
    /// The game's identifier, such as `carcassonne`.
    pub game: String,
    /// Required version of the game's rules. A server with another version refuses the match.
    /// Default: the server's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_version: Option<u32>,
    /// The number of seats in each match.
    pub seats: u8,
    /// The game's options, with their values as text. If an option takes a file, its value is the
    /// file's content.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// The time control for each match.
    #[serde(default, skip_serializing_if = "Clock::is_default")]
    pub clock: Clock,
    /// The cost of each kind of fault.
    #[serde(default, skip_serializing_if = "FaultCosts::is_default")]
    pub fault_costs: FaultCosts,
    /// How the house, which is the server's own player, decides for a late or forfeited seat. Default: the
    /// server's policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house: Option<House>,
    /// Also sends bots requests with only one legal decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask_forced: bool,
}

/// A match's time control. Omitted fields have the server's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clock {
    /// Time in each seat's bank at the start, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u32>,
    /// Time added after each answered request, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u32>,
    /// Maximum time for one decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_ms: Option<u32>,
    /// Time for bots to connect, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<u32>,
    /// Time for which a seat may be disconnected, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_ms: Option<u32>,
    /// Maximum round trip credited per decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_credit_ms: Option<u32>,
    /// Maximum referee lag during one request, in ms. A longer lag annuls the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referee_lag_limit_ms: Option<u32>,
}

/// One bot's time odds. Fields that are set replace the same fields of the match's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Odds {
    /// Time in the bot's bank at the start, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u32>,
    /// Time added after each answered request, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u32>,
    /// Maximum time for one decision, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_ms: Option<u32>,
}

/// The costs of faults. Omitted fields have the server's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaultCosts {
    /// Cost of an illegal decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub illegal: Option<Cost>,
    /// Cost of a request that is not answered legally in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Cost>,
    /// Cost of losing the stream and not resuming it in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnected: Option<Cost>,
    /// Cost of not connecting in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_connected: Option<Cost>,
    /// Cost of too many messages that answer no request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flood: Option<Cost>,
    /// Cost of bytes that are not a valid message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Cost>,
    /// The number of strikes at which a seat forfeits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikes_to_forfeit: Option<u32>,
}

/// The cost that a fault has for the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// The message is refused, and the clock keeps running.
    Refuse,
    /// The seat gets a strike, and forfeits when it reaches the strike limit.
    Strike,
    /// The house, the server's own player, answers the request.
    Substitute,
    /// The house, the server's own player, plays the seat to the end. The seat is placed last.
    Forfeit,
}

/// How the house, which is the server's own player, decides for a late or forfeited seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum House {
    /// Picks a random legal decision, derived from the seed.
    Random,
    /// Picks the first legal decision.
    First,
}

impl Clock {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Odds {
    /// Returns whether no field is set.
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
    /// Converts a match config's policy; `None` if it is not set.
    #[must_use]
    pub fn from_policy(policy: HousePolicy) -> Option<Self> {
        match policy {
            HousePolicy::Unspecified => None,
            HousePolicy::Random => Some(Self::Random),
            HousePolicy::First => Some(Self::First),
        }
    }
}

impl MatchRules {
    /// Returns the config of a match with this seed.
    ///
    /// # Errors
    /// The game, the number of seats or an option is not valid.
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

    pub(super) fn validate(&self) -> Result<(), SpecError> {
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
                min: *G::SEATS.start(),
                max: *G::SEATS.end(),
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

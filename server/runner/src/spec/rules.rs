//! A contest's match rules.

use std::collections::BTreeMap;

use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, GameConfig, HousePolicy, MatchConfig},
};
use bridgemaster_referee::TimeControl;
use bridgemaster_replay::wire::time_control_to_wire;
use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// The game, its options and the time control for every match of a contest. Most fields are also
/// flags for a match. The caller parses `seats` and `options`, which requires the game's rules.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRules {
    /// Game to play
    #[arg(long, value_name = "GAME", help_heading = "Game", default_value = GAME_IDS[0],
        value_parser = PossibleValuesParser::new(GAME_IDS))]
    pub game: String,
    /// Required version of the game's rules. A server with another version refuses the match.
    /// Default: the server's version.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_version: Option<u32>,
    /// The number of seats in each match.
    #[arg(skip)]
    pub seats: u8,
    /// The game's options, with their values as text. If an option takes a file, its value is the
    /// file's content.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// The time control for each match.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: Clock,
    /// The cost of each kind of fault.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "is_default")]
    pub fault_costs: FaultCosts,
    /// Decisions that the house makes for late and forfeited seats
    #[arg(long, value_name = "POLICY", help_heading = FAULTS)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house: Option<House>,
    /// Also request decisions that have only one legal answer
    ///
    /// By default the referee makes such decisions itself.
    #[arg(long, help_heading = "Game")]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask_forced: bool,
}

/// Help heading of the flags on faults.
const FAULTS: &str = "Faults (defaults: the server's)";

/// A match's clock. Omitted fields have the server's defaults.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(next_help_heading = "Clock (defaults: the server's)")]
pub struct Clock {
    /// Time control of each seat, such as 60+0.5/10
    #[arg(
        long,
        value_name = "TIME",
        long_help = format!("Time control of each seat, such as 60+0.5/10\n\n{}", TimeControl::NOTATION)
    )]
    #[serde(with = "time_control_text", skip_serializing_if = "Option::is_none")]
    pub time_control: Option<TimeControl>,
    /// Time for bots to connect before the match starts without them, in ms
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<u32>,
    /// Time for a disconnected bot to reconnect without a fault, in ms
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_ms: Option<u32>,
    /// Maximum network round trip credited to a seat for one decision, in ms
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_credit_ms: Option<u32>,
    /// Maximum lag of the referee in one request without spoiling the match, in ms
    ///
    /// Lag is not charged, so a limit above the default of 100 ms gives bots that overload the
    /// server more time to think.
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referee_lag_limit_ms: Option<u32>,
}

/// The costs of faults. Omitted fields have the server's defaults.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(next_help_heading = FAULTS)]
pub struct FaultCosts {
    /// Cost of an illegal decision
    #[arg(
        long = "on-illegal",
        value_name = "COST",
        hide_possible_values = true,
        long_help = "Cost of an illegal decision. COST is one of: refuse (the message is rejected and \
            the clock keeps running), strike (also counts a strike; the seat forfeits at the limit \
            of --strikes), substitute (the house makes the decision), forfeit (the house plays the \
            seat to the end, and the seat takes last place)"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub illegal: Option<Cost>,
    /// Cost of a late decision: strike, substitute or forfeit
    #[arg(long = "on-late", value_name = "COST", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Cost>,
    /// Cost of not reconnecting in time: strike, substitute or forfeit
    #[arg(long = "on-disconnected", value_name = "COST", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnected: Option<Cost>,
    /// Cost of never connecting: substitute or forfeit
    #[arg(long = "on-never-connected", value_name = "COST", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_connected: Option<Cost>,
    /// Cost of sending too many messages that answer no request: any COST of --on-illegal
    #[arg(long = "on-flood", value_name = "COST", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flood: Option<Cost>,
    /// Cost of sending bytes that are not a message: any COST of --on-illegal
    #[arg(long = "on-garbage", value_name = "COST", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Cost>,
    /// Number of strikes at which a seat forfeits
    #[arg(long = "strikes", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikes_to_forfeit: Option<u32>,
}

/// The cost that a fault has for the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum House {
    /// A random legal decision, derived from the match's seed
    Random,
    /// The first legal decision
    First,
}

/// Time for a human player to decide, to join and to reconnect, in ms: ten minutes.
const HUMAN_TIME_MS: u32 = 600_000;
/// Time control of a human player: one hour in the bank, and ten minutes for a decision.
const HUMAN_TIME_CONTROL: TimeControl =
    TimeControl::Fischer { bank_ms: 3_600_000, increment_ms: 500, cap_ms: HUMAN_TIME_MS };

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Clock {
    /// Returns the clock with longer defaults, for human players.
    pub fn for_people(self) -> Self {
        Self {
            time_control: self.time_control.or(Some(HUMAN_TIME_CONTROL)),
            startup_ms: self.startup_ms.or(Some(HUMAN_TIME_MS)),
            reconnect_ms: self.reconnect_ms.or(Some(HUMAN_TIME_MS)),
            ..self
        }
    }
}

/// Stores an optional time control as its text.
pub(super) mod time_control_text {
    use bridgemaster_referee::TimeControl;
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub(in crate::spec) fn serialize<S: Serializer>(
        control: &Option<TimeControl>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        control.map(|control| control.to_string()).serialize(to)
    }

    pub(in crate::spec) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<TimeControl>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

impl From<Clock> for ClockRules {
    fn from(clock: Clock) -> Self {
        Self {
            time_control: clock.time_control.map(time_control_to_wire),
            startup_ms: clock.startup_ms,
            reconnect_ms: clock.reconnect_ms,
            round_trip_credit_ms: clock.round_trip_credit_ms,
            referee_lag_limit_ms: clock.referee_lag_limit_ms,
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

fn action(cost: Option<Cost>) -> FaultAction {
    match cost {
        None => FaultAction::Unspecified,
        Some(Cost::Refuse) => FaultAction::Refuse,
        Some(Cost::Strike) => FaultAction::Strike,
        Some(Cost::Substitute) => FaultAction::Substitute,
        Some(Cost::Forfeit) => FaultAction::Forfeit,
    }
}

impl MatchRules {
    /// Returns the config of a match with this seed; the server generates a missing seed.
    ///
    /// # Errors
    /// Returns an error if the game, the number of seats or an option is not valid.
    pub fn config(&self, seed: Option<&str>) -> Result<MatchConfig, SpecError> {
        let house = match self.house {
            None => HousePolicy::Unspecified,
            Some(House::Random) => HousePolicy::Random,
            Some(House::First) => HousePolicy::First,
        };
        Ok(MatchConfig {
            game: Some(self.game_config()?),
            seats: self.seats.into(),
            seed: seed.map(str::to_owned),
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
        with_game!(self.game.as_str(), G => self.config_of::<G>()).ok_or_else(|| {
            let (game, known) = (&self.game, GAME_IDS.join(", "));
            SpecError::invalid("match.game", format!("unknown game {game:?}; known games: {known}"))
        })?
    }

    fn config_of<G: WireGame>(&self) -> Result<GameConfig, SpecError> {
        let seats = SeatCount::new(self.seats)
            .filter(|seats| G::SEATS.contains(&seats.get()))
            .ok_or_else(|| {
                let (name, valid, seats) = (G::NAME, G::SEATS, self.seats);
                let problem = format!("{seats} is out of range for {name} ({valid:?})");
                SpecError::invalid("match.seats", problem)
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

//! The rules of a match on the wire: `MatchConfig`.

use bridgemaster_games::SeatCount;
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{ClockRules, FaultAction, FaultPolicy, HousePolicy, MatchRules};

use super::seat::action_to_wire;
use crate::{hosting::draw_seed, refusal::Refusal};

/// The rules that a client asks for, defaults filled in and a seed drawn where none is given.
pub(crate) fn rules_from_wire<G: WireGame>(
    config: &v1::MatchConfig,
) -> Result<MatchRules<G>, Refusal> {
    let game = config
        .game
        .as_ref()
        .ok_or_else(|| Refusal::field("config.game", "says which game is played; none is set"))?;
    let rules = MatchRules {
        config: G::config_from_wire(game).map_err(|error| {
            Refusal::field(format!("config.game.{}", error.field), error.detail)
        })?,
        seats: u8::try_from(config.seats)
            .ok()
            .and_then(SeatCount::new)
            .ok_or_else(|| {
                let (min, max) = (G::SEATS.start(), G::SEATS.end());
                Refusal::field(
                    "config.seats",
                    format!("{} has {min} to {max} seats, not {}", G::NAME, config.seats),
                )
            })?,
        seed: match &config.seed {
            None => draw_seed(),
            Some(text) => text
                .parse()
                .map_err(|error: bridgemaster_games::SeedError| {
                    Refusal::field("config.seed", error.to_string())
                })?,
        },
        clock: clock_from_wire(config.clock.unwrap_or_default()),
        faults: faults_from_wire(&config.faults.unwrap_or_default())?,
        house: house_from_wire(config.house_policy)?,
        ask_forced: config.ask_forced,
    };
    rules.check().map_err(|error| {
        let field = error.field();
        let text = error.to_string();
        let detail = text
            .strip_prefix(field)
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&text);
        Refusal::field(format!("config.{field}"), detail)
    })?;
    Ok(rules)
}

/// The rules as they are shown: without the seed while it is secret.
pub(crate) fn rules_to_wire<G: WireGame>(
    rules: &MatchRules<G>,
    show_seed: bool,
) -> v1::MatchConfig {
    v1::MatchConfig {
        game: Some(G::config_to_wire(&rules.config)),
        seats: rules.seats.get().into(),
        seed: show_seed.then(|| rules.seed.to_string()),
        clock: Some(v1::ClockRules {
            bank_ms: Some(rules.clock.bank_ms),
            increment_ms: Some(rules.clock.increment_ms),
            cap_ms: Some(rules.clock.cap_ms),
            startup_ms: Some(rules.clock.startup_ms),
            reconnect_ms: Some(rules.clock.reconnect_ms),
            round_trip_credit_ms: Some(rules.clock.round_trip_credit_ms),
            referee_lag_limit_ms: Some(rules.clock.referee_lag_limit_ms),
        }),
        faults: Some(v1::FaultPolicy {
            illegal: action_to_wire(rules.faults.illegal).into(),
            late: action_to_wire(rules.faults.late).into(),
            disconnected: action_to_wire(rules.faults.disconnected).into(),
            never_connected: action_to_wire(rules.faults.never_connected).into(),
            flood: action_to_wire(rules.faults.flood).into(),
            garbage: action_to_wire(rules.faults.garbage).into(),
            strikes_to_forfeit: Some(rules.faults.strikes_to_forfeit),
        }),
        house_policy: match rules.house {
            HousePolicy::Random => v1::HousePolicy::Random,
            HousePolicy::First => v1::HousePolicy::First,
        }
        .into(),
        ask_forced: rules.ask_forced,
    }
}

fn clock_from_wire(clock: v1::ClockRules) -> ClockRules {
    let standard = ClockRules::default();
    ClockRules {
        bank_ms: clock.bank_ms.unwrap_or(standard.bank_ms),
        increment_ms: clock.increment_ms.unwrap_or(standard.increment_ms),
        cap_ms: clock.cap_ms.unwrap_or(standard.cap_ms),
        startup_ms: clock.startup_ms.unwrap_or(standard.startup_ms),
        reconnect_ms: clock.reconnect_ms.unwrap_or(standard.reconnect_ms),
        round_trip_credit_ms: clock
            .round_trip_credit_ms
            .unwrap_or(standard.round_trip_credit_ms),
        referee_lag_limit_ms: clock
            .referee_lag_limit_ms
            .unwrap_or(standard.referee_lag_limit_ms),
    }
}

fn faults_from_wire(faults: &v1::FaultPolicy) -> Result<FaultPolicy, Refusal> {
    let standard = FaultPolicy::default();
    let action = |field: &str, number: i32, standard| match v1::FaultAction::try_from(number) {
        Ok(v1::FaultAction::Unspecified) => Ok(standard),
        Ok(v1::FaultAction::Refuse) => Ok(FaultAction::Refuse),
        Ok(v1::FaultAction::Strike) => Ok(FaultAction::Strike),
        Ok(v1::FaultAction::Substitute) => Ok(FaultAction::Substitute),
        Ok(v1::FaultAction::Forfeit) => Ok(FaultAction::Forfeit),
        Err(_) => Err(Refusal::field(
            format!("config.faults.{field}"),
            format!("{number} is no FaultAction; 0 to 4 are"),
        )),
    };
    Ok(FaultPolicy {
        illegal: action("illegal", faults.illegal, standard.illegal)?,
        late: action("late", faults.late, standard.late)?,
        disconnected: action("disconnected", faults.disconnected, standard.disconnected)?,
        never_connected: action(
            "never_connected",
            faults.never_connected,
            standard.never_connected,
        )?,
        flood: action("flood", faults.flood, standard.flood)?,
        garbage: action("garbage", faults.garbage, standard.garbage)?,
        strikes_to_forfeit: faults
            .strikes_to_forfeit
            .unwrap_or(standard.strikes_to_forfeit),
    })
}

fn house_from_wire(number: i32) -> Result<HousePolicy, Refusal> {
    match v1::HousePolicy::try_from(number) {
        Ok(v1::HousePolicy::Unspecified) => Ok(HousePolicy::default()),
        Ok(v1::HousePolicy::Random) => Ok(HousePolicy::Random),
        Ok(v1::HousePolicy::First) => Ok(HousePolicy::First),
        Err(_) => Err(Refusal::field(
            "config.house_policy",
            format!("{number} is no HousePolicy; 0 to 2 are"),
        )),
    }
}

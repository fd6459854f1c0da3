//! Converts match rules to and from a `MatchConfig`.

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::{
    games::{Field, FieldError, WireGame, Writer, field_of, none_of},
    v1::{self, time_control::Kind},
};
use bridgemaster_referee::{
    ClockRules, FaultAction, FaultPolicy, HousePolicy, MatchRules, SeatOdds, TimeControl,
};

/// Reads the seed from a config, if the config has one.
///
/// # Errors
///
/// Returns an error if the text is not a seed. The field is a path below the config.
pub fn seed_from_wire(config: &v1::MatchConfig) -> Result<Option<Seed>, FieldError> {
    let seed = config.seed.as_deref().map(str::parse).transpose();
    seed.map_err(|error: bridgemaster_games::SeedError| FieldError::new("seed", error))
}

/// Reads the rules from a config, with `seed` as the seed and with defaults for unset fields.
///
/// # Errors
///
/// Returns an error that names the first invalid field, as a path below the config, and the valid
/// values.
pub fn rules_from_wire<G: WireGame>(
    config: &v1::MatchConfig,
    seed: Seed,
) -> Result<MatchRules<G>, FieldError> {
    let game = config.game.as_ref().ok_or_else(missing_game)?;
    let rules = MatchRules {
        config: G::config_from_wire(game).map_err(|error| error.below("game"))?,
        seats: u8::try_from(config.seats).ok().and_then(SeatCount::new).ok_or_else(|| {
            let (min, max) = (G::SEATS.start(), G::SEATS.end());
            FieldError::new(
                "seats",
                format!("{} has {min} to {max} seats, not {}", G::NAME, config.seats),
            )
        })?,
        seed,
        clock: clock_from_wire(config.clock.unwrap_or_default())?,
        odds: odds_from_wire(&config.seat_clocks)?,
        faults: faults_from_wire(&config.faults.unwrap_or_default())?,
        house: house_from_wire(config.house_policy)?,
        ask_forced: config.ask_forced,
        fork: None,
    };
    rules.check()?;
    Ok(rules)
}

/// Creates the error for a config without a game.
pub fn missing_game() -> FieldError {
    FieldError::new("game", "must be set to a game")
}

/// Converts rules to a message. A secret seed is omitted.
pub fn rules_to_wire<G: WireGame>(rules: &MatchRules<G>, show_seed: bool) -> v1::MatchConfig {
    v1::MatchConfig {
        game: Some(G::config_to_wire(&rules.config)),
        ..rules_without_game(rules, show_seed)
    }
}

/// Converts rules to a message without its largest part, the game config.
pub fn rules_without_game<G: WireGame>(rules: &MatchRules<G>, show_seed: bool) -> v1::MatchConfig {
    v1::MatchConfig {
        seats: rules.seats.get().into(),
        seed: show_seed.then(|| rules.seed.to_string()),
        clock: Some(v1::ClockRules {
            time_control: Some(time_control_to_wire(rules.clock.time_control)),
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
        seat_clocks: rules.odds.iter().map(odds_to_wire).collect(),
        house_policy: house_to_wire(rules.house).into(),
        ask_forced: rules.ask_forced,
        ..v1::MatchConfig::default()
    }
}

/// Writes the rules as a field of a message: first the game config, then the other rules.
pub fn write_rules<G: WireGame>(
    without_game: &v1::MatchConfig,
    config: &G::Config,
    field: Field,
    to: &mut Writer,
) {
    to.message(field, |to| {
        write_game_config::<G>(config, to);
        to.body(without_game);
    });
}

/// Writes the game config as the `game` field of the rules.
pub fn write_game_config<G: WireGame>(config: &G::Config, to: &mut Writer) {
    let field = const { field_of::<v1::MatchConfig>("game") };
    to.message(field, |to| G::put_config(config, to));
}

fn clock_from_wire(clock: v1::ClockRules) -> Result<ClockRules, FieldError> {
    let mut rules = ClockRules::default();
    if let Some(stated) = clock.time_control {
        rules.time_control = time_control_from_wire(stated, "clock.time_control")?;
    }
    for (field, stated) in [
        (&mut rules.startup_ms, clock.startup_ms),
        (&mut rules.reconnect_ms, clock.reconnect_ms),
        (&mut rules.round_trip_credit_ms, clock.round_trip_credit_ms),
        (&mut rules.referee_lag_limit_ms, clock.referee_lag_limit_ms),
    ] {
        *field = stated.unwrap_or(*field);
    }
    Ok(rules)
}

/// Reads a time control. `field` is its path below the config.
fn time_control_from_wire(stated: v1::TimeControl, field: &str) -> Result<TimeControl, FieldError> {
    match stated.kind {
        Some(Kind::Fischer(fischer)) => Ok(TimeControl::Fischer {
            bank_ms: fischer.bank_ms,
            increment_ms: fischer.increment_ms,
            cap_ms: fischer.cap_ms.unwrap_or(TimeControl::MAX_CAP_MS),
        }),
        Some(Kind::FischerDelay(delayed)) => Ok(TimeControl::FischerDelay {
            bank_ms: delayed.bank_ms,
            increment_ms: delayed.increment_ms,
            delay_ms: delayed.delay_ms,
            cap_ms: delayed.cap_ms.unwrap_or(TimeControl::MAX_CAP_MS),
        }),
        // prost decodes a kind that only newer versions know as `None`.
        None => {
            let mut unset = none_of::<Kind>(&format!("{field}.kind"));
            unset.problem += "; this version knows no other kind";
            Err(unset)
        }
    }
}

/// Converts a time control to a message.
pub fn time_control_to_wire(control: TimeControl) -> v1::TimeControl {
    let kind = match control {
        TimeControl::Fischer { bank_ms, increment_ms, cap_ms } => {
            return v1::TimeControl::fischer(bank_ms, increment_ms, cap_ms);
        }
        TimeControl::FischerDelay { bank_ms, increment_ms, delay_ms, cap_ms } => {
            Kind::FischerDelay(v1::FischerDelayTimeControl {
                bank_ms,
                increment_ms,
                delay_ms,
                cap_ms: Some(cap_ms),
            })
        }
    };
    v1::TimeControl { kind: Some(kind) }
}

fn odds_from_wire(clocks: &[v1::SeatClock]) -> Result<Vec<SeatOdds>, FieldError> {
    let odds = clocks.iter().map(|clock| {
        let seat = u8::try_from(clock.seat).ok().and_then(Seat::new);
        Ok(SeatOdds {
            seat: seat.ok_or_else(|| {
                let detail = format!("there is no seat {} in any match", clock.seat);
                FieldError::new("seat_clocks.seat", detail)
            })?,
            time_control: time_control_from_wire(
                clock.time_control.unwrap_or_default(),
                "seat_clocks.time_control",
            )?,
        })
    });
    odds.collect()
}

fn odds_to_wire(odds: &SeatOdds) -> v1::SeatClock {
    v1::SeatClock {
        seat: odds.seat.number().into(),
        time_control: Some(time_control_to_wire(odds.time_control)),
    }
}

fn faults_from_wire(faults: &v1::FaultPolicy) -> Result<FaultPolicy, FieldError> {
    let mut policy = FaultPolicy::default();
    for (field, action, stated) in [
        ("illegal", &mut policy.illegal, faults.illegal),
        ("late", &mut policy.late, faults.late),
        ("disconnected", &mut policy.disconnected, faults.disconnected),
        ("never_connected", &mut policy.never_connected, faults.never_connected),
        ("flood", &mut policy.flood, faults.flood),
        ("garbage", &mut policy.garbage, faults.garbage),
    ] {
        let stated = v1::FaultAction::try_from(stated).map_err(|_| {
            let detail = format!("{stated} is not a FaultAction (0..=4)");
            FieldError::new(format!("faults.{field}"), detail)
        })?;
        *action = action_from_wire(stated).unwrap_or(*action);
    }
    if let Some(strikes) = faults.strikes_to_forfeit {
        policy.strikes_to_forfeit = strikes;
    }
    Ok(policy)
}

fn house_from_wire(number: i32) -> Result<HousePolicy, FieldError> {
    let stated = v1::HousePolicy::try_from(number).map_err(|_| {
        let detail = format!("{number} is not a HousePolicy (0..=2)");
        FieldError::new("house_policy", detail)
    })?;
    Ok(house_policy_from_wire(stated).unwrap_or_default())
}

same_variants!(HousePolicy: Random First, house_to_wire, house_policy_from_wire);

same_variants!(FaultAction: Refuse Strike Substitute Forfeit, action_to_wire, action_from_wire);

//! A replayed match's state before its first decision.

use std::fmt::Debug;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::{games::WireGame, v1::Replay};
use bridgemaster_referee::MatchRules;
use bridgemaster_wire::{rules_from_wire, seed_from_wire};

/// A replayed match before its first decision.
pub(super) struct Opening<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) setup: G::Setup,
    pub(super) state: G::State,
    pub(super) events: Vec<G::Event>,
}

/// An invalid field of a replay.
#[derive(Debug)]
pub(super) struct InvalidField {
    /// Path of the field, relative to `Replay` or to the part of it that was being read.
    pub(super) field: String,
    /// Description of the error.
    pub(super) problem: String,
}

pub(super) fn invalid_field<T>(
    field: impl Into<String>,
    problem: impl ToString,
) -> Result<T, InvalidField> {
    Err(InvalidField {
        field: field.into(),
        problem: problem.to_string(),
    })
}

/// Checks that a field has the expected value.
pub(super) fn expect_equal<T: PartialEq + Debug>(
    field: &str,
    stated: &T,
    expected: &T,
) -> Result<(), InvalidField> {
    if stated == expected {
        return Ok(());
    }
    invalid_field(field, format!("expected {expected:?}, got {stated:?}"))
}

/// Converts the seat number in a field.
pub(super) fn seat_of(seats: SeatCount, field: &str, number: u32) -> Result<Seat, InvalidField> {
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    seat.filter(|seat| seats.contains(*seat)).map_or_else(
        || {
            invalid_field(
                field,
                format!("{number} is out of range (0..={})", seats.get() - 1),
            )
        },
        Ok,
    )
}

/// A placeholder seed for a replay without a seed. No chance is drawn from it, because the replay
/// contains the setup and all later chance results.
fn unknown_seed() -> Seed {
    "unknown".parse().expect("seven letters form a valid seed")
}

/// Starts the match from the replay's setup.
pub(super) fn open<G: WireGame>(replay: &Replay) -> Result<Opening<G>, InvalidField> {
    let Some(config) = &replay.config else {
        return invalid_field("config", "is missing");
    };
    let rules = seed_from_wire(config)
        .and_then(|seed| rules_from_wire::<G>(config, seed.unwrap_or_else(unknown_seed)))
        .or_else(|error| invalid_field(format!("config.{}", error.field), error.detail))?;
    let Some(setup) = &replay.setup else {
        return invalid_field("setup", "is missing");
    };
    let setup = G::setup_from_wire(setup, &rules.config)
        .or_else(|error| invalid_field(format!("setup.{}", error.field), error.detail))?;
    let mut events = Vec::new();
    let state = G::start(&rules.config, rules.seats, &setup, &mut events)
        .or_else(|error| invalid_field("setup", error))?;
    Ok(Opening {
        rules,
        setup,
        state,
        events,
    })
}

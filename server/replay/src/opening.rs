//! The match of a replay before its first decision.

use std::fmt::Debug;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::{games::WireGame, v1::Replay};
use bridgemaster_referee::MatchRules;
use bridgemaster_wire::{rules_from_wire, seed_from_wire};

/// A match at its first decision.
pub(super) struct Opening<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) setup: G::Setup,
    pub(super) state: G::State,
    pub(super) events: Vec<G::Event>,
}

/// A field of a replay that makes no sense.
#[derive(Debug)]
pub(super) struct BadField {
    /// Its path below `Replay`, or below the part of it that was being read.
    pub(super) field: String,
    /// What is wrong with it.
    pub(super) problem: String,
}

pub(super) fn bad<T>(field: impl Into<String>, problem: impl ToString) -> Result<T, BadField> {
    Err(BadField {
        field: field.into(),
        problem: problem.to_string(),
    })
}

/// Refuses a field that is not what the match gives.
pub(super) fn equal<T: PartialEq + Debug>(
    field: &str,
    stated: &T,
    expected: &T,
) -> Result<(), BadField> {
    if stated == expected {
        return Ok(());
    }
    bad(
        field,
        format!("is {stated:?}, the match gives {expected:?}"),
    )
}

/// The seat of this number in a field.
pub(super) fn seat_of(seats: SeatCount, field: &str, number: u32) -> Result<Seat, BadField> {
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    seat.filter(|seat| seats.contains(*seat)).map_or_else(
        || bad(field, format!("{number} is no seat; there are {seats}")),
        Ok,
    )
}

/// In the place of a seed that a replay does not have. Nothing is drawn from it: the setup and
/// every later chance result are in the replay.
fn unknown_seed() -> Seed {
    "unknown".parse().expect("seven letters are a seed")
}

/// Starts the match of a replay from the setup that is stored in it.
pub(super) fn open<G: WireGame>(replay: &Replay) -> Result<Opening<G>, BadField> {
    let Some(config) = &replay.config else {
        return bad("config", "is missing");
    };
    let rules = seed_from_wire(config)
        .and_then(|seed| rules_from_wire::<G>(config, seed.unwrap_or_else(unknown_seed)))
        .or_else(|error| bad(format!("config.{}", error.field), error.detail))?;
    let Some(setup) = &replay.setup else {
        return bad("setup", "is missing");
    };
    let setup = G::setup_from_wire(setup, &rules.config)
        .or_else(|error| bad(format!("setup.{}", error.field), error.detail))?;
    let mut events = Vec::new();
    let state = G::start(&rules.config, rules.seats, &setup, &mut events)
        .or_else(|error| bad("setup", error))?;
    Ok(Opening {
        rules,
        setup,
        state,
        events,
    })
}

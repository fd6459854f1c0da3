//! The match of a replay before its first decision.

use bridgemaster_proto::{games::WireGame, v1::Replay};
use bridgemaster_referee::MatchRules;
use tonic::Status;

use crate::wire::rules_from_wire;

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

/// Starts the match of a replay from the setup that is stored in it.
pub(super) fn open<G: WireGame>(replay: &Replay) -> Result<Opening<G>, BadField> {
    let Some(config) = &replay.config else {
        return bad("config", "is missing");
    };
    let rules = rules_from_wire::<G>(config).or_else(|refusal| {
        let status = Status::from(refusal);
        let (field, detail) = status
            .message()
            .split_once(": ")
            .unwrap_or(("config", status.message()));
        bad(field, detail)
    })?;
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

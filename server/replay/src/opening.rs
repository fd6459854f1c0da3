//! The start of a replayed match: its state before the first decision, and the progress through the
//! steps that a forked match has copied.

use std::fmt::Debug;

use bridgemaster_games::{GAME_IDS, Game, Seat, SeatCount, Seed};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{ChanceRecord, DecisionRecord, Replay},
};
use bridgemaster_referee::{ForkChance, MatchRules, redraw};

use crate::wire::{chance_from_wire, rules_from_wire, seed_from_wire};

/// A replayed match before its first decision.
pub(super) struct Opening<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) setup: G::Setup,
    pub(super) state: G::State,
    pub(super) events: Vec<G::Event>,
}

/// Returns the error for an invalid field. Its path is relative to `Replay`, or to the part of it
/// that is being read.
pub(super) fn invalid_field<T>(
    field: impl Into<String>,
    detail: impl ToString,
) -> Result<T, FieldError> {
    FieldError::refuse(field, detail)
}

/// Returns the error for a game that is unknown to this version.
pub(super) fn unknown_game(game_id: &str) -> FieldError {
    let known = GAME_IDS.join(", ");
    FieldError::new("game_id", format!("{game_id:?} is not a known game; known: {known}"))
}

/// Prefixes the path of an invalid field.
pub(super) fn below(parent: &str) -> impl Fn(FieldError) -> FieldError {
    move |error| error.below(parent)
}

/// Reads the decision in a record.
pub(super) fn decision_of<G: WireGame>(record: &DecisionRecord) -> Result<G::Decision, FieldError> {
    match &record.decision {
        Some(decision) => G::decision_from_wire(decision).map_err(below("decision.decision")),
        None => invalid_field("decision.decision", "is missing"),
    }
}

/// Reads the chance result in a record.
pub(super) fn chance_of<G: WireGame>(record: &ChanceRecord) -> Result<G::Chance, FieldError> {
    match &record.chance {
        Some(chance) => G::chance_from_wire(chance).map_err(below("chance.chance")),
        None => invalid_field("chance.chance", "is missing"),
    }
}

/// Checks that a field has the expected value.
pub(super) fn expect_equal<T: PartialEq + Debug>(
    field: &str,
    stated: &T,
    expected: &T,
) -> Result<(), FieldError> {
    if stated == expected {
        return Ok(());
    }
    invalid_field(field, format!("expected {expected:?}, got {stated:?}"))
}

/// Converts the seat number in a field.
pub(super) fn seat_of(seats: SeatCount, field: &str, number: u32) -> Result<Seat, FieldError> {
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    match seat.filter(|seat| seats.contains(*seat)) {
        Some(seat) => Ok(seat),
        None => invalid_field(field, format!("{number} is out of range (0..={})", seats.get() - 1)),
    }
}

/// Returns a placeholder seed for a replay without a seed. It is never used, because the replay
/// contains the setup and all later chance results.
fn unknown_seed() -> Seed {
    "unknown".parse().expect("seven letters form a valid seed")
}

/// Starts the match from the replay's setup.
pub(super) fn open<G: WireGame>(replay: &Replay) -> Result<Opening<G>, FieldError> {
    let Some(config) = &replay.config else {
        return invalid_field("config", "is missing");
    };
    // Earlier programs wrote the times in other fields. The default clock would be wrong.
    let clock = config.clock.as_ref();
    if clock.is_none_or(|clock| clock.time_control.is_none()) {
        return invalid_field(
            "config.clock.time_control",
            "is missing; verify the replay with the release that wrote it",
        );
    }
    let rules = seed_from_wire(config)
        .and_then(|seed| rules_from_wire::<G>(config, seed.unwrap_or_else(unknown_seed)));
    let rules = rules.map_err(below("config"))?;
    let Some(setup) = &replay.setup else {
        return invalid_field("setup", "is missing");
    };
    let setup = G::setup_from_wire(setup, &rules.config).map_err(below("setup"))?;
    let mut events = Vec::new();
    let state = G::start(&rules.config, rules.seats, &setup, &mut events)
        .or_else(|error| invalid_field("setup", error))?;
    Ok(Opening { rules, setup, state, events })
}

/// The progress through a replay's copied steps. Empty for matches that were not forked.
pub(super) struct ForkProgress {
    decisions_left: u32,
    /// True until the replay reaches the fork position.
    is_before: bool,
    /// The seat whose knowledge was preserved when hidden facts were redrawn; `None` if nothing was
    /// redrawn.
    observer: Option<Seat>,
    has_seed: bool,
}

impl ForkProgress {
    /// Reads the fork from a replay's head.
    pub(super) fn from_head(head: &Replay) -> Result<Self, FieldError> {
        let chance = head.fork.as_ref().map(chance_from_wire).transpose()?;
        let observer = match chance {
            Some(ForkChance::Redraw { observer }) => Some(observer),
            Some(ForkChance::Keep) | None => None,
        };
        let config = head.config.as_ref();
        Ok(Self {
            decisions_left: head.fork.as_ref().map_or(0, |origin| origin.decisions),
            is_before: head.fork.is_some(),
            observer,
            has_seed: config.is_some_and(|config| config.seed.is_some()),
        })
    }

    /// Returns whether the setup was copied from the original match, and not drawn from the seed.
    pub(super) fn has_original_setup(&self) -> bool {
        self.observer.is_some()
    }

    /// Returns whether the next decision is copied.
    pub(super) fn copies_next_decision(&self) -> bool {
        self.decisions_left > 0
    }

    /// Returns whether the next chance result was copied from the original match, and not drawn
    /// from the seed.
    pub(super) fn has_original_chance(&self) -> bool {
        self.is_before && self.has_original_setup()
    }

    /// Counts a decision that was applied.
    pub(super) fn record_decision(&mut self) {
        self.decisions_left = self.decisions_left.saturating_sub(1);
    }

    /// Redraws hidden facts if `state` is at the fork position.
    pub(super) fn redraw_at_position<G: Game>(
        &mut self,
        rules: &MatchRules<G>,
        state: &mut G::State,
    ) -> Result<(), FieldError> {
        if !self.is_before || self.copies_next_decision() || G::chance_due(state).is_some() {
            return Ok(());
        }
        self.is_before = false;
        let Some(observer) = self.observer else {
            return Ok(());
        };
        if !self.has_seed {
            return invalid_field(
                "config.seed",
                "required, because the facts redrawn at the fork depend on the seed",
            );
        }
        if !rules.seats.contains(observer) {
            return invalid_field("fork.knowing_seats", format!("seat {observer} does not exist"));
        }
        *state = redraw::<G>(&rules.config, state, observer, &rules.seed)
            .or_else(|error| invalid_field("fork", error))?;
        Ok(())
    }
}

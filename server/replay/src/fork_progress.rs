//! Tracks a replay's progress through the steps that a forked match copied.

use bridgemaster_games::{Game, Seat};
use bridgemaster_proto::v1::Replay;
use bridgemaster_referee::{ForkChance, MatchRules, redraw};
use bridgemaster_wire::chance_from_wire;

use crate::opening::{InvalidField, invalid_field};

/// The progress through a replay's copied steps. Empty for matches that were not forked.
pub(super) struct ForkProgress {
    decisions_left: u32,
    /// True until the replay reaches the fork position.
    is_before: bool,
    /// The seat whose knowledge was preserved when hidden facts were redrawn; `None` if no facts
    /// were redrawn.
    observer: Option<Seat>,
    has_seed: bool,
}

impl ForkProgress {
    /// Reads the fork from a replay's head.
    pub(super) fn of(head: &Replay) -> Result<Self, InvalidField> {
        let observer = match &head.fork {
            None => None,
            Some(origin) => match chance_from_wire(origin) {
                Ok(ForkChance::Keep) => None,
                Ok(ForkChance::Redraw { observer }) => Some(observer),
                Err(error) => return invalid_field(error.field, error.detail),
            },
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
    ) -> Result<(), InvalidField> {
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
            return invalid_field(
                "fork.knowing_seats",
                format!("seat {observer} does not exist"),
            );
        }
        *state = redraw::<G>(&rules.config, state, observer, &rules.seed)
            .or_else(|error| invalid_field("fork", error))?;
        Ok(())
    }
}

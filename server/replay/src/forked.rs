//! The part of a replay that a forked match took over from another one.

use bridgemaster_games::{Game, Seat};
use bridgemaster_proto::v1::Replay;
use bridgemaster_referee::{ForkChance, MatchRules, redrawn};
use bridgemaster_wire::chance_from_wire;

use crate::opening::{BadField, bad};

/// What is left to be taken over of a forked match; nothing of any other.
pub(super) struct Forked {
    decisions_left: u32,
    /// The position was not reached yet.
    is_before: bool,
    /// The seat that keeps what it knows, where the rest is drawn anew.
    knowing: Option<Seat>,
    has_seed: bool,
}

impl Forked {
    /// What the head of a replay says.
    pub(super) fn of(head: &Replay) -> Result<Self, BadField> {
        let knowing = match &head.fork {
            None => None,
            Some(origin) => match chance_from_wire(origin) {
                Ok(ForkChance::Keep) => None,
                Ok(ForkChance::Redraw { knowing }) => Some(knowing),
                Err(error) => return bad(error.field, error.detail),
            },
        };
        let config = head.config.as_ref();
        Ok(Self {
            decisions_left: head.fork.as_ref().map_or(0, |origin| origin.decisions),
            is_before: head.fork.is_some(),
            knowing,
            has_seed: config.is_some_and(|config| config.seed.is_some()),
        })
    }

    /// Whether the setup is that of the other match, and not what the seed of this one draws.
    pub(super) fn has_setup_of_other(&self) -> bool {
        self.knowing.is_some()
    }

    /// Whether the next decision is taken over.
    pub(super) fn takes_over(&self) -> bool {
        self.decisions_left > 0
    }

    /// Whether a chance result that comes now is that of the other match, and not what the seed of
    /// this one draws.
    pub(super) fn has_chance_of_other(&self) -> bool {
        self.is_before && self.has_setup_of_other()
    }

    /// A decision was applied.
    pub(super) fn decided(&mut self) {
        self.decisions_left = self.decisions_left.saturating_sub(1);
    }

    /// Draws anew what is to be, if the match goes on by itself from `state`.
    pub(super) fn go_on<G: Game>(
        &mut self,
        rules: &MatchRules<G>,
        state: &mut G::State,
    ) -> Result<(), BadField> {
        if !self.is_before || self.takes_over() || G::chance_due(state).is_some() {
            return Ok(());
        }
        self.is_before = false;
        let Some(knowing) = self.knowing else {
            return Ok(());
        };
        if !self.has_seed {
            return bad(
                "config.seed",
                "is missing, and what was drawn anew at the fork follows from it",
            );
        }
        if !rules.seats.contains(knowing) {
            return bad("fork.knowing_seats", format!("there is no seat {knowing}"));
        }
        *state = redrawn::<G>(&rules.config, state, knowing, &rules.seed)
            .or_else(|error| bad("fork", error))?;
        Ok(())
    }
}

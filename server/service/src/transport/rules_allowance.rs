//! What a caller may have of the rules at once.

use std::sync::Arc;

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_rules::Problem;

use crate::{
    refusal::Refusal,
    tally::{Taken, Tally},
};

/// What one caller, and all, may have of the rules at once.
#[derive(Clone)]
pub(crate) struct RulesAllowance {
    pub(super) of_caller: RulesTallies,
    pub(super) in_all: RulesTallies,
}

/// Calls in progress, and positions of sessions.
#[derive(Clone)]
pub(crate) struct RulesTallies {
    calls: Arc<Tally>,
    positions: Arc<Tally>,
}

/// The place of a call or of a position, given back when it is dropped.
pub(crate) struct RulesPlace {
    _taken: [Taken; 2],
}

impl RulesTallies {
    /// So many calls and positions.
    pub(crate) fn new(calls: usize, positions: usize) -> Self {
        Self {
            calls: Tally::new(calls),
            positions: Tally::new(positions),
        }
    }
}

impl RulesAllowance {
    /// For callers on the own machine, who share it with nobody.
    pub(crate) fn unlimited() -> Self {
        let tallies = RulesTallies::new(usize::MAX, usize::MAX);
        Self {
            of_caller: tallies.clone(),
            in_all: tallies,
        }
    }

    /// Begins a call.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn begin(&self) -> Result<RulesPlace, Refusal> {
        let (own, all) = (&self.of_caller.calls, &self.in_all.calls);
        let own = own
            .try_acquire(1)
            .ok_or_else(|| Refusal::limit("rules_calls_per_caller", own.limit()))?;
        let all = all
            .try_acquire(1)
            .ok_or_else(|| Refusal::server_limit("rules_calls", all.limit()))?;
        Ok(RulesPlace { _taken: [own, all] })
    }

    /// Takes a place for one more position.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn position(&self) -> Result<RulesPlace, Problem> {
        let full = |limit: &str, tally: &Tally| {
            let detail = format!(
                "the server's limit {limit} = {} is reached; forget positions that are not needed",
                tally.limit()
            );
            Problem::new(RefusalReason::LimitReached, "", detail)
        };
        let (own, all) = (&self.of_caller.positions, &self.in_all.positions);
        let own = own
            .try_acquire(1)
            .ok_or_else(|| full("rules_positions_per_caller", own))?;
        let all = all
            .try_acquire(1)
            .ok_or_else(|| full("rules_positions", all))?;
        Ok(RulesPlace { _taken: [own, all] })
    }
}

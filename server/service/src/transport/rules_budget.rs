//! Budgets for `RulesService`: concurrent calls, and session positions.

use std::sync::Arc;

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_rules::Problem;

use crate::{
    limiter::{Limiter, Permit},
    refusal::Refusal,
};

/// One caller's budget and the server's budget.
#[derive(Clone)]
pub(crate) struct RulesBudget {
    pub(super) of_caller: RulesLimiters,
    pub(super) of_server: RulesLimiters,
}

/// Limits on concurrent calls and on positions of sessions.
#[derive(Clone)]
pub(crate) struct RulesLimiters {
    calls: Arc<Limiter>,
    positions: Arc<Limiter>,
}

/// A permit for a call or for a position, released on drop.
pub(crate) struct RulesPermit {
    _permits: [Permit; 2],
}

impl RulesLimiters {
    /// Creates limiters for this number of calls and this number of positions.
    pub(crate) fn new(calls: usize, positions: usize) -> Self {
        Self {
            calls: Limiter::new(calls),
            positions: Limiter::new(positions),
        }
    }
}

impl RulesBudget {
    /// Creates a budget without limits, for a server that only callers on the same machine use.
    pub(crate) fn unlimited() -> Self {
        let limiters = RulesLimiters::new(usize::MAX, usize::MAX);
        Self {
            of_caller: limiters.clone(),
            of_server: limiters,
        }
    }

    /// Acquires a permit for a call.
    ///
    /// # Errors
    /// When the caller or the server has too many calls.
    pub(crate) fn acquire_call(&self) -> Result<RulesPermit, Refusal> {
        let (own, all) = (&self.of_caller.calls, &self.of_server.calls);
        let own = own
            .try_acquire(1)
            .ok_or_else(|| Refusal::limit("rules_calls_per_caller", own.limit()))?;
        let all = all
            .try_acquire(1)
            .ok_or_else(|| Refusal::server_limit("rules_calls", all.limit()))?;
        Ok(RulesPermit {
            _permits: [own, all],
        })
    }

    /// Acquires a permit for one more position.
    ///
    /// # Errors
    /// When the caller or the server has too many positions.
    pub(crate) fn acquire_position(&self) -> Result<RulesPermit, Problem> {
        let full = |limit: &str, limiter: &Limiter| {
            let detail = format!(
                "the server's limit {limit} = {} is reached; release positions that are not needed",
                limiter.limit()
            );
            Problem::new(RefusalReason::LimitReached, "", detail)
        };
        let (own, all) = (&self.of_caller.positions, &self.of_server.positions);
        let own = own
            .try_acquire(1)
            .ok_or_else(|| full("rules_positions_per_caller", own))?;
        let all = all
            .try_acquire(1)
            .ok_or_else(|| full("rules_positions", all))?;
        Ok(RulesPermit {
            _permits: [own, all],
        })
    }
}

//! Faults: what a seat can do wrong, and what that costs.

use std::fmt;

use crate::{FaultAction, RulesError, rules_error::check_range};

/// Faults of one seat that are kept in the result and recorded. Further ones are only counted, so
/// that a seat whose faults cost nothing cannot fill the memory. The fault that forfeits a seat is
/// always kept.
pub const MAX_FAULTS_KEPT: usize = 64;

/// Upper limit of `strikes_to_forfeit` in a policy.
const MAX_STRIKES: u32 = 1000;

/// What a seat did wrong. One fault has one reason, the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultReason {
    /// A decision that is not legal, is malformed, or has an index out of range.
    Illegal,
    /// No legal answer within the time for the decision.
    Late,
    /// The stream was lost and not replaced within the reconnect time, or the clock of a request
    /// ran out while there was no stream.
    Disconnected,
    /// No bot connected within the start-up time.
    NeverConnected,
    /// Too many messages that answered nothing.
    Flood,
    /// Bytes that are no message of the protocol.
    Garbage,
    /// The bot resigned.
    Resigned,
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Illegal => "ILLEGAL",
            Self::Late => "LATE",
            Self::Disconnected => "DISCONNECTED",
            Self::NeverConnected => "NEVER_CONNECTED",
            Self::Flood => "FLOOD",
            Self::Garbage => "GARBAGE",
            Self::Resigned => "RESIGNED",
        })
    }
}

/// What each fault costs in a match. A bot that resigns always forfeits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultPolicy {
    /// For [`FaultReason::Illegal`]: any action.
    pub illegal: FaultAction,
    /// For [`FaultReason::Late`]: strike, substitute or forfeit.
    pub late: FaultAction,
    /// For [`FaultReason::Disconnected`]: strike, substitute or forfeit; other than forfeit, the
    /// house decides until the bot is back.
    pub disconnected: FaultAction,
    /// For [`FaultReason::NeverConnected`]: substitute or forfeit; with substitute the bot may
    /// still come later.
    pub never_connected: FaultAction,
    /// For [`FaultReason::Flood`]: any action.
    pub flood: FaultAction,
    /// For [`FaultReason::Garbage`]: any action. The stream is lost in any case.
    pub garbage: FaultAction,
    /// Strikes at which a seat forfeits: 1 to 1000.
    pub strikes_to_forfeit: u32,
}

impl Default for FaultPolicy {
    /// Default: two slips are forgiven; a bot that is gone or floods the server forfeits.
    fn default() -> Self {
        Self {
            illegal: FaultAction::Strike,
            late: FaultAction::Strike,
            disconnected: FaultAction::Forfeit,
            never_connected: FaultAction::Forfeit,
            flood: FaultAction::Forfeit,
            garbage: FaultAction::Strike,
            strikes_to_forfeit: 3,
        }
    }
}

impl FaultPolicy {
    /// What a fault of this reason costs, before strikes are counted.
    pub fn action(&self, reason: FaultReason) -> FaultAction {
        match reason {
            FaultReason::Illegal => self.illegal,
            FaultReason::Late => self.late,
            FaultReason::Disconnected => self.disconnected,
            FaultReason::NeverConnected => self.never_connected,
            FaultReason::Flood => self.flood,
            FaultReason::Garbage => self.garbage,
            FaultReason::Resigned => FaultAction::Forfeit,
        }
    }

    /// What a fault of this reason costs a seat with so many strikes. A strike is counted there;
    /// the one that reaches `strikes_to_forfeit` costs a forfeit.
    pub fn cost(&self, reason: FaultReason, strikes: &mut u32) -> FaultAction {
        let action = self.action(reason);
        if action == FaultAction::Strike {
            *strikes += 1;
            if *strikes >= self.strikes_to_forfeit {
                return FaultAction::Forfeit;
            }
        }
        action
    }

    /// Checks that every action is possible for its reason, and the number of strikes.
    pub(crate) fn check(&self) -> Result<(), RulesError> {
        use FaultAction::{Forfeit, Strike, Substitute};
        check_action("faults.late", self.late, &[Strike, Substitute, Forfeit])?;
        check_action(
            "faults.disconnected",
            self.disconnected,
            &[Strike, Substitute, Forfeit],
        )?;
        check_action(
            "faults.never_connected",
            self.never_connected,
            &[Substitute, Forfeit],
        )?;
        check_range(
            "faults.strikes_to_forfeit",
            self.strikes_to_forfeit,
            1,
            MAX_STRIKES,
        )
    }
}

fn check_action(
    field: &'static str,
    action: FaultAction,
    valid: &'static [FaultAction],
) -> Result<(), RulesError> {
    if valid.contains(&action) {
        Ok(())
    } else {
        Err(RulesError::Action {
            field,
            action,
            valid,
        })
    }
}

/// A fault that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What the seat did wrong.
    pub reason: FaultReason,
    /// What it cost: a strike that reaches the limit cost a forfeit.
    pub action: FaultAction,
    /// The request that it concerns; 0 for none.
    pub request_id: u32,
    /// Time since the match started, in ms; 0 before.
    pub at_ms: u64,
    /// Explanation for people.
    pub detail: String,
}

//! Seats' faults and their costs. The house is the server's own player, which decides in place of a
//! bot.

use std::fmt;

use bridgemaster_games::{FieldError, check_range};

/// Maximum number of faults per seat that are recorded and listed in the result. Further faults are
/// only counted, since a seat whose faults cost nothing could otherwise exhaust the memory. The
/// fault that forfeits a seat is always recorded.
pub const MAX_RECORDED_FAULTS: usize = 64;

/// Maximum value of `strikes_to_forfeit` in a policy.
const MAX_STRIKES: u32 = 1000;

/// The reason for a fault. Each fault has exactly one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultReason {
    /// The decision is illegal or malformed, or its index is out of range.
    Illegal,
    /// No legal answer arrived within the time for the decision.
    Late,
    /// The stream was lost. No new stream was opened before the reconnect time or a request's time
    /// ran out, or before the organiser expired the seat.
    Disconnected,
    /// No bot connected before the start-up time ran out, or before the organiser expired the seat.
    NeverConnected,
    /// The bot sent too many useless messages.
    Flood,
    /// The bot sent bytes that are not a protocol message.
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

/// The cost of each kind of fault in a match. A bot that resigns always forfeits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultPolicy {
    /// For [`FaultReason::Illegal`]: any action is valid.
    pub illegal: FaultAction,
    /// For [`FaultReason::Late`]: strike, substitute or forfeit.
    pub late: FaultAction,
    /// For [`FaultReason::Disconnected`]: strike, substitute or forfeit. With strike or substitute,
    /// the house decides until the bot reconnects.
    pub disconnected: FaultAction,
    /// For [`FaultReason::NeverConnected`]: substitute or forfeit. With substitute, the bot can
    /// still connect later.
    pub never_connected: FaultAction,
    /// For [`FaultReason::Flood`]: any action is valid.
    pub flood: FaultAction,
    /// For [`FaultReason::Garbage`]: any action is valid. The stream is closed in any case.
    pub garbage: FaultAction,
    /// The number of strikes at which a seat forfeits: 1 to 1000.
    pub strikes_to_forfeit: u32,
}

impl Default for FaultPolicy {
    /// The default policy tolerates two strikes. A bot that disconnects or floods the server
    /// forfeits.
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
    /// Returns the action configured for a reason, without regard to previous strikes.
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

    /// Returns the cost of a fault, and increments `strikes` if the cost is a strike. The strike
    /// that reaches `strikes_to_forfeit` becomes a forfeit.
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

    /// Checks that every action is allowed for its reason, and that `strikes_to_forfeit` is in
    /// range.
    pub(crate) fn check(&self) -> Result<(), FieldError> {
        use FaultAction::{Forfeit, Strike, Substitute};
        check_action("faults.late", self.late, &[Strike, Substitute, Forfeit])?;
        check_action("faults.disconnected", self.disconnected, &[Strike, Substitute, Forfeit])?;
        check_action("faults.never_connected", self.never_connected, &[Substitute, Forfeit])?;
        check_range("faults.strikes_to_forfeit", self.strikes_to_forfeit, 1..=MAX_STRIKES)
    }
}

fn check_action(
    field: &'static str,
    action: FaultAction,
    valid: &[FaultAction],
) -> Result<(), FieldError> {
    if valid.contains(&action) {
        return Ok(());
    }
    let valid: Vec<String> = valid.iter().map(ToString::to_string).collect();
    let detail = format!("{action} is not allowed; valid: {}", valid.join(", "));
    FieldError::refuse(field, detail)
}

/// A fault that a seat committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason for the fault.
    pub reason: FaultReason,
    /// The cost of the fault. A strike that reached the limit is listed as a forfeit.
    pub action: FaultAction,
    /// The request that the fault concerns; 0 for none.
    pub request_id: u32,
    /// Time since the match started, in ms; 0 before the start.
    pub at_ms: u64,
    /// Explanation in English, for people.
    pub detail: String,
}

/// The cost of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultAction {
    /// The message is rejected and the clock keeps running.
    Refuse,
    /// A strike. The message is also refused as for [`FaultAction::Refuse`] if there is one, and
    /// otherwise the house decides as for [`FaultAction::Substitute`]. The seat forfeits when it
    /// reaches the strike limit.
    Strike,
    /// The house answers this request, or every request until the bot is connected.
    Substitute,
    /// The seat forfeits. The house plays for the seat until the end, and the seat is placed last.
    Forfeit,
}

impl fmt::Display for FaultAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "REFUSE",
            Self::Strike => "STRIKE",
            Self::Substitute => "SUBSTITUTE",
            Self::Forfeit => "FORFEIT",
        })
    }
}

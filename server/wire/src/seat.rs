//! Converts seats and faults to and from messages.

use bridgemaster_proto::v1;
use bridgemaster_referee::{BotIdentity, Fault, FaultAction, FaultReason, SeatInfo, SeatState};

/// Converts a seat and its bot to a message.
pub fn seat_to_wire(info: &SeatInfo) -> v1::SeatInfo {
    let (bot_name, bot_version) = bot_to_wire(info.bot.as_ref());
    v1::SeatInfo {
        seat: info.seat.number().into(),
        state: match info.state {
            SeatState::Vacant => v1::SeatState::Vacant,
            SeatState::Connected => v1::SeatState::Connected,
            SeatState::Paused => v1::SeatState::Paused,
            SeatState::Forfeited => v1::SeatState::Forfeited,
        }
        .into(),
        bot_name,
        bot_version,
        strikes: info.strikes,
        reserved_for: String::new(),
    }
}

/// Returns the name and the version of a bot; both are empty without a bot.
pub(super) fn bot_to_wire(bot: Option<&BotIdentity>) -> (String, String) {
    bot.map(|bot| (bot.name.clone(), bot.version.clone()))
        .unwrap_or_default()
}

pub(super) fn fault_to_wire(fault: &Fault) -> v1::Fault {
    v1::Fault {
        reason: reason_to_wire(Some(fault.reason)).into(),
        action: action_to_wire(fault.action).into(),
        request_id: fault.request_id,
        at_ms: fault.at_ms,
        detail: fault.detail.clone(),
    }
}

/// Converts a fault's reason; `None` becomes the unspecified reason.
pub fn reason_to_wire(reason: Option<FaultReason>) -> v1::FaultReason {
    match reason {
        None => v1::FaultReason::Unspecified,
        Some(FaultReason::Illegal) => v1::FaultReason::Illegal,
        Some(FaultReason::Late) => v1::FaultReason::Late,
        Some(FaultReason::Disconnected) => v1::FaultReason::Disconnected,
        Some(FaultReason::NeverConnected) => v1::FaultReason::NeverConnected,
        Some(FaultReason::Flood) => v1::FaultReason::Flood,
        Some(FaultReason::Garbage) => v1::FaultReason::Garbage,
        Some(FaultReason::Resigned) => v1::FaultReason::Resigned,
    }
}

/// Reads a fault's reason; returns `None` if the reason is unspecified.
pub fn reason_from_wire(reason: v1::FaultReason) -> Option<FaultReason> {
    match reason {
        v1::FaultReason::Unspecified => None,
        v1::FaultReason::Illegal => Some(FaultReason::Illegal),
        v1::FaultReason::Late => Some(FaultReason::Late),
        v1::FaultReason::Disconnected => Some(FaultReason::Disconnected),
        v1::FaultReason::NeverConnected => Some(FaultReason::NeverConnected),
        v1::FaultReason::Flood => Some(FaultReason::Flood),
        v1::FaultReason::Garbage => Some(FaultReason::Garbage),
        v1::FaultReason::Resigned => Some(FaultReason::Resigned),
    }
}

/// Converts the action for a fault to its protocol value.
pub fn action_to_wire(action: FaultAction) -> v1::FaultAction {
    match action {
        FaultAction::Refuse => v1::FaultAction::Refuse,
        FaultAction::Strike => v1::FaultAction::Strike,
        FaultAction::Substitute => v1::FaultAction::Substitute,
        FaultAction::Forfeit => v1::FaultAction::Forfeit,
    }
}

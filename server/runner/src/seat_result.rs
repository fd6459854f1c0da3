//! Converts a seat's result to a row.

use bridgemaster_proto::v1::{FaultReason, SeatResult};

use crate::{FaultRow, SeatRow};

/// Copies the server's result for a seat to the seat's row.
pub(crate) fn fill_seat(seat: &mut SeatRow, result: &SeatResult) {
    let clock = result.clock_use.unwrap_or_default();
    seat.place = result.place;
    seat.place_by_score = result.place_by_score;
    seat.score = result.score;
    seat.forfeit = match result.forfeit() {
        FaultReason::Unspecified => None,
        reason => Some(fault_name(reason).to_owned()),
    };
    seat.fault_count = result.fault_count;
    let faults = result.faults.iter().map(|fault| FaultRow {
        reason: fault_name(fault.reason()).to_owned(),
        action: without_prefix(fault.action().as_str_name(), "FAULT_ACTION_").to_owned(),
        detail: fault.detail.clone(),
        at_ms: fault.at_ms,
    });
    seat.faults = faults.collect();
    seat.answered = clock.answered;
    seat.charged_us = clock.charged_us;
    seat.longest_us = clock.longest_us;
    seat.bank_left_ms = clock.bank_left_ms;
    seat.house_decisions = result.house_decisions;
}

/// Returns the name of a fault reason without its prefix, such as `LATE`.
pub(crate) fn fault_name(reason: FaultReason) -> &'static str {
    without_prefix(reason.as_str_name(), "FAULT_REASON_")
}

fn without_prefix(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}

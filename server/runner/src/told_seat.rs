//! What a server tells of a seat at the end of its match, as a row.

use bridgemaster_proto::v1::{FaultReason, SeatResult};

use crate::{FaultRow, SeatRow};

/// Writes what the server tells of a seat into its row.
pub(crate) fn fill(seat: &mut SeatRow, told: &SeatResult) {
    let clock = told.clock_use.unwrap_or_default();
    seat.place = told.place;
    seat.place_by_score = told.place_by_score;
    seat.score = told.score;
    seat.forfeit = match told.forfeit() {
        FaultReason::Unspecified => None,
        reason => Some(name_of(reason).to_owned()),
    };
    seat.fault_count = told.fault_count;
    let faults = told.faults.iter().map(|fault| FaultRow {
        reason: name_of(fault.reason()).to_owned(),
        action: without_prefix(fault.action().as_str_name(), "FAULT_ACTION_").to_owned(),
        detail: fault.detail.clone(),
        at_ms: fault.at_ms,
    });
    seat.faults = faults.collect();
    seat.answered = clock.answered;
    seat.charged_us = clock.charged_us;
    seat.longest_us = clock.longest_us;
    seat.bank_left_ms = clock.bank_left_ms;
    seat.house_decisions = told.house_decisions;
}

/// The name of a fault without its prefix, such as `LATE`.
pub(crate) fn name_of(reason: FaultReason) -> &'static str {
    without_prefix(reason.as_str_name(), "FAULT_REASON_")
}

fn without_prefix(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}

//! Converts match results to messages.

use bridgemaster_proto::v1;
use bridgemaster_referee::{ClockUse, MatchResult};

use super::seat::{bot_to_wire, fault_to_wire, reason_to_wire};

/// Converts a match result to a message.
pub fn result_to_wire(match_id: &str, result: &MatchResult) -> v1::MatchResult {
    v1::MatchResult {
        match_id: match_id.to_owned(),
        seats: result
            .seats
            .iter()
            .map(|seat| {
                let (bot_name, bot_version) = bot_to_wire(seat.bot.as_ref());
                v1::SeatResult {
                    seat: seat.seat.number().into(),
                    place: seat.place.into(),
                    place_by_score: seat.place_by_score.into(),
                    score: seat.score,
                    breakdown: seat
                        .breakdown
                        .iter()
                        .map(|line| v1::ScoreLine {
                            category: line.category.to_owned(),
                            points: line.points,
                        })
                        .collect(),
                    bot_name,
                    bot_version,
                    forfeit: reason_to_wire(seat.forfeit).into(),
                    faults: seat.faults.iter().map(fault_to_wire).collect(),
                    fault_count: seat.fault_count,
                    clock_use: Some(clock_use_to_wire(&seat.clock_use)),
                    forced_decisions: seat.forced_decisions,
                    house_decisions: seat.house_decisions,
                }
            })
            .collect(),
        decisions: result.decisions,
        duration_ms: result.duration_ms,
        referee_lag_us: result.referee_lag_us,
        longest_referee_lag_us: result.longest_referee_lag_us,
        spoiled_by_referee: result.spoiled_by_referee,
    }
}

/// Reads a seat's clock use in a result, without checking it.
pub fn clock_use_from_wire(clock: &v1::ClockUse) -> ClockUse {
    ClockUse {
        answered: clock.answered,
        charged_us: clock.charged_us,
        longest_us: clock.longest_us,
        bank_left_ms: clock.bank_left_ms,
        credit_us: clock.credit_us,
        referee_lag_us: clock.referee_lag_us,
        longest_referee_lag_us: clock.longest_referee_lag_us,
    }
}

fn clock_use_to_wire(clock: &ClockUse) -> v1::ClockUse {
    v1::ClockUse {
        answered: clock.answered,
        charged_us: clock.charged_us,
        longest_us: clock.longest_us,
        bank_left_ms: clock.bank_left_ms,
        credit_us: clock.credit_us,
        referee_lag_us: clock.referee_lag_us,
        longest_referee_lag_us: clock.longest_referee_lag_us,
    }
}

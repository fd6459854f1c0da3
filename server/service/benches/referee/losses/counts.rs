//! Counts the events in a set of matches.

use std::iter::Sum;

use bridgemaster_proto::v1::{FaultReason, MatchResult};
use serde::{Deserialize, Serialize};

use crate::load::SlowAnswers;

/// Counts over a set of matches.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct MatchCounts {
    matches: u32,
    decisions: u64,
    /// Late decisions by bots that answered promptly according to their own clocks.
    late: u32,
    /// Late decisions by bots that were slow.
    late_by_slow_bot: u32,
    other_faults: u32,
    spoiled: u32,
    longest_charge_us: u64,
    longest_lag_us: u64,
}

impl MatchCounts {
    /// Counts a match, with the slow answers of its bots in seat order.
    pub(super) fn count(&mut self, result: &MatchResult, slow: &[SlowAnswers]) {
        self.matches += 1;
        self.decisions += u64::from(result.decisions);
        self.spoiled += u32::from(result.spoiled_by_referee);
        for (seat, slow) in result.seats.iter().zip(slow) {
            for fault in &seat.faults {
                match fault.reason() {
                    FaultReason::Late if slow.contains(&fault.request_id) => {
                        self.late_by_slow_bot += 1;
                    }
                    FaultReason::Late => self.late += 1,
                    _ => self.other_faults += 1,
                }
            }
            let clock = seat.clock_use.unwrap_or_default();
            self.longest_charge_us = self.longest_charge_us.max(clock.longest_us);
            self.longest_lag_us = self.longest_lag_us.max(clock.longest_referee_lag_us);
        }
    }

    /// Returns whether exactly `matches` matches were played, without a late decision of a prompt
    /// bot, another fault or a spoiled match.
    pub(super) fn is_lossless_of(&self, matches: u32) -> bool {
        self.matches == matches && self.late + self.other_faults + self.spoiled == 0
    }

    /// Prints all counts with the prefix `name`.
    pub(super) fn print(&self, name: &str) {
        println!("{name}.matches {} 1", self.matches);
        println!("{name}.decisions {} 1", self.decisions);
        println!("{name}.late {} 1", self.late);
        println!("{name}.late_by_slow_bot {} 1", self.late_by_slow_bot);
        println!("{name}.other_faults {} 1", self.other_faults);
        println!("{name}.spoiled {} 1", self.spoiled);
        println!("{name}.longest_charge {} us", self.longest_charge_us);
        println!("{name}.longest_referee_lag {} us", self.longest_lag_us);
    }
}

impl Sum for MatchCounts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |one, other| Self {
            matches: one.matches + other.matches,
            decisions: one.decisions + other.decisions,
            late: one.late + other.late,
            late_by_slow_bot: one.late_by_slow_bot + other.late_by_slow_bot,
            other_faults: one.other_faults + other.other_faults,
            spoiled: one.spoiled + other.spoiled,
            longest_charge_us: one.longest_charge_us.max(other.longest_charge_us),
            longest_lag_us: one.longest_lag_us.max(other.longest_lag_us),
        })
    }
}

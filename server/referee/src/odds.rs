//! Time odds: seats whose clock differs from that of the match.

use bridgemaster_games::{Seat, SeatCount};

use crate::{ClockRules, RulesError, rules_error::check_range};

/// The fields that differ, in the rules of a match.
const ODDS_FIELDS: [&str; 3] = [
    "seat_clocks.odds.bank_ms",
    "seat_clocks.odds.increment_ms",
    "seat_clocks.odds.cap_ms",
];

/// How the clock of one seat differs from that of the match; what is `None` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOdds {
    /// The seat.
    pub seat: Seat,
    /// As [`ClockRules::bank_ms`].
    pub bank_ms: Option<u32>,
    /// As [`ClockRules::increment_ms`].
    pub increment_ms: Option<u32>,
    /// As [`ClockRules::cap_ms`].
    pub cap_ms: Option<u32>,
}

impl SeatOdds {
    /// The time rules of the seat in a match that has these.
    pub(crate) fn applied_to(&self, clock: &ClockRules) -> ClockRules {
        ClockRules {
            bank_ms: self.bank_ms.unwrap_or(clock.bank_ms),
            increment_ms: self.increment_ms.unwrap_or(clock.increment_ms),
            cap_ms: self.cap_ms.unwrap_or(clock.cap_ms),
            ..*clock
        }
    }
}

/// Checks that each entry is of a seat of its own, and has no number out of its range.
pub(crate) fn check(
    odds: &[SeatOdds],
    seats: SeatCount,
    clock: &ClockRules,
) -> Result<(), RulesError> {
    for (number, entry) in odds.iter().enumerate() {
        let last = u32::from(seats.get() - 1);
        check_range("seat_clocks.seat", entry.seat.number().into(), 0, last)?;
        if odds[..number].iter().any(|other| other.seat == entry.seat) {
            return Err(RulesError::SeatTwice(entry.seat));
        }
        entry.applied_to(clock).check_seat(&ODDS_FIELDS)?;
    }
    Ok(())
}

//! Time odds: seats whose clock settings differ from the match's.

use bridgemaster_games::{Seat, SeatCount};

use crate::{ClockRules, RulesError, rules_error::check_range};

/// Paths of the fields, relative to a match's rules.
const ODDS_FIELDS: [&str; 3] = [
    "seat_clocks.odds.bank_ms",
    "seat_clocks.odds.increment_ms",
    "seat_clocks.odds.cap_ms",
];

/// One seat's clock settings. For a setting that is `None`, the match's setting applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOdds {
    /// The seat that has these settings.
    pub seat: Seat,
    /// Overrides [`ClockRules::bank_ms`].
    pub bank_ms: Option<u32>,
    /// Overrides [`ClockRules::increment_ms`].
    pub increment_ms: Option<u32>,
    /// Overrides [`ClockRules::cap_ms`].
    pub cap_ms: Option<u32>,
}

impl SeatOdds {
    /// Returns the seat's clock rules in a match with these rules.
    pub(crate) fn applied_to(&self, clock: &ClockRules) -> ClockRules {
        ClockRules {
            bank_ms: self.bank_ms.unwrap_or(clock.bank_ms),
            increment_ms: self.increment_ms.unwrap_or(clock.increment_ms),
            cap_ms: self.cap_ms.unwrap_or(clock.cap_ms),
            ..*clock
        }
    }
}

/// Checks that no seat has two entries, and that every value is in range.
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

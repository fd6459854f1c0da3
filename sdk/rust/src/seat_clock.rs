//! A seat's time control.

use bridgemaster_proto::v1::{ClockRules, MatchConfig};

/// Returns a seat's effective time control: the match's `clock`, overridden by the seat's entry in
/// `seat_clocks`. MatchStarted contains the config, so every bot can compute every seat's time
/// control.
///
/// ```
/// use bridgemaster_sdk::{seat_clock, v1::{ClockRules, MatchConfig, SeatClock, TimeOdds}};
///
/// let config = MatchConfig {
///     clock: Some(ClockRules { bank_ms: Some(60_000), cap_ms: Some(10_000), ..ClockRules::default() }),
///     seat_clocks: vec![SeatClock {
///         seat: 1,
///         odds: Some(TimeOdds { bank_ms: Some(5_000), ..TimeOdds::default() }),
///     }],
///     ..MatchConfig::default()
/// };
/// assert_eq!(seat_clock(&config, 0).bank_ms, Some(60_000));
/// assert_eq!(seat_clock(&config, 1).bank_ms, Some(5_000));
/// assert_eq!(seat_clock(&config, 1).cap_ms, Some(10_000));
/// ```
#[must_use]
pub fn seat_clock(config: &MatchConfig, seat: u32) -> ClockRules {
    let clock = config.clock.unwrap_or_default();
    let entry = config.seat_clocks.iter().find(|entry| entry.seat == seat);
    let odds = entry.and_then(|entry| entry.odds).unwrap_or_default();
    ClockRules {
        bank_ms: odds.bank_ms.or(clock.bank_ms),
        increment_ms: odds.increment_ms.or(clock.increment_ms),
        cap_ms: odds.cap_ms.or(clock.cap_ms),
        ..clock
    }
}

//! A decision request and its clock.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{self, ClockRules, MatchConfig};

/// A decision request. Dereferences to [`v1::DecisionRequest`]: `request.game` contains the seat's
/// observation, its legal decisions, and the events since its previous request.
/// `request.legal_count` is the number of legal decisions.
///
/// Every request is complete: no earlier request is needed to answer it.
#[derive(Clone, Debug)]
pub struct Request {
    message: v1::DecisionRequest,
    seat: u32,
    received: Instant,
    cancelled: Arc<AtomicBool>,
}

impl Request {
    /// Creates a request to `seat` that arrived at `received`. Intended for testing bots. In a
    /// match, the SDK creates the requests.
    pub fn new(message: v1::DecisionRequest, seat: u32, received: Instant) -> Self {
        Self { message, seat, received, cancelled: Arc::default() }
    }

    /// Returns whether the answer is no longer needed: the match has ended, or the server has
    /// replaced the request. A long computation should check this, and return any choice.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the seat that decides, from 0.
    pub fn seat(&self) -> u32 {
        self.seat
    }

    /// Returns the seat's clock. It counts down from the time when the request was received.
    pub fn clock(&self) -> ClockView {
        ClockView {
            at_receipt: self.message.clock.unwrap_or_default(),
            received: self.received,
            cancelled: Arc::clone(&self.cancelled),
        }
    }
}

impl Deref for Request {
    type Target = v1::DecisionRequest;

    fn deref(&self) -> &v1::DecisionRequest {
        &self.message
    }
}

/// A seat's clock while the seat decides.
///
/// The clock starts when the request is received, so it does not include the network time in either
/// direction. The server credits the measured round trip, up to the limit in the match's
/// [`v1::ClockRules`].
#[derive(Clone, Debug)]
pub struct ClockView {
    at_receipt: v1::Clock,
    received: Instant,
    cancelled: Arc<AtomicBool>,
}

impl ClockView {
    /// Returns whether the answer is no longer needed; see [`Request::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the time since the request was received.
    pub fn used(&self) -> Duration {
        self.received.elapsed()
    }

    /// Returns the time left for this decision; zero after the deadline.
    pub fn decision_left(&self) -> Duration {
        time_left(self.at_receipt.decision_left_ms, self.used())
    }

    /// Returns the time left in the seat's time bank; zero if the bank is empty.
    pub fn bank_left(&self) -> Duration {
        time_left(self.at_receipt.bank_left_ms, self.used())
    }

    /// Returns the time charged for the seat's previous answer, and how it was computed; `None`
    /// before the first answer.
    pub fn last_charge(&self) -> Option<v1::Charge> {
        self.at_receipt.last_charge
    }
}

fn time_left(at_receipt_ms: u32, used: Duration) -> Duration {
    Duration::from_millis(at_receipt_ms.into()).saturating_sub(used)
}

/// Returns a seat's clock: the match's `clock`, with the time control of the seat's entry in
/// `seat_clocks`, if it has one. MatchStarted contains the config, so every bot knows every seat's
/// time control.
///
/// ```
/// use bridgemaster_sdk::{seat_clock, v1::{ClockRules, MatchConfig, SeatClock, TimeControl}};
///
/// let of_match = Some(TimeControl::fischer(60_000, 500, 10_000));
/// let of_seat = Some(TimeControl::fischer(5_000, 0, 10_000));
/// let config = MatchConfig {
///     clock: Some(ClockRules { time_control: of_match, ..ClockRules::default() }),
///     seat_clocks: vec![SeatClock { seat: 1, time_control: of_seat }],
///     ..MatchConfig::default()
/// };
/// assert_eq!(seat_clock(&config, 0).time_control, of_match);
/// assert_eq!(seat_clock(&config, 1).time_control, of_seat);
/// ```
#[must_use]
pub fn seat_clock(config: &MatchConfig, seat: u32) -> ClockRules {
    let clock = config.clock.unwrap_or_default();
    let entry = config.seat_clocks.iter().find(|entry| entry.seat == seat);
    ClockRules {
        time_control: entry.map_or(clock.time_control, |entry| entry.time_control),
        ..clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received_before(age: Duration) -> Request {
        let clock = v1::Clock { bank_left_ms: 60_000, decision_left_ms: 5_000, last_charge: None };
        let message = v1::DecisionRequest { clock: Some(clock), ..Default::default() };
        Request::new(message, 0, Instant::now() - age)
    }

    #[test]
    fn the_clock_counts_down_from_the_receipt() {
        let clock = received_before(Duration::from_secs(2)).clock();
        assert!(clock.decision_left() <= Duration::from_secs(3));
        assert!(clock.bank_left() <= Duration::from_secs(58));
        assert!(clock.bank_left() > Duration::from_secs(30));
    }

    #[test]
    fn a_clock_that_ran_out_shows_zero() {
        let clock = received_before(Duration::from_secs(6)).clock();
        assert_eq!(clock.decision_left(), Duration::ZERO);
        assert!(clock.bank_left() > Duration::from_secs(30));
    }
}

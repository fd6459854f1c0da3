//! A request as a bot sees it, with its clock.

use std::{
    ops::Deref,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1;

/// A decision request. All fields of [`v1::DecisionRequest`] can be read through it:
/// `request.game` has what the seat knows, what it may do, and what happened since it was asked
/// last; `request.legal_count` is the length of the list of legal decisions.
///
/// A request is complete: no earlier one is needed to answer it well.
#[derive(Clone, Debug)]
pub struct Request {
    message: v1::DecisionRequest,
    seat: u32,
    received: Instant,
}

impl Request {
    /// A request to `seat` that was received at a moment. The SDK makes these; a test of a bot can too.
    pub fn new(message: v1::DecisionRequest, seat: u32, received: Instant) -> Self {
        Self {
            message,
            seat,
            received,
        }
    }

    /// The seat that is asked, from 0.
    pub fn seat(&self) -> u32 {
        self.seat
    }

    /// The clock of the seat, counting down from the moment when the request was received.
    pub fn clock(&self) -> ClockView {
        ClockView {
            at_receipt: self.message.clock.unwrap_or_default(),
            received: self.received,
        }
    }
}

impl Deref for Request {
    type Target = v1::DecisionRequest;

    fn deref(&self) -> &v1::DecisionRequest {
        &self.message
    }
}

/// The clock of a seat while it decides.
///
/// It counts from the receipt of the request, so it leaves out network time in both directions. The
/// server credits the measured round trip, up to the limit in the match's [`v1::ClockRules`].
#[derive(Clone, Copy, Debug)]
pub struct ClockView {
    at_receipt: v1::Clock,
    received: Instant,
}

impl ClockView {
    /// Time since the request was received.
    pub fn used(&self) -> Duration {
        self.received.elapsed()
    }

    /// Time left for this decision, now; zero when it is late.
    pub fn decision_left(&self) -> Duration {
        left(self.at_receipt.decision_left_ms, self.used())
    }

    /// Time left in the bank, now; zero when it is empty.
    pub fn bank_left(&self) -> Duration {
        left(self.at_receipt.bank_left_ms, self.used())
    }

    /// What the previous answer of this seat was charged, and how the charge was computed; `None`
    /// before the first.
    pub fn last_charge(&self) -> Option<v1::Charge> {
        self.at_receipt.last_charge
    }
}

fn left(at_receipt_ms: u32, used: Duration) -> Duration {
    Duration::from_millis(at_receipt_ms.into()).saturating_sub(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received_before(age: Duration) -> Request {
        let clock = v1::Clock {
            bank_left_ms: 60_000,
            decision_left_ms: 5_000,
            last_charge: None,
        };
        let message = v1::DecisionRequest {
            clock: Some(clock),
            ..Default::default()
        };
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

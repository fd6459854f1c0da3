//! Reconstruction of clock banks from the records.

use bridgemaster_games::SeatSet;
use bridgemaster_proto::v1::{DecidedBy, DecisionRecord};
use bridgemaster_referee::{MAX_BANK_MS, TimeControl};

/// The time in each seat's bank.
///
/// The record of a house decision has no charge. For such a decision, the time since the seat began
/// to owe it is charged, up to the limit for one decision. For a request that timed out, this is
/// exact.
pub(super) struct Banks {
    seats: Vec<Bank>,
}

struct Bank {
    left_us: u64,
    control: TimeControl,
    /// The time at which the seat began to owe a decision, in ms; `None` if the seat owes no
    /// decision.
    pending_since_ms: Option<u64>,
}

impl Banks {
    /// Creates full banks, according to each seat's time control.
    pub(super) fn new(controls: impl Iterator<Item = TimeControl>) -> Self {
        let full = controls.map(|control| Bank {
            left_us: u64::from(control.bank_ms()) * 1000,
            control,
            pending_since_ms: None,
        });
        Self { seats: full.collect() }
    }

    /// Sets the seats that owe a decision from this time on.
    pub(super) fn set_seats_to_decide(&mut self, seats_to_decide: SeatSet, at_ms: u64) {
        let seats = self.seats.iter_mut();
        for (number, bank) in seats.enumerate() {
            let owes = seats_to_decide.iter().any(|seat| seat.index() == number);
            bank.pending_since_ms = match bank.pending_since_ms {
                _ if !owes => None,
                None => Some(at_ms),
                since => since,
            };
        }
    }

    /// Charges a seat for a decision.
    pub(super) fn record_decision(&mut self, seat: usize, record: &DecisionRecord, at_ms: u64) {
        let Some(bank) = self.seats.get_mut(seat) else {
            return;
        };
        let since_ms = bank.pending_since_ms.take().unwrap_or(at_ms);
        match (record.decided_by(), &record.charge) {
            (DecidedBy::Bot, Some(charge)) => {
                let left_us = bank.left_us.saturating_sub(charge.charged_us);
                let increment_us = u64::from(bank.control.increment_ms()) * 1000;
                bank.left_us = (left_us + increment_us).min(u64::from(MAX_BANK_MS) * 1000);
            }
            (DecidedBy::House, _) if record.request_id != 0 => {
                let waited_us = at_ms.saturating_sub(since_ms).saturating_mul(1000);
                let thinking_us = waited_us.min(bank.control.limit_us(bank.left_us));
                bank.left_us -= bank.control.charged_us(thinking_us);
            }
            _ => {}
        }
    }

    /// Each seat's time left, in ms, in seat order.
    pub(super) fn left_ms(&self) -> Vec<u32> {
        let left = self.seats.iter().map(|bank| bank.left_us / 1000);
        left.map(|ms| u32::try_from(ms).unwrap_or(u32::MAX)).collect()
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::Seat;

    use super::*;

    #[test]
    fn a_late_request_costs_its_time_without_the_delay() {
        let control: TimeControl = "60+0.5d0.2/10".parse().unwrap();
        let mut banks = Banks::new([control].into_iter());
        let late = DecisionRecord {
            request_id: 1,
            decided_by: DecidedBy::House.into(),
            ..DecisionRecord::default()
        };
        let seat = Seat::new(0).unwrap();
        // At most the cap counts, and the house earns no increment.
        for (waited_ms, left_ms) in [(100, 60_000), (5_000, 55_200), (30_000, 45_400)] {
            banks.set_seats_to_decide(SeatSet::one(seat), 1_000);
            banks.record_decision(0, &late, 1_000 + waited_ms);
            assert_eq!(banks.left_ms(), [left_ms], "{waited_ms}");
        }
    }
}

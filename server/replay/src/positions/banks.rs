//! Time in the banks, as records tell it.

use bridgemaster_games::SeatSet;
use bridgemaster_proto::v1::{DecidedBy, DecisionRecord};
use bridgemaster_referee::{ClockRules, MAX_BANK_MS};

/// Time in the bank of each seat.
///
/// A request that the house answered has no charge in its record: the time since the seat owed the
/// decision is taken for it, the time for the decision at most. That is the whole of a request
/// that ran out.
pub(super) struct Banks {
    seats: Vec<Bank>,
}

struct Bank {
    left_us: u64,
    increment_us: u64,
    cap_us: u64,
    /// Since when the seat owes a decision, if it does.
    owing_since_ms: Option<u64>,
}

impl Banks {
    /// Full banks, by the time rules of each seat.
    pub(super) fn new(clocks: impl Iterator<Item = ClockRules>) -> Self {
        let us = |ms: u32| u64::from(ms) * 1000;
        let full = clocks.map(|rules| Bank {
            left_us: us(rules.bank_ms),
            increment_us: us(rules.increment_ms),
            cap_us: us(rules.cap_ms),
            owing_since_ms: None,
        });
        Self {
            seats: full.collect(),
        }
    }

    /// These seats owe a decision at this time.
    pub(super) fn owe(&mut self, owing: SeatSet, at_ms: u64) {
        let seats = self.seats.iter_mut();
        for (number, bank) in seats.enumerate() {
            let owes = owing.iter().any(|seat| seat.index() == number);
            bank.owing_since_ms = match bank.owing_since_ms {
                _ if !owes => None,
                None => Some(at_ms),
                since => since,
            };
        }
    }

    /// The seat of this place decided.
    pub(super) fn decided(&mut self, seat: usize, record: &DecisionRecord, at_ms: u64) {
        let Some(bank) = self.seats.get_mut(seat) else {
            return;
        };
        let since_ms = bank.owing_since_ms.take().unwrap_or(at_ms);
        match (record.decided_by(), &record.charge) {
            (DecidedBy::Bot, Some(charge)) => {
                let left_us = bank.left_us.saturating_sub(charge.charged_us);
                bank.left_us = (left_us + bank.increment_us).min(u64::from(MAX_BANK_MS) * 1000);
            }
            (DecidedBy::House, _) if record.request_id != 0 => {
                let waited_us = at_ms.saturating_sub(since_ms).saturating_mul(1000);
                bank.left_us = bank.left_us.saturating_sub(waited_us.min(bank.cap_us));
            }
            _ => {}
        }
    }

    /// What is left, in ms, in seat order.
    pub(super) fn left_ms(&self) -> Vec<u32> {
        let left = self.seats.iter().map(|bank| bank.left_us / 1000);
        left.map(|ms| u32::try_from(ms).unwrap_or(u32::MAX))
            .collect()
    }
}

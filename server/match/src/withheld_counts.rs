//! Metrics that are withheld for as long as they would reveal whether a seat has decided.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{DecisionRecord, Fault};

use crate::{CountedEvent, Effect};

/// The decisions and faults made while it is secret which seats have decided. Their number is
/// small, because secret phases are short and the recorded faults of a seat are limited.
#[derive(Debug, Default)]
pub(crate) struct WithheldCounts(Vec<CountedEvent>);

impl WithheldCounts {
    /// Adds a decision made at this time since the start of the match.
    pub(crate) fn add_decision<G: Game>(&mut self, record: &DecisionRecord<G>, at_ms: u64) {
        self.0.push(CountedEvent::Decision {
            seat: record.seat,
            by: record.decided_by,
            charge: record.charge,
            at_ms,
        });
    }

    pub(crate) fn add_fault(&mut self, seat: Seat, fault: &Fault) {
        let fault = fault.clone();
        self.0.push(CountedEvent::Fault { seat, fault });
    }

    /// Emits all withheld events to the metrics.
    pub(crate) fn release(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.0.drain(..).map(Effect::Count));
    }
}

//! Decisions and faults that are not counted yet: a count would tell that a seat has decided, or has
//! not, while that is secret.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{DecisionRecord, Fault};

use crate::{Counted, Effect};

/// Decisions and faults since the last moment at which it was public who had decided. There are
/// few: a game ends a secret phase, and a seat's faults are recorded up to a limit.
#[derive(Debug, Default)]
pub(crate) struct HeldBack(Vec<Counted>);

impl HeldBack {
    /// A decision, at this time since the match started.
    pub(crate) fn decision<G: Game>(&mut self, record: &DecisionRecord<G>, at_ms: u64) {
        self.0.push(Counted::Decision {
            seat: record.seat,
            by: record.decided_by,
            charge: record.charge,
            at_ms,
        });
    }

    pub(crate) fn fault(&mut self, seat: Seat, fault: &Fault) {
        let fault = fault.clone();
        self.0.push(Counted::Fault { seat, fault });
    }

    /// Lets all of them be counted.
    pub(crate) fn release(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.0.drain(..).map(Effect::Count));
    }
}

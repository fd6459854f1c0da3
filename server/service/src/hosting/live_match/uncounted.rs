//! Decisions and faults that the metrics do not count yet: a count would tell that a seat has
//! decided, or has not, while that is secret.

use bridgemaster_games::Game;
use bridgemaster_referee::{Charge, DecidedBy, DecisionRecord, Fault};

use crate::metrics::{GameMetrics, Metrics};

/// Decisions and faults since the last moment at which it was public who had decided. There are
/// few: a game ends a secret phase, and a seat's faults are recorded up to a limit.
#[derive(Default)]
pub(super) struct Uncounted {
    decisions: Vec<(DecidedBy, Option<Charge>)>,
    faults: Vec<Fault>,
}

impl Uncounted {
    pub(super) fn decision<G: Game>(&mut self, record: &DecisionRecord<G>) {
        self.decisions.push((record.decided_by, record.charge));
    }

    pub(super) fn fault(&mut self, fault: &Fault) {
        self.faults.push(fault.clone());
    }

    /// Counts all of them.
    pub(super) fn count(&mut self, game: &GameMetrics, all: &Metrics) {
        for (decided_by, charge) in self.decisions.drain(..) {
            game.decided(decided_by, charge.as_ref());
        }
        for fault in self.faults.drain(..) {
            all.fault(&fault);
        }
    }
}

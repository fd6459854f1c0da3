//! Decisions and faults that are not counted yet: a count would tell that a seat has decided, or has
//! not, while that is secret.

use bridgemaster_games::Game;
use bridgemaster_referee::{DecisionRecord, Fault};

use crate::{Counted, Effect};

/// Decisions and faults since the last moment at which it was public who had decided. There are
/// few: a game ends a secret phase, and a seat's faults are recorded up to a limit.
#[derive(Debug, Default)]
pub(crate) struct HeldBack(Vec<Counted>);

impl HeldBack {
    pub(crate) fn decision<G: Game>(&mut self, record: &DecisionRecord<G>) {
        self.0.push(Counted::Decision {
            by: record.decided_by,
            charge: record.charge,
        });
    }

    pub(crate) fn fault(&mut self, fault: &Fault) {
        self.0.push(Counted::Fault(fault.clone()));
    }

    /// Lets all of them be counted.
    pub(crate) fn release(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.0.drain(..).map(Effect::Count));
    }
}

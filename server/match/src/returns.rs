//! Which bots came back after the server was started again, and whether one never did.
//!
//! A bot that does not come back may have given the server up, or lost its own machine with it: a
//! fault that it commits so is not known to be its own. All of this follows from the inputs of the
//! match, so a server that is started once more knows it again.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{FaultReason, Input, Output, RecordEntry};

/// What an input says of who is there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// The server was started again: nobody is there.
    Restarted,
    /// The bot of a seat is there.
    Came(Seat),
    Nothing,
}

impl Told {
    pub(crate) fn by<G: Game>(input: &Input<G>) -> Self {
        match input {
            Input::Restarted => Self::Restarted,
            Input::Connected { seat, .. } => Self::Came(*seat),
            _ => Self::Nothing,
        }
    }
}

/// Who is awaited since the server was started again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returns {
    /// By seat: its bot has not come since then. Empty if there was no such start.
    awaited: Vec<bool>,
    /// The first seat whose bot was given up while it was awaited.
    lost: Option<Seat>,
}

impl Returns {
    /// Takes in an input of a match of so many `seats`, and what the referee said to it. What had
    /// run out by then comes first: it was before the input.
    pub(crate) fn take<G: Game>(&mut self, told: Told, seats: usize, outputs: &[Output<G>]) {
        for output in outputs {
            if let Output::Record(record) = output
                && let RecordEntry::Fault { seat, fault } = &record.entry
                && matches!(
                    fault.reason,
                    FaultReason::Disconnected | FaultReason::NeverConnected
                )
                && self.is_awaited(*seat)
            {
                self.lost.get_or_insert(*seat);
            }
        }
        match told {
            Told::Restarted => self.awaited = vec![true; seats],
            Told::Came(seat) => {
                if let Some(awaited) = self.awaited.get_mut(seat.index()) {
                    *awaited = false;
                }
            }
            Told::Nothing => {}
        }
    }

    /// The first seat whose bot did not come back after the server was started again, until it was
    /// given up.
    pub(crate) fn lost(&self) -> Option<Seat> {
        self.lost
    }

    fn is_awaited(&self, seat: Seat) -> bool {
        self.awaited.get(seat.index()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

//! Tracks which bots have reconnected after a restart of the server.
//!
//! A bot that does not reconnect might have crashed together with the server or stopped retrying,
//! so the server might have caused its absence. The tracker depends only on the inputs of the
//! match, so a recovered match has the same state.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{FaultReason, Input, Output, RecordEntry};

/// An input's effect on the presence of bots.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presence {
    /// The server was restarted: no bot is connected.
    Restarted,
    /// A seat's bot connected.
    Connected(Seat),
    Unchanged,
}

impl Presence {
    pub(crate) fn from_input<G: Game>(input: &Input<G>) -> Self {
        match input {
            Input::Restarted => Self::Restarted,
            Input::Connected { seat, .. } => Self::Connected(*seat),
            _ => Self::Unchanged,
        }
    }
}

/// The bots that have not reconnected since the last restart.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReturnTracker {
    /// For each seat, true until its bot has connected after the restart. Empty if there was no
    /// restart.
    awaited: Vec<bool>,
    /// The first awaited seat whose bot's absence was a fault.
    lost: Option<Seat>,
}

impl ReturnTracker {
    /// Records an input and the resulting outputs. Expired deadlines are handled first, so faults
    /// in the outputs occurred before the input.
    pub(crate) fn take<G: Game>(
        &mut self,
        presence: Presence,
        seats: usize,
        outputs: &[Output<G>],
    ) {
        for output in outputs {
            if let Output::Record(record) = output
                && let RecordEntry::Fault { seat, fault } = &record.entry
                && matches!(fault.reason, FaultReason::Disconnected | FaultReason::NeverConnected)
                && self.is_awaited(*seat)
            {
                self.lost.get_or_insert(*seat);
            }
        }
        match presence {
            Presence::Restarted => self.awaited = vec![true; seats],
            Presence::Connected(seat) => {
                if let Some(awaited) = self.awaited.get_mut(seat.index()) {
                    *awaited = false;
                }
            }
            Presence::Unchanged => {}
        }
    }

    /// The first seat whose bot did not reconnect in time after a restart; `None` if every bot did.
    pub(crate) fn lost(&self) -> Option<Seat> {
        self.lost
    }

    fn is_awaited(&self, seat: Seat) -> bool {
        self.awaited.get(seat.index()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

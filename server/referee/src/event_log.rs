//! The public events of a match that some seat has not been told yet.

use bridgemaster_games::MAX_SEATS;

/// Told events are dropped from this many on, so that dropping costs little an event.
const DROP_FROM: usize = 64;

/// One log for all seats, with a mark for each up to where it was told.
#[derive(Debug)]
pub(crate) struct EventLog<E> {
    events: Vec<E>,
    told: [usize; MAX_SEATS],
    seats: usize,
}

impl<E: Clone> EventLog<E> {
    /// A log of the events before the first decision, told to nobody yet.
    pub(crate) fn new(opening: Vec<E>, seats: usize) -> Self {
        Self {
            events: opening,
            told: [0; MAX_SEATS],
            seats,
        }
    }

    /// Lets `add` push events, and gives what it pushed. When `add` fails nothing stays.
    pub(crate) fn record<X>(
        &mut self,
        add: impl FnOnce(&mut Vec<E>) -> Result<(), X>,
    ) -> Result<Vec<E>, X> {
        let before = self.events.len();
        match add(&mut self.events) {
            Ok(()) => Ok(self.events[before..].to_vec()),
            Err(error) => {
                self.events.truncate(before);
                Err(error)
            }
        }
    }

    /// Puts what the seat of this index was not told yet into `list`, which is empty.
    pub(crate) fn tell(&mut self, seat: usize, list: &mut Vec<E>) {
        list.extend_from_slice(&self.events[self.told[seat]..]);
        self.told[seat] = self.events.len();
        self.drop_told();
    }

    /// The seat will not be told anything any more.
    pub(crate) fn leave(&mut self, seat: usize) {
        self.told[seat] = usize::MAX;
    }

    fn drop_told(&mut self) {
        let told = &mut self.told[..self.seats];
        let by_all = told
            .iter()
            .copied()
            .min()
            .unwrap_or(0)
            .min(self.events.len());
        if by_all >= DROP_FROM {
            self.events.drain(..by_all);
            for mark in told.iter_mut().filter(|mark| **mark != usize::MAX) {
                *mark -= by_all;
            }
        }
    }
}

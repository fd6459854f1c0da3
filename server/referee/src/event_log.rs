//! The log of public events that have not been sent to every seat yet.

use bridgemaster_games::MAX_SEATS;

/// Delivered events are dropped in batches of at least this size, which keeps the cost per event
/// low.
const MIN_DROP: usize = 64;

/// An event log that all seats share. For each seat, it stores the number of delivered events.
#[derive(Debug)]
pub(crate) struct EventLog<E> {
    events: Vec<E>,
    delivered: [usize; MAX_SEATS],
    seats: usize,
}

impl<E: Clone> EventLog<E> {
    /// Creates a log that starts with the setup's events.
    pub(crate) fn new(opening: Vec<E>, seats: usize) -> Self {
        Self { events: opening, delivered: [0; MAX_SEATS], seats }
    }

    /// Calls `add` to push events, and returns the new events. Discards them if `add` fails.
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

    /// Appends the events that a seat has not received yet to `list`, and marks them as delivered.
    pub(crate) fn deliver_to(&mut self, seat: usize, list: &mut Vec<E>) {
        list.extend_from_slice(&self.events[self.delivered[seat]..]);
        self.delivered[seat] = self.events.len();
        self.drop_delivered();
    }

    /// Records that a seat receives no more events.
    pub(crate) fn remove_seat(&mut self, seat: usize) {
        self.delivered[seat] = usize::MAX;
    }

    fn drop_delivered(&mut self) {
        let delivered = &mut self.delivered[..self.seats];
        let delivered_to_all = delivered.iter().copied().min().unwrap_or(0).min(self.events.len());
        if delivered_to_all >= MIN_DROP {
            self.events.drain(..delivered_to_all);
            for mark in delivered.iter_mut().filter(|mark| **mark != usize::MAX) {
                *mark -= delivered_to_all;
            }
        }
    }
}

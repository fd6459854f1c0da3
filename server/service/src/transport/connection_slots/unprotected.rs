//! The connections that are not protected, in the order in which they are evicted.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use crate::transport::Origin;

#[derive(Default)]
pub(super) struct Unprotected {
    by_origin: HashMap<Origin, AddressQueues>,
    /// Addresses, by the number of their unprotected connections, and then by the age of the oldest
    /// such connection.
    largest: BTreeMap<(usize, Reverse<u64>), Origin>,
}

/// The unprotected connections from one address. Connections are evicted from the larger queue. So
/// connections without a ticket do not displace bots, and bots do not prevent a new connection from
/// presenting its ticket.
#[derive(Default)]
struct AddressQueues {
    with_bot: BTreeMap<u64, SocketAddr>,
    without_bot: BTreeMap<u64, SocketAddr>,
}

/// A connection's place in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueuePosition {
    pub(super) queue: EvictionQueue,
    /// A unique number; lower numbers are older.
    pub(super) since: u64,
}

/// An address's two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvictionQueue {
    /// Connections that carry bots, but could not be protected.
    WithBot,
    /// Connections that carry no bots, mostly because they have not presented a ticket yet.
    WithoutBot,
}

impl Unprotected {
    pub(super) fn insert(&mut self, origin: Origin, queued: QueuePosition, peer: SocketAddr) {
        self.change_queue(origin, queued.queue, |queue| {
            queue.insert(queued.since, peer)
        });
    }

    pub(super) fn remove(&mut self, origin: Origin, queued: QueuePosition) {
        self.change_queue(origin, queued.queue, |queue| queue.remove(&queued.since));
    }

    /// Returns the connection that is to be evicted next at an address: the oldest connection in
    /// the larger queue.
    pub(super) fn next_of(&self, origin: Origin) -> Option<SocketAddr> {
        let queues = self.by_origin.get(&origin)?;
        let larger = if queues.with_bot.len() > queues.without_bot.len() {
            &queues.with_bot
        } else {
            &queues.without_bot
        };
        larger.values().next().copied()
    }

    /// Returns the address with the most unprotected connections. If several addresses have the
    /// same number, returns the one with the oldest connection.
    pub(super) fn largest_address(&self) -> Option<Origin> {
        self.largest.values().next_back().copied()
    }

    fn change_queue(
        &mut self,
        origin: Origin,
        queue: EvictionQueue,
        change: impl FnOnce(&mut BTreeMap<u64, SocketAddr>) -> Option<SocketAddr>,
    ) {
        let queues = self.by_origin.entry(origin).or_default();
        if let Some(rank) = queues.rank() {
            self.largest.remove(&rank);
        }
        change(match queue {
            EvictionQueue::WithBot => &mut queues.with_bot,
            EvictionQueue::WithoutBot => &mut queues.without_bot,
        });
        match queues.rank() {
            Some(rank) => {
                self.largest.insert(rank, origin);
            }
            None => {
                self.by_origin.remove(&origin);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_origin.is_empty() && self.largest.is_empty()
    }
}

impl AddressQueues {
    /// The sort key of the address; `None` if it has no such connection.
    fn rank(&self) -> Option<(usize, Reverse<u64>)> {
        let oldest = [&self.with_bot, &self.without_bot]
            .into_iter()
            .filter_map(|queue| queue.keys().next());
        let oldest = *oldest.min()?;
        let len = self.with_bot.len() + self.without_bot.len();
        Some((len, Reverse(oldest)))
    }
}

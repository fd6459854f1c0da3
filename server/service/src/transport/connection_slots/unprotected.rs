//! The connections that are not protected, and which of them gives way next.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use crate::transport::Origin;

/// The connections that are not protected.
#[derive(Default)]
pub(super) struct Unprotected {
    by_origin: HashMap<Origin, Queues>,
    /// The addresses by their number of such connections, and then by the age of the oldest.
    largest: BTreeMap<(usize, Reverse<u64>), Origin>,
}

/// Those of one address. The larger queue gives way: so connections that show no ticket keep no bot
/// out, and bots do not keep a new connection from showing its ticket.
#[derive(Default)]
struct Queues {
    with_bot: BTreeMap<u64, SocketAddr>,
    without_bot: BTreeMap<u64, SocketAddr>,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queued {
    pub(super) queue: Queue,
    /// Unique; the lower, the older.
    pub(super) since: u64,
}

/// Which connections are in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queue {
    /// Those that carry bots, for which there was no protection left.
    WithBot,
    /// Those that carry none: mostly those on which nobody has shown a ticket yet.
    WithoutBot,
}

impl Unprotected {
    pub(super) fn insert(&mut self, origin: Origin, queued: Queued, peer: SocketAddr) {
        self.change(origin, queued.queue, |queue| {
            queue.insert(queued.since, peer)
        });
    }

    pub(super) fn remove(&mut self, origin: Origin, queued: Queued) {
        self.change(origin, queued.queue, |queue| queue.remove(&queued.since));
    }

    /// The connection of an address that is to give way next: the oldest of the larger queue.
    pub(super) fn next_of(&self, origin: Origin) -> Option<SocketAddr> {
        let queues = self.by_origin.get(&origin)?;
        let larger = match queues.with_bot.len() > queues.without_bot.len() {
            true => &queues.with_bot,
            false => &queues.without_bot,
        };
        larger.values().next().copied()
    }

    /// The address with most of them, and among addresses with as many that with the oldest.
    pub(super) fn largest(&self) -> Option<Origin> {
        self.largest.values().next_back().copied()
    }

    fn change(
        &mut self,
        origin: Origin,
        queue: Queue,
        change: impl FnOnce(&mut BTreeMap<u64, SocketAddr>) -> Option<SocketAddr>,
    ) {
        let queues = self.by_origin.entry(origin).or_default();
        if let Some(rank) = queues.rank() {
            self.largest.remove(&rank);
        }
        change(match queue {
            Queue::WithBot => &mut queues.with_bot,
            Queue::WithoutBot => &mut queues.without_bot,
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

impl Queues {
    /// Where the address stands among others; `None` when it has no such connection.
    fn rank(&self) -> Option<(usize, Reverse<u64>)> {
        let oldest = [&self.with_bot, &self.without_bot]
            .into_iter()
            .filter_map(|queue| queue.keys().next());
        let oldest = *oldest.min()?;
        let len = self.with_bot.len() + self.without_bot.len();
        Some((len, Reverse(oldest)))
    }
}

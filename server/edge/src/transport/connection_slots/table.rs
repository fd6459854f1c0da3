//! The table of connections with slots, and the order in which they are evicted.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use bridgemaster_store::KeyId;
use tokio_util::sync::CancellationToken;

use super::{super::Origin, protection::ProtectedConnections};

/// Identifies a seat of a match.
pub(super) type SeatFingerprint = [u8; 32];

/// The connections with slots, and the bots' streams on them.
pub(super) struct SlotTable {
    by_peer: HashMap<SocketAddr, ConnectionEntry>,
    by_origin: HashMap<Origin, usize>,
    protection: ProtectedConnections,
    unprotected: UnprotectedConnections,
    /// The newest stream of each seat.
    by_seat: HashMap<SeatFingerprint, NewestStream>,
    /// The last connection number or stream number that was assigned.
    last: u64,
}

/// The newest stream of a seat, and the connection that carries it.
struct NewestStream {
    /// The stream number, which distinguishes this stream from the seat's older streams.
    stream: u64,
    peer: SocketAddr,
    /// The number of the connection.
    number: u64,
    /// `None` on a server that does not use keys.
    key: Option<KeyId>,
    /// Cancelled when a newer stream of the seat is opened.
    superseded: CancellationToken,
}

/// A connection with a slot.
struct ConnectionEntry {
    /// The connection number, which distinguishes this connection from an earlier connection by the
    /// same peer.
    number: u64,
    /// The network that the connection counts for: the peer's, or that of the caller for whom a
    /// node forwards calls.
    origin: Origin,
    /// The seats whose newest streams the connection carries, by the keys of their bots.
    seats_by_key: HashMap<Option<KeyId>, KeySeats>,
    /// The connection's place in the eviction order; `None` while it is protected.
    queued: Option<QueuePosition>,
    evicted: CancellationToken,
}

/// The seats of one key's bots on one connection.
#[derive(Default)]
struct KeySeats {
    seats: usize,
    /// Whether the connection is protected for the key.
    protects: bool,
}

impl ConnectionEntry {
    /// The connection's eviction queue; `None` if the connection is protected.
    fn eviction_queue(&self) -> Option<EvictionQueue> {
        if self.seats_by_key.is_empty() {
            Some(EvictionQueue::WithoutBot)
        } else if self.seats_by_key.values().any(|seats| seats.protects) {
            None
        } else {
            Some(EvictionQueue::WithBot)
        }
    }
}

impl SlotTable {
    pub(super) fn new(protection: ProtectedConnections) -> Self {
        Self {
            by_peer: HashMap::new(),
            by_origin: HashMap::new(),
            protection,
            unprotected: UnprotectedConnections::default(),
            by_seat: HashMap::new(),
            last: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.by_peer.len()
    }

    pub(super) fn of_origin(&self, origin: Origin) -> usize {
        self.by_origin.get(&origin).copied().unwrap_or_default()
    }

    /// Adds a connection without streams. Returns its number.
    pub(super) fn add(&mut self, peer: SocketAddr, evicted: CancellationToken) -> u64 {
        let number = self.next_number();
        self.insert(peer, number, peer.ip().into(), evicted);
        number
    }

    fn insert(
        &mut self,
        peer: SocketAddr,
        number: u64,
        origin: Origin,
        evicted: CancellationToken,
    ) {
        let entry =
            ConnectionEntry { number, origin, seats_by_key: HashMap::new(), queued: None, evicted };
        self.by_peer.insert(peer, entry);
        *self.by_origin.entry(origin).or_default() += 1;
        self.requeue(peer);
    }

    /// Returns whether a connection without streams counts for another network than `origin`.
    pub(super) fn is_of_other_origin(&self, peer: SocketAddr, origin: Origin) -> bool {
        let entry = self.by_peer.get(&peer);
        entry.is_some_and(|entry| entry.origin != origin && entry.seats_by_key.is_empty())
    }

    /// Counts a connection without streams for this network from now on.
    pub(super) fn set_origin(&mut self, peer: SocketAddr, origin: Origin) {
        let Some(number) = self.by_peer.get(&peer).map(|entry| entry.number) else {
            return;
        };
        if let Some(evicted) = self.remove(peer) {
            self.insert(peer, number, origin, evicted);
        }
    }

    /// Removes a peer's connection.
    pub(super) fn remove(&mut self, peer: SocketAddr) -> Option<CancellationToken> {
        let entry = self.by_peer.remove(&peer)?;
        let origin = entry.origin;
        if let Some(queued) = entry.queued {
            self.unprotected.remove(origin, queued);
        }
        for (key, seats) in entry.seats_by_key {
            if seats.protects {
                self.protection.release(origin, &key, entry.number);
            }
        }
        if let Some(count) = self.by_origin.get_mut(&origin) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_origin.remove(&origin);
            }
        }
        Some(entry.evicted)
    }

    /// Removes a peer's connection if the connection has this number.
    pub(super) fn remove_if_current(&mut self, peer: SocketAddr, number: u64) {
        if self.has_connection(peer, number) {
            self.remove(peer);
        }
    }

    /// Returns the connection that is to be evicted next at an address.
    pub(super) fn next_evicted_of(&mut self, origin: Origin) -> Option<SocketAddr> {
        loop {
            let next = self.unprotected.next_of(origin)?;
            // Protects the connection instead if it carries bots that could not be protected
            // earlier.
            if !self.protect(next, |protection, origin, key| protection.has_capacity(origin, key)) {
                return Some(next);
            }
        }
    }

    /// Returns the connection to evict next on the whole server.
    pub(super) fn next_evicted(&mut self) -> Option<SocketAddr> {
        loop {
            let origin = self.unprotected.largest_address()?;
            // If all connections of `origin` are protected by now, `origin` is no longer in the
            // queues.
            if let Some(peer) = self.next_evicted_of(origin) {
                return Some(peer);
            }
        }
    }

    /// Records that a connection carries the newest stream of a seat. Returns the number of the
    /// stream.
    pub(super) fn add_stream(
        &mut self,
        peer: SocketAddr,
        seat: SeatFingerprint,
        key: Option<KeyId>,
        superseded: CancellationToken,
    ) -> Option<u64> {
        let entry = self.by_peer.get_mut(&peer)?;
        let number = entry.number;
        entry.seats_by_key.entry(key.clone()).or_default().seats += 1;
        let stream = self.next_number();
        let newest = NewestStream { stream, peer, number, key, superseded };
        // The older stream is released first, so that a key at its limit can reconnect its bots to
        // their seats.
        if let Some(older) = self.by_seat.insert(seat, newest) {
            older.superseded.cancel();
            self.release_seat(&older);
        }
        self.protect_new(peer);
        Some(stream)
    }

    /// Removes a stream, unless a newer stream has replaced it.
    pub(super) fn remove_stream(&mut self, seat: &SeatFingerprint, stream: u64) {
        let newest = self.by_seat.get(seat);
        if newest.is_none_or(|newest| newest.stream != stream) {
            return;
        }
        if let Some(newest) = self.by_seat.remove(seat) {
            self.release_seat(&newest);
        }
    }

    /// Removes a seat from the connection that carried its newest stream.
    fn release_seat(&mut self, newest: &NewestStream) {
        let NewestStream { peer, number, .. } = *newest;
        if !self.has_connection(peer, number) {
            return;
        }
        let Some(entry) = self.by_peer.get_mut(&peer) else {
            return;
        };
        let Some(seats) = entry.seats_by_key.get_mut(&newest.key) else {
            return;
        };
        seats.seats = seats.seats.saturating_sub(1);
        if seats.seats > 0 {
            return;
        }
        let protected = seats.protects;
        let origin = entry.origin;
        entry.seats_by_key.remove(&newest.key);
        if protected {
            self.protection.release(origin, &newest.key, number);
        }
        self.requeue(peer);
    }

    /// Protects a connection with a bot's new stream, for all keys whose bots it carries. If its
    /// address is at the limit, a key that protects at least two more connections there than this
    /// connection's key loses its newest one.
    fn protect_new(&mut self, peer: SocketAddr) {
        let mut released = Vec::new();
        self.protect(peer, |protection, origin, key| {
            if protection.has_capacity(origin, key) {
                return true;
            }
            let other = protection.evict_from_largest(origin, key);
            let has_released = other.is_some();
            released.extend(other);
            has_released
        });
        for (key, loser) in released {
            let entry = self.by_peer.get_mut(&loser);
            if let Some(seats) = entry.and_then(|entry| entry.seats_by_key.get_mut(&key)) {
                seats.protects = false;
            }
            self.requeue(loser);
        }
    }

    /// Protects the connection of a peer for all keys whose bots it carries and for which
    /// `can_protect` returns true. Returns whether the connection is protected now.
    fn protect(
        &mut self,
        peer: SocketAddr,
        mut can_protect: impl FnMut(&mut ProtectedConnections, Origin, &Option<KeyId>) -> bool,
    ) -> bool {
        let Some(entry) = self.by_peer.get_mut(&peer) else {
            return false;
        };
        let (origin, number) = (entry.origin, entry.number);
        for (key, seats) in &mut entry.seats_by_key {
            if !seats.protects && can_protect(&mut self.protection, origin, key) {
                self.protection.acquire(origin, key, number, peer);
                seats.protects = true;
            }
        }
        let is_protected = entry.eviction_queue().is_none();
        self.requeue(peer);
        is_protected
    }

    /// Moves a connection to its eviction queue after its seats or its protection have changed.
    fn requeue(&mut self, peer: SocketAddr) {
        let since = self.next_number();
        let Some(entry) = self.by_peer.get_mut(&peer) else {
            return;
        };
        let queue = entry.eviction_queue();
        if entry.queued.map(|queued| queued.queue) == queue {
            return;
        }
        let origin = entry.origin;
        if let Some(queued) = entry.queued.take() {
            self.unprotected.remove(origin, queued);
        }
        if let Some(queue) = queue {
            let queued = QueuePosition { queue, since };
            self.unprotected.insert(origin, queued, peer);
            entry.queued = Some(queued);
        }
    }

    fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn has_connection(&self, peer: SocketAddr, number: u64) -> bool {
        let entry = self.by_peer.get(&peer);
        entry.is_some_and(|entry| entry.number == number)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_peer.is_empty()
            && self.by_origin.is_empty()
            && self.unprotected.is_empty()
            && self.protection.is_empty()
            && self.by_seat.is_empty()
    }
}

#[derive(Default)]
pub(super) struct UnprotectedConnections {
    by_origin: HashMap<Origin, AddressQueues>,
    /// The addresses, sorted by the number of their unprotected connections and then by the age of
    /// the oldest one.
    largest: BTreeMap<(usize, Reverse<u64>), Origin>,
}

/// The unprotected connections from one address, in two queues. The larger queue is evicted first:
/// many connections without a ticket do not displace those with bots, and many bots do not displace
/// a new connection before it can present its ticket.
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

impl UnprotectedConnections {
    pub(super) fn insert(&mut self, origin: Origin, queued: QueuePosition, peer: SocketAddr) {
        self.change_queue(origin, queued.queue, |queue| queue.insert(queued.since, peer));
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
    /// Returns the sort key of the address, or `None` if it has no unprotected connection.
    fn rank(&self) -> Option<(usize, Reverse<u64>)> {
        let oldest =
            [&self.with_bot, &self.without_bot].into_iter().filter_map(|queue| queue.keys().next());
        let oldest = *oldest.min()?;
        let len = self.with_bot.len() + self.without_bot.len();
        Some((len, Reverse(oldest)))
    }
}

//! The table of connections with slots, and the order in which they are evicted.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use bridgemaster_store::KeyId;
use tokio_util::sync::CancellationToken;

use super::super::Origin;

/// Identifies a seat of a match.
pub(super) type SeatFingerprint = [u8; 32];

/// The maximum numbers of protected connections.
#[derive(Default)]
pub(super) struct MaxProtected {
    pub(super) per_key: usize,
    pub(super) per_origin: usize,
    pub(super) total: usize,
}

/// The connections with slots, and the bots' streams on them.
#[derive(Default)]
pub(super) struct SlotTable {
    max_protected: MaxProtected,
    by_peer: HashMap<SocketAddr, ConnectionEntry>,
    by_origin: HashMap<Origin, OriginConnections>,
    /// The addresses with unprotected connections, sorted by their number and then by the age of
    /// the oldest one.
    by_unprotected: BTreeMap<(usize, Reverse<u64>), Origin>,
    protected: usize,
    protected_by_key: HashMap<KeyId, usize>,
    /// The open streams of each seat, by their numbers. Only the newest one protects its
    /// connection.
    by_seat: HashMap<SeatFingerprint, BTreeMap<u64, SeatStream>>,
    /// The last number that was assigned to a connection, a stream, or a place in a queue.
    last: u64,
}

/// A connection with a slot.
struct ConnectionEntry {
    /// The connection number, which distinguishes this connection from an earlier connection by the
    /// same peer.
    number: u64,
    /// The network that the connection counts for: the peer's, or that of the caller for whom a
    /// node forwards calls.
    origin: Origin,
    /// The newest streams of seats that the connection carries, and the keys of their bots; `None`
    /// on a server that does not use keys.
    streams: BTreeMap<u64, Option<KeyId>>,
    place: Place,
    evicted: CancellationToken,
}

/// The place of a connection in the eviction order.
#[derive(Clone)]
enum Place {
    /// Evicted after the connections in the same queue with lower numbers.
    Queued { since: u64, has_bot: bool },
    /// Never evicted. The connection counts towards the limit of this key.
    Protected(Option<KeyId>),
}

/// The connections that count for one address.
#[derive(Default)]
struct OriginConnections {
    total: usize,
    protected: usize,
    /// The protected connections of each key, by their numbers.
    protected_by_key: HashMap<Option<KeyId>, BTreeMap<u64, SocketAddr>>,
    /// The connections that are not protected, oldest first: those without bots, which mostly have
    /// not presented a ticket yet, and those with bots.
    unprotected: [BTreeMap<u64, SocketAddr>; 2],
}

impl OriginConnections {
    /// Returns the sort key of the address, or `None` if it has no unprotected connection.
    fn rank(&self) -> Option<(usize, Reverse<u64>)> {
        let oldest = self.unprotected.iter().filter_map(|queue| queue.keys().next()).min()?;
        Some((self.unprotected.iter().map(BTreeMap::len).sum(), Reverse(*oldest)))
    }

    /// Returns the number of connections that are protected for a key.
    fn protected_of_key(&self, key: &Option<KeyId>) -> usize {
        self.protected_by_key.get(key).map_or(0, BTreeMap::len)
    }

    /// Returns the oldest connection in the larger queue. So neither many connections without
    /// tickets nor many bots can evict the connections in the other queue.
    fn oldest_of_larger_queue(&self) -> Option<SocketAddr> {
        let [without_bot, with_bot] = &self.unprotected;
        let larger = if with_bot.len() > without_bot.len() { with_bot } else { without_bot };
        larger.values().next().copied()
    }
}

/// An open stream of a seat, and the connection that carries it.
struct SeatStream {
    peer: SocketAddr,
    /// The connection number.
    connection: u64,
    /// The key of the bot; `None` on a server that does not use keys.
    key: Option<KeyId>,
    /// Cancelled when a newer stream of the seat is opened.
    superseded: CancellationToken,
}

impl SlotTable {
    pub(super) fn new(max_protected: MaxProtected) -> Self {
        Self { max_protected, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.by_peer.len()
    }

    pub(super) fn of_origin(&self, origin: Origin) -> usize {
        self.by_origin.get(&origin).map_or(0, |of| of.total)
    }

    /// Adds a connection without streams. Returns its number.
    pub(super) fn add(&mut self, peer: SocketAddr, evicted: CancellationToken) -> u64 {
        let number = self.next_number();
        let origin = Origin::from(peer.ip());
        let (streams, place) = (BTreeMap::new(), Place::Queued { since: number, has_bot: false });
        self.by_peer.insert(peer, ConnectionEntry { number, origin, streams, place, evicted });
        self.by_origin.entry(origin).or_default().total += 1;
        self.place(peer);
        number
    }

    /// Returns whether a connection without streams counts for another network than `origin`.
    pub(super) fn is_of_other_origin(&self, peer: SocketAddr, origin: Origin) -> bool {
        let entry = self.by_peer.get(&peer);
        entry.is_some_and(|entry| entry.origin != origin && entry.streams.is_empty())
    }

    /// Counts a connection without streams for this network from now on.
    pub(super) fn set_origin(&mut self, peer: SocketAddr, origin: Origin) {
        if let Some(mut entry) = self.take(peer) {
            entry.origin = origin;
            self.by_origin.entry(origin).or_default().total += 1;
            self.by_peer.insert(peer, entry);
            self.place(peer);
        }
    }

    /// Removes a peer's connection.
    pub(super) fn remove(&mut self, peer: SocketAddr) -> Option<CancellationToken> {
        self.take(peer).map(|entry| entry.evicted)
    }

    fn take(&mut self, peer: SocketAddr) -> Option<ConnectionEntry> {
        self.displace(peer);
        let entry = self.by_peer.remove(&peer)?;
        if let Some(of_origin) = self.by_origin.get_mut(&entry.origin) {
            of_origin.total -= 1;
            if of_origin.total == 0 {
                self.by_origin.remove(&entry.origin);
            }
        }
        Some(entry)
    }

    /// Removes a peer's connection if the connection has this number.
    pub(super) fn remove_if_current(&mut self, peer: SocketAddr, number: u64) {
        if self.has_connection(peer, number) {
            self.remove(peer);
        }
    }

    fn has_connection(&self, peer: SocketAddr, number: u64) -> bool {
        self.by_peer.get(&peer).is_some_and(|entry| entry.number == number)
    }

    /// Returns the connection that is to be evicted next at an address: the oldest connection in
    /// the larger queue that cannot be protected now.
    pub(super) fn next_evicted_of(&mut self, origin: Origin) -> Option<SocketAddr> {
        loop {
            let oldest = self.by_origin.get(&origin)?.oldest_of_larger_queue()?;
            if self.by_peer.get(&oldest).and_then(|entry| self.protecting_key(entry)).is_none() {
                return Some(oldest);
            }
            self.displace(oldest);
            self.place(oldest);
        }
    }

    /// Returns the connection to evict next on the whole server. It is of the address with the most
    /// unprotected connections, or of several such addresses, of the one with the oldest.
    pub(super) fn next_evicted(&mut self) -> Option<SocketAddr> {
        loop {
            let (_, origin) = self.by_unprotected.last_key_value()?;
            // If all connections of `origin` are protected by now, it is no longer in the order.
            if let Some(peer) = self.next_evicted_of(*origin) {
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
        let connection = self.by_peer.get(&peer)?.number;
        let stream = self.next_number();
        let of_seat = self.by_seat.entry(seat).or_default();
        let older = of_seat.last_key_value().map(|(number, older)| {
            older.superseded.cancel();
            (*number, older.peer)
        });
        of_seat.insert(stream, SeatStream { peer, connection, key: key.clone(), superseded });
        // The older stream is released first, so that a key at its limit can reconnect its bots to
        // their seats.
        if let Some((number, peer)) = older {
            self.change_streams(peer, |streams| _ = streams.remove(&number));
        }
        self.change_streams(peer, |streams| _ = streams.insert(stream, key));
        Some(stream)
    }

    /// Removes a stream. If it was the newest one of its seat, the previous one protects its
    /// connection again: the seat may have refused the newer stream and kept the previous one.
    pub(super) fn remove_stream(&mut self, seat: &SeatFingerprint, stream: u64) {
        let Some(of_seat) = self.by_seat.get_mut(seat) else {
            return;
        };
        let Some(removed) = of_seat.remove(&stream) else {
            return;
        };
        let newest = of_seat.last_key_value();
        let newest = newest.map(|(number, of)| (*number, of.peer, of.connection, of.key.clone()));
        if of_seat.is_empty() {
            self.by_seat.remove(seat);
        }
        if newest.as_ref().is_some_and(|(number, ..)| *number > stream) {
            return;
        }
        self.change_streams(removed.peer, |streams| _ = streams.remove(&stream));
        if let Some((number, peer, connection, key)) = newest
            && self.has_connection(peer, connection)
        {
            self.change_streams(peer, |streams| _ = streams.insert(number, key));
        }
    }

    fn change_streams(
        &mut self,
        peer: SocketAddr,
        change: impl FnOnce(&mut BTreeMap<u64, Option<KeyId>>),
    ) {
        self.displace(peer);
        if let Some(entry) = self.by_peer.get_mut(&peer) {
            change(&mut entry.streams);
            self.place(peer);
        }
        if let Some(other) = self.replaceable_protection(peer) {
            self.displace(other);
            self.displace(peer);
            self.place(peer);
            self.place(other);
        }
    }

    /// Returns the connection that loses its protection to an unprotected connection of the same
    /// address: the newest one of the key with the most protected connections, if that key has at
    /// least two more than a key of the unprotected connection.
    fn replaceable_protection(&self, peer: SocketAddr) -> Option<SocketAddr> {
        let entry = self.by_peer.get(&peer)?;
        if matches!(entry.place, Place::Protected(_)) {
            return None;
        }
        let of_origin = self.by_origin.get(&entry.origin)?;
        let own = of_origin.protected_of_key(self.key_with_capacity(entry)?);
        let largest = of_origin.protected_by_key.values().max_by_key(|of_key| of_key.len())?;
        let (_, newest) = largest.last_key_value().filter(|_| largest.len() >= own + 2)?;
        Some(*newest)
    }

    /// Removes a connection from the eviction order, or ends its protection.
    fn displace(&mut self, peer: SocketAddr) {
        let Some(entry) = self.by_peer.get(&peer) else {
            return;
        };
        let (origin, number) = (entry.origin, entry.number);
        match entry.place.clone() {
            Place::Queued { since, has_bot } => {
                self.change_queue(origin, has_bot, |queue| _ = queue.remove(&since));
            }
            Place::Protected(key) => {
                self.protected -= 1;
                let of_origin = self.by_origin.entry(origin).or_default();
                of_origin.protected -= 1;
                if let Some(of_key) = of_origin.protected_by_key.get_mut(&key) {
                    of_key.remove(&number);
                    if of_key.is_empty() {
                        of_origin.protected_by_key.remove(&key);
                    }
                }
                if let Some(key) = key
                    && let Some(count) = self.protected_by_key.get_mut(&key)
                {
                    *count -= 1;
                    if *count == 0 {
                        self.protected_by_key.remove(&key);
                    }
                }
            }
        }
    }

    /// Protects a displaced connection, or makes it the last in its queue. A connection that was in
    /// the same queue before keeps its place.
    fn place(&mut self, peer: SocketAddr) {
        let last = self.next_number();
        let Some(entry) = self.by_peer.get(&peer) else {
            return;
        };
        let origin = entry.origin;
        let place = match self.protecting_key(entry) {
            Some(key) => {
                self.protected += 1;
                let of_origin = self.by_origin.entry(origin).or_default();
                of_origin.protected += 1;
                let of_key = of_origin.protected_by_key.entry(key.clone()).or_default();
                of_key.insert(entry.number, peer);
                if let Some(key) = &key {
                    *self.protected_by_key.entry(key.clone()).or_default() += 1;
                }
                Place::Protected(key)
            }
            None => {
                let has_bot = !entry.streams.is_empty();
                let since = match entry.place {
                    Place::Queued { since, has_bot: had_bot } if had_bot == has_bot => since,
                    _ => last,
                };
                self.change_queue(origin, has_bot, |queue| _ = queue.insert(since, peer));
                Place::Queued { since, has_bot }
            }
        };
        if let Some(entry) = self.by_peer.get_mut(&peer) {
            entry.place = place;
        }
    }

    /// Returns the key of a bot on the connection for which one more connection can be protected.
    fn protecting_key(&self, entry: &ConnectionEntry) -> Option<Option<KeyId>> {
        let max = &self.max_protected;
        let of_origin = self.by_origin.get(&entry.origin)?.protected;
        if of_origin >= max.per_origin || self.protected >= max.total {
            return None;
        }
        self.key_with_capacity(entry).cloned()
    }

    /// Returns the key below its limit, of the bots on the connection, that has the fewest
    /// protected connections at the address.
    fn key_with_capacity<'a>(&self, entry: &'a ConnectionEntry) -> Option<&'a Option<KeyId>> {
        let of_origin = self.by_origin.get(&entry.origin)?;
        let of_key = |key: &KeyId| self.protected_by_key.get(key).copied().unwrap_or_default();
        let max_per_key = self.max_protected.per_key;
        let has_capacity =
            |key: &&Option<KeyId>| key.as_ref().is_none_or(|key| of_key(key) < max_per_key);
        let keys = entry.streams.values().filter(has_capacity);
        keys.min_by_key(|key| of_origin.protected_of_key(key))
    }

    fn change_queue(
        &mut self,
        origin: Origin,
        has_bot: bool,
        change: impl FnOnce(&mut BTreeMap<u64, SocketAddr>),
    ) {
        let of_origin = self.by_origin.entry(origin).or_default();
        if let Some(rank) = of_origin.rank() {
            self.by_unprotected.remove(&rank);
        }
        change(&mut of_origin.unprotected[usize::from(has_bot)]);
        if let Some(rank) = of_origin.rank() {
            self.by_unprotected.insert(rank, origin);
        }
    }

    fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_peer.is_empty()
            && self.by_origin.is_empty()
            && self.by_unprotected.is_empty()
            && self.protected == 0
            && self.protected_by_key.is_empty()
            && self.by_seat.is_empty()
    }
}

//! The slots that are taken: by whom, and which connection is to give its slot up next.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use bridgemaster_store::KeyId;
use tokio_util::sync::CancellationToken;

use crate::transport::Origin;

/// What tells a seat from all others.
pub(super) type SeatMark = [u8; 32];

/// The connections, and the streams of bots on them.
pub(super) struct Taken {
    /// So many connections with bots of one key are protected.
    protected_per_key: usize,
    by_peer: HashMap<SocketAddr, Connected>,
    by_origin: HashMap<Origin, usize>,
    /// The connections of an address that are not protected, by when that was last so.
    unprotected: HashMap<Origin, BTreeMap<u64, SocketAddr>>,
    /// The addresses that have some, by their number and then by the age of the oldest.
    most_unprotected: BTreeMap<(usize, Reverse<u64>), Origin>,
    /// Protected connections of each key.
    protected_of: HashMap<KeyId, usize>,
    /// Which connection carries the newest stream of a seat.
    by_seat: HashMap<SeatMark, Carrying>,
    /// Orders connections and streams.
    last: u64,
}

/// The newest stream of a seat.
struct Carrying {
    /// Parts it from an older stream of the seat.
    stream: u64,
    peer: SocketAddr,
    /// Of the connection.
    number: u64,
    /// `None` on a server that asks for no keys.
    key: Option<KeyId>,
    /// Cancelled when a newer stream of the seat comes.
    superseded: CancellationToken,
}

/// A connection that has a slot.
struct Connected {
    /// Parts it from an earlier one of the same peer.
    number: u64,
    /// The seats whose newest streams it carries, by the keys of their bots.
    carried: HashMap<Option<KeyId>, Carried>,
    /// Its key among those that are not protected, while it is not.
    unprotected_since: u64,
    gives_way: CancellationToken,
}

/// Seats of the bots of one key on one connection.
#[derive(Default)]
struct Carried {
    seats: usize,
    /// Whether it counts among the protected connections of the key.
    protects: bool,
}

impl Connected {
    fn is_protected(&self) -> bool {
        self.carried.values().any(|carried| carried.protects)
    }
}

impl Taken {
    pub(super) fn new(protected_per_key: usize) -> Self {
        Self {
            protected_per_key,
            by_peer: HashMap::new(),
            by_origin: HashMap::new(),
            unprotected: HashMap::new(),
            most_unprotected: BTreeMap::new(),
            protected_of: HashMap::new(),
            by_seat: HashMap::new(),
            last: 0,
        }
    }

    pub(super) fn in_all(&self) -> usize {
        self.by_peer.len()
    }

    pub(super) fn of_origin(&self, origin: Origin) -> usize {
        self.by_origin.get(&origin).copied().unwrap_or_default()
    }

    /// Adds a connection, which carries nothing yet, and gives its number.
    pub(super) fn add(&mut self, peer: SocketAddr, gives_way: CancellationToken) -> u64 {
        let number = self.next();
        let connected = Connected {
            number,
            carried: HashMap::new(),
            unprotected_since: number,
            gives_way,
        };
        self.by_peer.insert(peer, connected);
        *self.by_origin.entry(peer.ip().into()).or_default() += 1;
        self.set_unprotected(peer, number);
        number
    }

    /// The connection of a peer has no slot any more.
    pub(super) fn forget(&mut self, peer: SocketAddr) -> Option<CancellationToken> {
        let connected = self.by_peer.remove(&peer)?;
        if !connected.is_protected() {
            self.unset_unprotected(peer, connected.unprotected_since);
        }
        for (key, carried) in connected.carried {
            if carried.protects {
                self.release(key.as_ref());
            }
        }
        let origin = peer.ip().into();
        if let Some(count) = self.by_origin.get_mut(&origin) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_origin.remove(&origin);
            }
        }
        Some(connected.gives_way)
    }

    /// The connection of this number is gone.
    pub(super) fn is_gone(&mut self, peer: SocketAddr, number: u64) {
        if self.has(peer, number) {
            self.forget(peer);
        }
    }

    /// The connection of an address that is to give way next.
    pub(super) fn gives_way_next_of(&mut self, origin: Origin) -> Option<SocketAddr> {
        loop {
            let (_, oldest) = self.unprotected.get(&origin)?.first_key_value()?;
            let oldest = *oldest;
            // It may carry bots for which there was no room when they came, and there is now.
            if !self.protect(oldest) {
                return Some(oldest);
            }
        }
    }

    /// The connection that is to give way next on the whole server.
    pub(super) fn gives_way_next(&mut self) -> Option<SocketAddr> {
        loop {
            let (_, origin) = self.most_unprotected.last_key_value()?;
            let origin = *origin;
            // An address whose last ones are protected meanwhile is no more among them.
            if let Some(peer) = self.gives_way_next_of(origin) {
                return Some(peer);
            }
        }
    }

    /// A connection carries the newest stream of a seat from now on; gives the number of the
    /// stream.
    pub(super) fn carries(
        &mut self,
        peer: SocketAddr,
        seat: SeatMark,
        key: Option<KeyId>,
        superseded: CancellationToken,
    ) -> Option<u64> {
        let connected = self.by_peer.get_mut(&peer)?;
        let number = connected.number;
        connected.carried.entry(key.clone()).or_default().seats += 1;
        let stream = self.next();
        let newest = Carrying {
            stream,
            peer,
            number,
            key,
            superseded,
        };
        // First what the older one gives back: a key at its limit may come back to its seats.
        if let Some(older) = self.by_seat.insert(seat, newest) {
            older.superseded.cancel();
            self.carries_no_more(&older);
        }
        self.protect(peer);
        Some(stream)
    }

    pub(super) fn stream_ends(&mut self, seat: &SeatMark, stream: u64) {
        let newest = self.by_seat.get(seat);
        if newest.is_none_or(|newest| newest.stream != stream) {
            return;
        }
        if let Some(carrying) = self.by_seat.remove(seat) {
            self.carries_no_more(&carrying);
        }
    }

    /// A connection does not carry the newest stream of a seat any more.
    fn carries_no_more(&mut self, carrying: &Carrying) {
        let Carrying { peer, number, .. } = *carrying;
        if !self.has(peer, number) {
            return;
        }
        let since = self.next();
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return;
        };
        let was_protected = connected.is_protected();
        let Some(carried) = connected.carried.get_mut(&carrying.key) else {
            return;
        };
        carried.seats = carried.seats.saturating_sub(1);
        if carried.seats > 0 {
            return;
        }
        let protected = carried.protects;
        connected.carried.remove(&carrying.key);
        let is_protected = connected.is_protected();
        if was_protected && !is_protected {
            connected.unprotected_since = since;
            self.set_unprotected(peer, since);
        }
        if protected {
            self.release(carrying.key.as_ref());
        }
    }

    /// Protects the connection of a peer for all keys whose bots it carries, as far as they have
    /// room; whether it is protected then.
    fn protect(&mut self, peer: SocketAddr) -> bool {
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return false;
        };
        let was_protected = connected.is_protected();
        for (key, carried) in &mut connected.carried {
            if carried.protects {
                continue;
            }
            carried.protects = match key {
                None => true,
                Some(key) => {
                    let protected = self.protected_of.get(key).copied().unwrap_or_default();
                    let has_room = protected < self.protected_per_key;
                    if has_room {
                        self.protected_of.insert(key.clone(), protected + 1);
                    }
                    has_room
                }
            };
        }
        let is_protected = connected.is_protected();
        if is_protected && !was_protected {
            let since = connected.unprotected_since;
            self.unset_unprotected(peer, since);
        }
        is_protected
    }

    /// A key has one protected connection less.
    fn release(&mut self, key: Option<&KeyId>) {
        let Some(key) = key else {
            return;
        };
        if let Some(count) = self.protected_of.get_mut(key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.protected_of.remove(key);
            }
        }
    }

    fn set_unprotected(&mut self, peer: SocketAddr, since: u64) {
        self.change_unprotected(peer, |of_origin| of_origin.insert(since, peer));
    }

    fn unset_unprotected(&mut self, peer: SocketAddr, since: u64) {
        self.change_unprotected(peer, |of_origin| of_origin.remove(&since));
    }

    fn change_unprotected(
        &mut self,
        peer: SocketAddr,
        change: impl FnOnce(&mut BTreeMap<u64, SocketAddr>) -> Option<SocketAddr>,
    ) {
        let origin = peer.ip().into();
        let of_origin = self.unprotected.entry(origin).or_default();
        if let Some(rank) = rank(of_origin) {
            self.most_unprotected.remove(&rank);
        }
        change(of_origin);
        match rank(of_origin) {
            Some(rank) => {
                self.most_unprotected.insert(rank, origin);
            }
            None => {
                self.unprotected.remove(&origin);
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn has(&self, peer: SocketAddr, number: u64) -> bool {
        let connected = self.by_peer.get(&peer);
        connected.is_some_and(|connected| connected.number == number)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_peer.is_empty()
            && self.by_origin.is_empty()
            && self.unprotected.is_empty()
            && self.most_unprotected.is_empty()
            && self.protected_of.is_empty()
            && self.by_seat.is_empty()
    }
}

/// Where an address stands among those with connections that are not protected.
fn rank(of_origin: &BTreeMap<u64, SocketAddr>) -> Option<(usize, Reverse<u64>)> {
    let (oldest, _) = of_origin.first_key_value()?;
    Some((of_origin.len(), Reverse(*oldest)))
}

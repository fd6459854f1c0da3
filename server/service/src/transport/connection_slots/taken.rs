//! The slots that are taken: by whom, and which connection is to give its slot up next.

use std::{collections::HashMap, net::SocketAddr};

use bridgemaster_store::KeyId;
use tokio_util::sync::CancellationToken;

use super::{
    protection::Protection,
    unprotected::{Queue, Queued, Unprotected},
};
use crate::transport::Origin;

/// What tells a seat from all others.
pub(super) type SeatMark = [u8; 32];

/// The connections, and the streams of bots on them.
pub(super) struct Taken {
    by_peer: HashMap<SocketAddr, Connected>,
    by_origin: HashMap<Origin, usize>,
    protection: Protection,
    unprotected: Unprotected,
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
    /// Its place among those that are not protected; `None` while it is.
    queued: Option<Queued>,
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
    /// Where it belongs among those that are not protected; `None` if it is.
    fn queue(&self) -> Option<Queue> {
        match () {
            () if self.carried.is_empty() => Some(Queue::WithoutBot),
            () if self.carried.values().any(|carried| carried.protects) => None,
            () => Some(Queue::WithBot),
        }
    }
}

impl Taken {
    pub(super) fn new(protection: Protection) -> Self {
        Self {
            by_peer: HashMap::new(),
            by_origin: HashMap::new(),
            protection,
            unprotected: Unprotected::default(),
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
            queued: None,
            gives_way,
        };
        self.by_peer.insert(peer, connected);
        *self.by_origin.entry(peer.ip().into()).or_default() += 1;
        self.put_in_queue(peer);
        number
    }

    /// The connection of a peer has no slot any more.
    pub(super) fn forget(&mut self, peer: SocketAddr) -> Option<CancellationToken> {
        let connected = self.by_peer.remove(&peer)?;
        let origin = peer.ip().into();
        if let Some(queued) = connected.queued {
            self.unprotected.remove(origin, queued);
        }
        for (key, carried) in connected.carried {
            if carried.protects {
                self.protection.release(origin, &key, connected.number);
            }
        }
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
            let next = self.unprotected.next_of(origin)?;
            // It may carry bots for which there was no room when they came, and there is now.
            if !self.protect(next, |protection, origin, key| {
                protection.has_room(origin, key)
            }) {
                return Some(next);
            }
        }
    }

    /// The connection that is to give way next on the whole server.
    pub(super) fn gives_way_next(&mut self) -> Option<SocketAddr> {
        loop {
            let origin = self.unprotected.largest()?;
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
        self.protect_newcomer(peer);
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
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return;
        };
        let Some(carried) = connected.carried.get_mut(&carrying.key) else {
            return;
        };
        carried.seats = carried.seats.saturating_sub(1);
        if carried.seats > 0 {
            return;
        }
        let protected = carried.protects;
        connected.carried.remove(&carrying.key);
        if protected {
            let origin = peer.ip().into();
            self.protection.release(origin, &carrying.key, number);
        }
        self.put_in_queue(peer);
    }

    /// Protects the connection of a peer whose bot has just come, for all keys whose bots it
    /// carries. If its address has no room left, the key that protects most there gives one up for
    /// a key that protects at least two fewer.
    fn protect_newcomer(&mut self, peer: SocketAddr) {
        let mut given_up = Vec::new();
        self.protect(peer, |protection, origin, key| {
            if protection.has_room(origin, key) {
                return true;
            }
            let taken = protection.release_of_largest(origin, key);
            let is_taken = taken.is_some();
            given_up.extend(taken);
            is_taken
        });
        for (key, loser) in given_up {
            let connected = self.by_peer.get_mut(&loser);
            if let Some(carried) = connected.and_then(|c| c.carried.get_mut(&key)) {
                carried.protects = false;
            }
            self.put_in_queue(loser);
        }
    }

    /// Protects the connection of a peer for all keys whose bots it carries and for which
    /// `has_room`; whether it is protected then.
    fn protect(
        &mut self,
        peer: SocketAddr,
        mut has_room: impl FnMut(&mut Protection, Origin, &Option<KeyId>) -> bool,
    ) -> bool {
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return false;
        };
        let (origin, number) = (peer.ip().into(), connected.number);
        for (key, carried) in &mut connected.carried {
            if !carried.protects && has_room(&mut self.protection, origin, key) {
                self.protection.acquire(origin, key, number, peer);
                carried.protects = true;
            }
        }
        let is_protected = connected.queue().is_none();
        self.put_in_queue(peer);
        is_protected
    }

    /// Puts a connection where it belongs among those that are not protected, after what it carries
    /// or what protects it has changed.
    fn put_in_queue(&mut self, peer: SocketAddr) {
        let since = self.next();
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return;
        };
        let queue = connected.queue();
        if connected.queued.map(|queued| queued.queue) == queue {
            return;
        }
        let origin = peer.ip().into();
        if let Some(queued) = connected.queued.take() {
            self.unprotected.remove(origin, queued);
        }
        if let Some(queue) = queue {
            let queued = Queued { queue, since };
            self.unprotected.insert(origin, queued, peer);
            connected.queued = Some(queued);
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
            && self.protection.is_empty()
            && self.by_seat.is_empty()
    }
}

//! How many connections there may be, and which of them gives way to a new one.
//!
//! Who comes is not known before a connection is accepted and a ticket shown on it. So a new one
//! gets a place, and the oldest that carries no stream of a bot gives way: whoever fills an address
//! with connections keeps no bot of the same address from its seat. A seat counts for one connection
//! alone, that of its newest stream, so that one ticket does not hold many.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::origin::Origin;
use crate::limits::Limits;

/// Places for connections, in all and for one address.
pub(crate) struct Places {
    in_all: usize,
    of_one_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    by_peer: HashMap<SocketAddr, Connected>,
    by_origin: HashMap<Origin, usize>,
    /// Those without a stream of a bot, by when that was last so.
    idle: BTreeMap<u64, SocketAddr>,
    idle_by_origin: HashMap<Origin, BTreeMap<u64, SocketAddr>>,
    /// Which connection carries the newest stream of a seat.
    by_seat: HashMap<SeatMark, Carrying>,
    /// Orders connections and streams.
    last: u64,
}

/// What tells a seat from all others.
type SeatMark = [u8; 32];

/// The newest stream of a seat.
struct Carrying {
    /// Parts it from an older stream of the seat.
    stream: u64,
    peer: SocketAddr,
    /// Of the connection.
    number: u64,
    /// Cancelled when a newer stream of the seat comes.
    superseded: CancellationToken,
}

/// A connection that has a place.
struct Connected {
    /// Parts it from an earlier one of the same peer.
    number: u64,
    /// Seats whose newest streams it carries.
    bots: usize,
    /// Its key among the idle ones, while it carries none.
    idle_since: u64,
    gives_way: CancellationToken,
}

/// A place, given back when it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    peer: SocketAddr,
    number: u64,
    gives_way: CancellationToken,
}

/// A bot's stream on a connection, which does not give way while this is the newest of its seat.
pub(crate) struct CarriesBot {
    places: Arc<Places>,
    seat: SeatMark,
    stream: u64,
    superseded: CancellationToken,
}

impl Places {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            in_all: limits.connections,
            of_one_address: limits.connections_per_address,
            taken: Mutex::default(),
        })
    }

    /// Takes a place, and tells the limit for which another gave way, if one had to; or tells the
    /// limit that is reached by connections that all carry bots.
    pub(super) fn take(
        self: &Arc<Self>,
        peer: SocketAddr,
    ) -> Result<(Place, Option<&'static str>), &'static str> {
        let mut taken = self.taken();
        let origin = Origin::from(peer.ip());
        let of_origin = taken.by_origin.get(&origin).copied().unwrap_or_default();
        let full = if of_origin >= self.of_one_address {
            let oldest = taken.idle_by_origin.get(&origin);
            let oldest = oldest.and_then(|idle| idle.first_key_value());
            Some(("connections_per_address", oldest.map(|(_, peer)| *peer)))
        } else if taken.by_peer.len() >= self.in_all {
            let oldest = taken.idle.first_key_value();
            Some(("connections", oldest.map(|(_, peer)| *peer)))
        } else {
            None
        };
        if let Some((limit, oldest)) = full {
            let gives_way = oldest.and_then(|oldest| taken.forget(oldest));
            gives_way.ok_or(limit)?.gives_way.cancel();
        }
        // One of the same peer is gone, even if its end is not told yet.
        taken.forget(peer);
        let number = taken.next();
        let gives_way = CancellationToken::new();
        let connected = Connected {
            number,
            bots: 0,
            idle_since: number,
            gives_way: gives_way.clone(),
        };
        taken.by_peer.insert(peer, connected);
        *taken.by_origin.entry(origin).or_default() += 1;
        taken.is_idle(peer, number);
        let place = Place {
            places: Arc::clone(self),
            peer,
            number,
            gives_way,
        };
        Ok((place, full.map(|(limit, _)| limit)))
    }

    /// The connection of this peer carries the newest stream of a seat for as long as the guard
    /// lives; `None` when there is no such connection any more.
    pub(crate) fn carries_bot(
        self: &Arc<Self>,
        peer: SocketAddr,
        seat: SeatMark,
    ) -> Option<CarriesBot> {
        let mut taken = self.taken();
        let connected = taken.by_peer.get_mut(&peer)?;
        connected.bots += 1;
        let (number, idle_since, is_first) =
            (connected.number, connected.idle_since, connected.bots == 1);
        if is_first {
            taken.is_busy(peer, idle_since);
        }
        let stream = taken.next();
        let superseded = CancellationToken::new();
        let newest = Carrying {
            stream,
            peer,
            number,
            superseded: superseded.clone(),
        };
        if let Some(older) = taken.by_seat.insert(seat, newest) {
            older.superseded.cancel();
            taken.carries_no_more(&older);
        }
        Some(CarriesBot {
            places: Arc::clone(self),
            seat,
            stream,
            superseded,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Nothing that holds the lock can leave the counts half changed.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn is_idle(&mut self, peer: SocketAddr, since: u64) {
        self.idle.insert(since, peer);
        let of_origin = self.idle_by_origin.entry(peer.ip().into()).or_default();
        of_origin.insert(since, peer);
    }

    fn is_busy(&mut self, peer: SocketAddr, idle_since: u64) {
        self.idle.remove(&idle_since);
        let origin = peer.ip().into();
        if let Some(of_origin) = self.idle_by_origin.get_mut(&origin) {
            of_origin.remove(&idle_since);
            if of_origin.is_empty() {
                self.idle_by_origin.remove(&origin);
            }
        }
    }

    /// A connection does not carry the newest stream of a seat any more.
    fn carries_no_more(&mut self, carrying: &Carrying) {
        let Carrying { peer, number, .. } = carrying;
        let (peer, number) = (*peer, *number);
        if !self.has(peer, number) {
            return;
        }
        let since = self.next();
        let Some(connected) = self.by_peer.get_mut(&peer) else {
            return;
        };
        connected.bots = connected.bots.saturating_sub(1);
        if connected.bots == 0 {
            connected.idle_since = since;
            self.is_idle(peer, since);
        }
    }

    /// The connection of a peer has no place any more.
    fn forget(&mut self, peer: SocketAddr) -> Option<Connected> {
        let connected = self.by_peer.remove(&peer)?;
        if connected.bots == 0 {
            self.is_busy(peer, connected.idle_since);
        }
        let origin = peer.ip().into();
        if let Some(count) = self.by_origin.get_mut(&origin) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_origin.remove(&origin);
            }
        }
        Some(connected)
    }

    fn has(&self, peer: SocketAddr, number: u64) -> bool {
        let connected = self.by_peer.get(&peer);
        connected.is_some_and(|connected| connected.number == number)
    }
}

impl Place {
    /// Cancelled when the connection has to give way to another.
    pub(super) fn gives_way(&self) -> &CancellationToken {
        &self.gives_way
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if taken.has(self.peer, self.number) {
            taken.forget(self.peer);
        }
    }
}

impl CarriesBot {
    /// Completes when a newer stream of the seat comes.
    pub(crate) async fn superseded(&self) {
        self.superseded.cancelled().await;
    }
}

impl Drop for CarriesBot {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let newest = taken.by_seat.get(&self.seat);
        if newest.is_none_or(|newest| newest.stream != self.stream) {
            return;
        }
        if let Some(carrying) = taken.by_seat.remove(&self.seat) {
            taken.carries_no_more(&carrying);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn places(connections: usize, connections_per_address: usize) -> Arc<Places> {
        Places::new(&Limits {
            connections,
            connections_per_address,
            ..Limits::default()
        })
    }

    const SEAT: SeatMark = [1; 32];
    const OTHER: SeatMark = [2; 32];

    fn peer(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_oldest_of_an_address_without_a_bot_gives_way_to_a_new_one() {
        let places = places(10, 2);
        let take = |text| places.take(peer(text));
        let (bots, _) = take("192.0.2.1:1").ok().unwrap();
        let (other, _) = take("192.0.2.1:2").ok().unwrap();
        let carries = places.carries_bot(peer("192.0.2.1:1"), SEAT).unwrap();
        let (newest, gave_way) = take("192.0.2.1:3").ok().unwrap();
        assert_eq!(gave_way, Some("connections_per_address"));
        assert!(other.gives_way().is_cancelled() && !bots.gives_way().is_cancelled());
        let also = places.carries_bot(peer("192.0.2.1:3"), OTHER).unwrap();
        assert_eq!(take("192.0.2.1:4").err(), Some("connections_per_address"));
        assert!(take("192.0.2.2:1").ok().unwrap().1.is_none());
        // The place of one that gave way is not given back a second time.
        drop(other);
        assert_eq!(take("192.0.2.1:4").err(), Some("connections_per_address"));
        drop(carries);
        take("192.0.2.1:4").ok().unwrap();
        assert!(bots.gives_way().is_cancelled() && !newest.gives_way().is_cancelled());
        drop(also);
    }

    #[test]
    fn a_server_that_is_full_lets_the_oldest_of_all_give_way() {
        let places = places(2, 2);
        let (one, _) = places.take(peer("192.0.2.1:1")).ok().unwrap();
        let (two, _) = places.take(peer("192.0.2.2:1")).ok().unwrap();
        let _bot = places.carries_bot(peer("192.0.2.1:1"), SEAT).unwrap();
        let (_three, gave_way) = places.take(peer("192.0.2.3:1")).ok().unwrap();
        assert_eq!(gave_way, Some("connections"));
        assert!(two.gives_way().is_cancelled() && !one.gives_way().is_cancelled());
    }

    #[test]
    fn a_seat_keeps_no_connection_but_that_of_its_newest_stream() {
        let places = places(10, 3);
        let peers = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3"].map(peer);
        let held = peers.map(|peer| places.take(peer).ok().unwrap().0);
        let streams = peers.map(|peer| places.carries_bot(peer, SEAT).unwrap());
        let (_newest, gave_way) = places.take(peer("192.0.2.1:4")).ok().unwrap();
        assert_eq!(gave_way, Some("connections_per_address"));
        let gave_way = |place: &Place| place.gives_way().is_cancelled();
        assert_eq!(held.each_ref().map(gave_way), [true, false, false]);
        // The end of an older stream takes nothing from the newest.
        let [first, second, third] = streams;
        drop([first, second]);
        let _others = ["192.0.2.1:5", "192.0.2.1:6"].map(|text| places.take(peer(text)));
        assert_eq!(held.each_ref().map(gave_way), [true, true, false]);
        drop(third);
        assert!(places.taken().by_seat.is_empty());
    }

    #[test]
    fn nothing_stays_of_connections_that_are_gone() {
        let places = places(2, 1);
        let held = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1", "192.0.2.3:1"]
            .map(|text| places.take(peer(text)).ok().unwrap());
        let bot = places.carries_bot(peer("192.0.2.3:1"), SEAT).unwrap();
        drop(held);
        drop(bot);
        let taken = places.taken();
        assert!(taken.by_peer.is_empty() && taken.by_origin.is_empty());
        assert!(taken.idle.is_empty() && taken.idle_by_origin.is_empty());
        assert!(taken.by_seat.is_empty());
        drop(taken);
        assert!(places.carries_bot(peer("192.0.2.3:1"), SEAT).is_none());
    }
}

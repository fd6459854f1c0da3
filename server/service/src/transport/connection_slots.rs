//! Slots for connections: how many there may be, and which connection gives way to a new one.
//!
//! Who connects is not known before a ticket is shown on the connection. So a new connection always
//! gets a slot, and an unprotected one gives way: of its own address when that is full, of the
//! address with most connections when the server is. A connection is protected while it carries
//! the stream of a bot, so that whoever fills an address with connections keeps no bot of the same
//! address from its seat. A seat protects one connection, that of its newest stream, and a key
//! protects a limited number, so that neither one ticket nor one key with many matches holds all
//! slots. One connection in four is never protected, so that there is always one that gives way;
//! and the rest of an address is shared out among the keys that have bots there.

mod protection;
mod taken;
mod unprotected;

use std::{net::SocketAddr, sync::Arc};

use bridgemaster_store::KeyId;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use self::{
    protection::Protection,
    taken::{SeatMark, Taken},
};
use super::origin::Origin;
use crate::limits::Limits;

/// The slots of a server, in total and for one address.
pub(crate) struct ConnectionSlots {
    in_all: usize,
    of_one_address: usize,
    taken: Mutex<Taken>,
}

/// A slot, released when it is dropped.
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    peer: SocketAddr,
    number: u64,
    gives_way: CancellationToken,
}

/// Protects the connection that carries a bot's stream, while that is the newest stream of its seat
/// and the bot's key has not too many protected connections.
pub(crate) struct CarriesBot {
    slots: Arc<ConnectionSlots>,
    seat: SeatMark,
    stream: u64,
    superseded: CancellationToken,
}

impl ConnectionSlots {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            in_all: limits.connections,
            of_one_address: limits.connections_per_address,
            taken: Mutex::new(Taken::new(Protection::new(limits))),
        })
    }

    /// The slots of the port of the page.
    pub(crate) fn of_page(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            in_all: limits.page_connections,
            of_one_address: limits.page_connections_per_address,
            taken: Mutex::new(Taken::new(Protection::of_page(limits))),
        })
    }

    /// The slots of a port that serves no bots, so that none is ever protected.
    pub(crate) fn without_bots(in_all: usize, of_one_address: usize) -> Arc<Self> {
        Arc::new(Self {
            in_all,
            of_one_address,
            taken: Mutex::new(Taken::new(Protection::none())),
        })
    }

    /// Acquires a slot, and returns the limit for which another connection gave way, if one had to.
    pub(super) fn acquire(
        self: &Arc<Self>,
        peer: SocketAddr,
    ) -> (ConnectionSlot, Option<&'static str>) {
        let mut taken = self.taken();
        let origin = Origin::from(peer.ip());
        let full = if taken.of_origin(origin) >= self.of_one_address {
            Some(("connections_per_address", taken.gives_way_next_of(origin)))
        } else if taken.in_all() >= self.in_all {
            Some(("connections", taken.gives_way_next()))
        } else {
            None
        };
        // Not all are protected, so there is one.
        let gives_way = full.and_then(|(_, next)| taken.forget(next?));
        if let Some(gives_way) = gives_way {
            gives_way.cancel();
        }
        // One of the same peer is gone, even if its end is not told yet.
        taken.forget(peer);
        let gives_way = CancellationToken::new();
        let number = taken.add(peer, gives_way.clone());
        let slot = ConnectionSlot {
            slots: Arc::clone(self),
            peer,
            number,
            gives_way,
        };
        (slot, full.map(|(limit, _)| limit))
    }

    /// The connection of this peer carries the newest stream of a seat for as long as the guard
    /// lives, of a bot with this key, if the server asks for keys; `None` when there is no such
    /// connection any more.
    pub(crate) fn carries_bot(
        self: &Arc<Self>,
        peer: SocketAddr,
        seat: SeatMark,
        key: Option<&KeyId>,
    ) -> Option<CarriesBot> {
        let superseded = CancellationToken::new();
        let stream = self
            .taken()
            .carries(peer, seat, key.cloned(), superseded.clone())?;
        Some(CarriesBot {
            slots: Arc::clone(self),
            seat,
            stream,
            superseded,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock()
    }
}

impl ConnectionSlot {
    /// Cancelled when the connection has to give way to another.
    pub(super) fn gives_way(&self) -> &CancellationToken {
        &self.gives_way
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.taken().is_gone(self.peer, self.number);
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
        self.slots.taken().stream_ends(&self.seat, self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(connections: usize, connections_per_address: usize) -> Arc<ConnectionSlots> {
        slots_of_keys(connections, connections_per_address, usize::MAX)
    }

    fn slots_of_keys(
        connections: usize,
        connections_per_address: usize,
        protected_connections_per_key: usize,
    ) -> Arc<ConnectionSlots> {
        ConnectionSlots::new(&Limits {
            connections,
            connections_per_address,
            protected_connections_per_key,
            ..Limits::default()
        })
    }

    /// Takes a slot for a connection that carries a bot of a key.
    fn with_bot(
        slots: &Arc<ConnectionSlots>,
        text: &str,
        seat: SeatMark,
        key: &str,
    ) -> (ConnectionSlot, CarriesBot) {
        let (slot, _) = slots.acquire(peer(text));
        let key = KeyId::new(key).unwrap();
        let carries = slots.carries_bot(peer(text), seat, Some(&key)).unwrap();
        (slot, carries)
    }

    const SEAT: SeatMark = [1; 32];
    const OTHER: SeatMark = [2; 32];

    fn peer(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_oldest_of_an_address_without_a_bot_gives_way_to_a_new_one() {
        let slots = slots(10, 3);
        let acquire = |text| slots.acquire(peer(text));
        let (bots, _) = acquire("192.0.2.1:1");
        let (other, _) = acquire("192.0.2.1:2");
        let (_third, _) = acquire("192.0.2.1:3");
        let carries = slots.carries_bot(peer("192.0.2.1:1"), SEAT, None).unwrap();
        let (newest, gave_way) = acquire("192.0.2.1:4");
        assert_eq!(gave_way, Some("connections_per_address"));
        assert!(other.gives_way().is_cancelled() && !bots.gives_way().is_cancelled());
        assert!(acquire("192.0.2.2:1").1.is_none());
        // The slot of one that gave way is not given back a second time.
        drop(other);
        let also = slots.carries_bot(peer("192.0.2.1:4"), OTHER, None).unwrap();
        let (_fifth, gave_way) = acquire("192.0.2.1:5");
        assert_eq!(gave_way, Some("connections_per_address"));
        drop(carries);
        let _others = ["192.0.2.1:6", "192.0.2.1:7"].map(acquire);
        assert!(bots.gives_way().is_cancelled() && !newest.gives_way().is_cancelled());
        drop(also);
    }

    #[test]
    fn a_new_connection_gets_a_slot_however_many_bots_are_at_its_address() {
        let slots = slots(100, 8);
        let bots: Vec<_> = (1..=8_u8)
            .map(|n| {
                let peer = peer(&format!("192.0.2.1:{n}"));
                let (slot, _) = slots.acquire(peer);
                (slot, slots.carries_bot(peer, [n; 32], None).unwrap())
            })
            .collect();
        let gave_way = || {
            let given = bots.iter().map(|(slot, _)| slot.gives_way());
            given
                .map(CancellationToken::is_cancelled)
                .collect::<Vec<_>>()
        };
        // Three quarters are protected.
        let back = peer("192.0.2.1:9");
        let (slot, full) = slots.acquire(back);
        assert_eq!(full, Some("connections_per_address"));
        let first_six = [false; 6];
        assert_eq!(gave_way(), [&first_six[..], &[true, false]].concat());
        // Those that carry no bot, however many come, do not push out one that does.
        let _bot = slots.carries_bot(back, [9; 32], None).unwrap();
        for port in 10..100 {
            slots.acquire(peer(&format!("192.0.2.1:{port}")));
        }
        let held = (100..110).map(|port| slots.acquire(peer(&format!("192.0.2.1:{port}"))));
        let _held: Vec<_> = held.collect();
        assert!(!slot.gives_way().is_cancelled());
        assert_eq!(gave_way()[..6], first_six);
    }

    #[test]
    fn keys_that_fill_an_address_together_leave_another_its_share() {
        let slots = slots_of_keys(100, 8, 2);
        let crowd: Vec<_> = (0..8_u8)
            .map(|n| {
                let key = format!("greedy-{}", n / 2);
                with_bot(&slots, &format!("192.0.2.1:{}", n + 1), [n; 32], &key)
            })
            .collect();
        // Three of the four keys protect two connections each. One gives its newer one up.
        let honest = with_bot(&slots, "192.0.2.1:9", [9; 32], "honest");
        let more: Vec<_> = (10..30_u8)
            .map(|n| {
                with_bot(
                    &slots,
                    &format!("192.0.2.1:{n}"),
                    [n; 32],
                    &format!("more-{n}"),
                )
            })
            .collect();
        assert!(!honest.0.gives_way().is_cancelled());
        let protected = crowd
            .iter()
            .filter(|(slot, _)| !slot.gives_way().is_cancelled());
        assert!(protected.count() >= 3);
        drop((crowd, honest, more));
        assert!(slots.taken().is_empty());
    }

    #[test]
    fn bots_without_protection_push_out_no_connection_that_has_yet_to_show_its_ticket() {
        let slots = slots(100, 16);
        let hold = |n: u8| {
            let peer = peer(&format!("192.0.2.1:{n}"));
            let (slot, _) = slots.acquire(peer);
            (slot, slots.carries_bot(peer, [n; 32], None))
        };
        let _bots: Vec<_> = (1..=16).map(hold).collect();
        let (silent, _) = slots.acquire(peer("192.0.2.1:17"));
        let _more: Vec<_> = (18..60).map(hold).collect();
        assert!(!silent.gives_way().is_cancelled());
    }

    #[test]
    fn a_server_that_is_full_lets_the_oldest_of_all_give_way() {
        let slots = slots(2, 2);
        let (one, _) = slots.acquire(peer("192.0.2.1:1"));
        let (two, _) = slots.acquire(peer("192.0.2.2:1"));
        let _bot = slots.carries_bot(peer("192.0.2.1:1"), SEAT, None).unwrap();
        let (_three, gave_way) = slots.acquire(peer("192.0.2.3:1"));
        assert_eq!(gave_way, Some("connections"));
        assert!(two.gives_way().is_cancelled() && !one.gives_way().is_cancelled());
    }

    #[test]
    fn a_seat_keeps_no_connection_but_that_of_its_newest_stream() {
        let slots = slots(10, 3);
        let peers = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3"].map(peer);
        let held = peers.map(|peer| slots.acquire(peer).0);
        let streams = peers.map(|peer| slots.carries_bot(peer, SEAT, None).unwrap());
        let (newest, gave_way) = slots.acquire(peer("192.0.2.1:4"));
        assert_eq!(gave_way, Some("connections_per_address"));
        let gave_way = |slot: &ConnectionSlot| slot.gives_way().is_cancelled();
        assert_eq!(held.each_ref().map(gave_way), [true, false, false]);
        // The end of an older stream takes nothing from the newest.
        let [first, second, third] = streams;
        drop([first, second]);
        let others = ["192.0.2.1:5", "192.0.2.1:6"].map(|text| slots.acquire(peer(text)));
        assert_eq!(held.each_ref().map(gave_way), [true, true, false]);
        drop(third);
        drop((held, newest, others));
        assert!(slots.taken().is_empty());
    }

    #[test]
    fn nothing_stays_of_connections_that_are_gone() {
        let slots = slots(2, 1);
        let held = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1", "192.0.2.3:1"]
            .map(|text| slots.acquire(peer(text)));
        let bot = slots.carries_bot(peer("192.0.2.3:1"), SEAT, None).unwrap();
        drop(held);
        drop(bot);
        assert!(slots.taken().is_empty());
        assert!(slots.carries_bot(peer("192.0.2.3:1"), SEAT, None).is_none());
    }

    #[test]
    fn one_key_holds_no_more_slots_against_others_than_its_share() {
        let slots = slots_of_keys(10, 4, 2);
        let seats: Vec<_> = (1..=4_u8)
            .map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], "greedy"))
            .collect();
        let gave_way = || {
            let given = seats
                .iter()
                .map(|(slot, _)| slot.gives_way().is_cancelled());
            given.collect::<Vec<_>>()
        };
        // Its first two are protected, and of the others the oldest gives way to each newcomer.
        let honest = with_bot(&slots, "192.0.2.1:5", [5; 32], "honest");
        assert_eq!(gave_way(), [false, false, true, false]);
        let other = with_bot(&slots, "192.0.2.1:6", [6; 32], "other");
        assert_eq!(gave_way(), [false, false, true, true]);
        drop((seats, honest, other));
        assert!(slots.taken().is_empty());
    }

    #[test]
    fn a_bot_beyond_the_share_of_its_key_is_protected_once_there_is_room_in_it() {
        let slots = slots_of_keys(10, 4, 1);
        let [first, second, third, _fourth] =
            [1, 2, 3, 4_u8].map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], "key"));
        drop(first);
        let _newer = ["192.0.2.1:5", "192.0.2.1:6"].map(|text| slots.acquire(peer(text)));
        assert!(!second.0.gives_way().is_cancelled());
        assert!(third.0.gives_way().is_cancelled());
    }

    #[test]
    fn a_connection_with_bots_of_two_keys_is_protected_while_one_of_them_has_room() {
        let slots = slots_of_keys(10, 2, 1);
        let key = KeyId::new("honest").unwrap();
        let _first = with_bot(&slots, "192.0.2.2:1", [1; 32], "greedy");
        let shared = with_bot(&slots, "192.0.2.1:1", [2; 32], "greedy");
        let honest = slots.carries_bot(peer("192.0.2.1:1"), [3; 32], Some(&key));
        let _idle = slots.acquire(peer("192.0.2.1:2"));
        let _newer = slots.acquire(peer("192.0.2.1:3"));
        assert!(!shared.0.gives_way().is_cancelled());
        drop(honest);
        let _also = with_bot(&slots, "192.0.2.1:4", [4; 32], "greedy");
        let _newest = slots.acquire(peer("192.0.2.1:5"));
        assert!(shared.0.gives_way().is_cancelled());
    }

    #[test]
    fn on_a_full_server_the_address_with_most_connections_gives_way() {
        let slots = slots(4, 4);
        let acquire = |text: &str| slots.acquire(peer(text)).0;
        let guest = acquire("192.0.2.1:1");
        let crowd = [1, 2, 3].map(|port| acquire(&format!("[2001:db8::{port}]:{port}")));
        let _newcomers = ["192.0.2.3:1", "192.0.2.4:1"].map(acquire);
        let gave_way = |slot: &ConnectionSlot| slot.gives_way().is_cancelled();
        assert!(!gave_way(&guest));
        assert_eq!(crowd.each_ref().map(gave_way), [true, true, false]);
        // Among addresses with as many it is the oldest connection.
        let _newest = acquire("192.0.2.5:1");
        assert!(gave_way(&guest));
    }
}

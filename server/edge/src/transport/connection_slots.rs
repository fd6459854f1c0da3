//! Connection slots: a limit on the number of connections, and the rules by which a new connection
//! evicts another.
//!
//! The bot behind a connection is unknown until it presents a ticket. So a new connection always
//! gets a slot, and evicts an unprotected connection if necessary. The evicted connection is from
//! the same address if that address is full. If the whole server is full, it is from the address
//! with the most connections.
//!
//! A connection is protected while it carries a bot's stream, so a flood of connections from an
//! address does not disconnect bots at the same address. A seat protects only the connection of its
//! newest open stream, and a key protects a limited number of connections. So neither one ticket
//! nor one key with many matches can occupy all slots. One connection in four is never protected,
//! so there is always a connection to evict. The keys whose bots use an address share the protected
//! connections of that address. Of its unprotected connections, those with bots and those without
//! are in two queues, and the oldest one of the larger queue is evicted first.

mod table;

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

use bridgemaster_store::KeyId;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use self::table::{MaxProtected, SeatFingerprint, SlotTable};
use super::Origin;
use crate::limits::{Limits, max_protected_connections};

/// A server's connection slots, limited in total and per address.
pub struct ConnectionSlots {
    max_connections: usize,
    max_per_address: usize,
    table: Mutex<SlotTable>,
}

/// A connection's slot, released on drop.
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    peer: SocketAddr,
    number: u64,
    evicted: CancellationToken,
}

/// Protects the connection that carries a bot's stream, as long as this stream is the newest open
/// stream of its seat. The number of protected connections per key is limited.
pub struct SeatProtection {
    slots: Arc<ConnectionSlots>,
    seat: SeatFingerprint,
    stream: u64,
    superseded: CancellationToken,
}

/// Protects a connection for its whole life, since this value belongs to the connection. Clones
/// share it.
#[derive(Clone, Default)]
pub struct ConnectionProtection(Arc<OnceLock<Option<SeatProtection>>>);

impl ConnectionProtection {
    /// Protects the connection of `peer`, unless this value already protects it. Of the connections
    /// with the same mark, only the newest is protected.
    pub fn start(&self, slots: &Arc<ConnectionSlots>, peer: SocketAddr, mark: SeatFingerprint) {
        self.0.get_or_init(|| slots.protect(peer, mark, None));
    }
}

impl ConnectionSlots {
    /// Creates the slots for the port of programs.
    pub fn new(limits: &Limits) -> Arc<Self> {
        let max_per_key = limits.protected_connections_per_key;
        Self::with_bots(limits.connections, limits.connections_per_address, max_per_key)
    }

    /// Creates the slots for the page's port.
    pub fn for_page(limits: &Limits) -> Arc<Self> {
        let max_per_key = limits.protected_connections_per_key;
        Self::with_bots(limits.page_connections, limits.page_connections_per_address, max_per_key)
    }

    /// Creates the slots of a port without bots, on which no connection is protected.
    pub fn without_bots(max_connections: usize, max_per_address: usize) -> Arc<Self> {
        let table = Mutex::default();
        Arc::new(Self { max_connections, max_per_address, table })
    }

    fn with_bots(max_connections: usize, max_per_address: usize, per_key: usize) -> Arc<Self> {
        let table = SlotTable::new(MaxProtected {
            per_key,
            per_origin: max_protected_connections(max_per_address),
            total: max_protected_connections(max_connections),
        });
        Arc::new(Self { max_connections, max_per_address, table: Mutex::new(table) })
    }

    /// Acquires a slot. The second value names the limit for which another connection was evicted,
    /// if any.
    pub(super) fn acquire(
        self: &Arc<Self>,
        peer: SocketAddr,
    ) -> (ConnectionSlot, Option<&'static str>) {
        let mut table = self.table();
        let origin = Origin::from(peer.ip());
        let full = if table.of_origin(origin) >= self.max_per_address {
            Some(("connections_per_address", table.next_evicted_of(origin)))
        } else if table.len() >= self.max_connections {
            Some(("connections", table.next_evicted()))
        } else {
            None
        };
        // Some connections are always unprotected, so there is a connection to evict.
        let evicted = full.and_then(|(_, next)| table.remove(next?));
        if let Some(evicted) = evicted {
            evicted.cancel();
        }
        // If this peer has an older connection, it has ended, although its slot is not released
        // yet.
        table.remove(peer);
        let evicted = CancellationToken::new();
        let number = table.add(peer, evicted.clone());
        let slot = ConnectionSlot { slots: Arc::clone(self), peer, number, evicted };
        (slot, full.map(|(limit, _)| limit))
    }

    /// Counts the connection of `peer`, a node that forwards calls, against the network of the
    /// original caller. If that network is at its limit, another connection that counts against it
    /// is evicted.
    pub(super) fn count_for(&self, peer: SocketAddr, origin: Origin) {
        let mut table = self.table();
        if !table.is_of_other_origin(peer, origin) {
            return;
        }
        if table.of_origin(origin) >= self.max_per_address
            && let Some(next) = table.next_evicted_of(origin)
            && let Some(evicted) = table.remove(next)
        {
            evicted.cancel();
        }
        table.set_origin(peer, origin);
    }

    /// Protects the connection of `peer` until the guard is dropped, as long as the stream is the
    /// newest open stream of its seat. `key` is the key of the bot, if the server uses keys.
    /// Returns `None` if the connection is gone.
    pub fn protect(
        self: &Arc<Self>,
        peer: SocketAddr,
        seat: SeatFingerprint,
        key: Option<&KeyId>,
    ) -> Option<SeatProtection> {
        let superseded = CancellationToken::new();
        let stream = self.table().add_stream(peer, seat, key.cloned(), superseded.clone())?;
        Some(SeatProtection { slots: Arc::clone(self), seat, stream, superseded })
    }

    fn table(&self) -> MutexGuard<'_, SlotTable> {
        self.table.lock()
    }
}

impl ConnectionSlot {
    pub(super) fn slots(&self) -> &Arc<ConnectionSlots> {
        &self.slots
    }

    /// Cancelled when the connection is evicted.
    pub(super) fn evicted(&self) -> &CancellationToken {
        &self.evicted
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.table().remove_if_current(self.peer, self.number);
    }
}

impl SeatProtection {
    /// Completes when a newer stream of the seat is opened.
    pub async fn superseded(&self) {
        self.superseded.cancelled().await;
    }
}

impl Drop for SeatProtection {
    fn drop(&mut self) {
        self.slots.table().remove_stream(&self.seat, self.stream);
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

    /// Acquires a slot for a connection that carries a bot of a key.
    fn with_bot(
        slots: &Arc<ConnectionSlots>,
        text: &str,
        seat: SeatFingerprint,
        key: &str,
    ) -> (ConnectionSlot, SeatProtection) {
        let (slot, _) = slots.acquire(peer(text));
        let key = KeyId::new(key).unwrap();
        let protection = slots.protect(peer(text), seat, Some(&key)).unwrap();
        (slot, protection)
    }

    const SEAT: SeatFingerprint = [1; 32];
    const OTHER: SeatFingerprint = [2; 32];

    fn peer(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_new_connection_evicts_the_oldest_one_without_a_bot() {
        let slots = slots(10, 3);
        let acquire = |text| slots.acquire(peer(text));
        let (bots, _) = acquire("192.0.2.1:1");
        let (other, _) = acquire("192.0.2.1:2");
        let (_third, _) = acquire("192.0.2.1:3");
        let protection = slots.protect(peer("192.0.2.1:1"), SEAT, None).unwrap();
        let (newest, limit) = acquire("192.0.2.1:4");
        assert_eq!(limit, Some("connections_per_address"));
        assert!(other.evicted().is_cancelled() && !bots.evicted().is_cancelled());
        assert!(acquire("192.0.2.2:1").1.is_none());
        // The slot of an evicted connection must not be released a second time.
        drop(other);
        let also = slots.protect(peer("192.0.2.1:4"), OTHER, None).unwrap();
        let (_fifth, limit) = acquire("192.0.2.1:5");
        assert_eq!(limit, Some("connections_per_address"));
        drop(protection);
        let _others = ["192.0.2.1:6", "192.0.2.1:7"].map(acquire);
        assert!(bots.evicted().is_cancelled() && !newest.evicted().is_cancelled());
        drop(also);
    }

    #[test]
    fn a_connection_of_a_node_counts_for_its_caller() {
        let slots = slots(10, 2);
        let caller = Origin::from(peer("198.51.100.7:1").ip());
        let of_node: Vec<_> = (1..=3)
            .map(|port| {
                let node = peer(&format!("192.0.2.1:{port}"));
                let (slot, limit) = slots.acquire(node);
                assert_eq!(limit, None, "the node's own address is never full");
                slots.count_for(node, caller);
                slots.count_for(node, caller);
                slot
            })
            .collect();
        let evicted: Vec<bool> = of_node.iter().map(|slot| slot.evicted().is_cancelled()).collect();
        assert_eq!(evicted, [true, false, false]);
        let (direct, limit) = slots.acquire(peer("198.51.100.7:9"));
        assert_eq!(limit, Some("connections_per_address"));
        assert!(of_node[1].evicted().is_cancelled());
        drop((of_node, direct));
        assert!(slots.table().is_empty());
    }

    #[test]
    fn a_new_connection_gets_a_slot_however_many_bots_are_at_its_address() {
        let slots = slots(100, 8);
        let bots: Vec<_> = (1..=8_u8)
            .map(|n| {
                let peer = peer(&format!("192.0.2.1:{n}"));
                let (slot, _) = slots.acquire(peer);
                (slot, slots.protect(peer, [n; 32], None).unwrap())
            })
            .collect();
        let was_evicted = || {
            let given = bots.iter().map(|(slot, _)| slot.evicted());
            given.map(CancellationToken::is_cancelled).collect::<Vec<_>>()
        };
        // Three quarters of the connections are protected.
        let back = peer("192.0.2.1:9");
        let (slot, full) = slots.acquire(back);
        assert_eq!(full, Some("connections_per_address"));
        let first_six = [false; 6];
        assert_eq!(was_evicted(), [&first_six[..], &[true, false]].concat());
        // Any number of connections without bots must not evict a connection with a bot.
        let _bot = slots.protect(back, [9; 32], None).unwrap();
        for port in 10..100 {
            slots.acquire(peer(&format!("192.0.2.1:{port}")));
        }
        let held = (100..110).map(|port| slots.acquire(peer(&format!("192.0.2.1:{port}"))));
        let _held: Vec<_> = held.collect();
        assert!(!slot.evicted().is_cancelled());
        assert_eq!(was_evicted()[..6], first_six);
    }

    #[test]
    fn keys_that_fill_an_address_leave_capacity_for_another() {
        let slots = slots_of_keys(100, 8, 2);
        let greedy: Vec<_> = (0..8_u8)
            .map(|n| {
                let key = format!("greedy-{}", n / 2);
                with_bot(&slots, &format!("192.0.2.1:{}", n + 1), [n; 32], &key)
            })
            .collect();
        // Three of the four keys protect two connections each, so one of them loses its newer one.
        let honest = with_bot(&slots, "192.0.2.1:9", [9; 32], "honest");
        let more: Vec<_> = (10..30_u8)
            .map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], &format!("more-{n}")))
            .collect();
        assert!(!honest.0.evicted().is_cancelled());
        let protected = greedy.iter().filter(|(slot, _)| !slot.evicted().is_cancelled());
        assert!(protected.count() >= 3);
        drop((greedy, honest, more));
        assert!(slots.table().is_empty());
    }

    #[test]
    fn unprotected_bots_do_not_evict_connections_without_a_ticket_yet() {
        let slots = slots(100, 16);
        let hold = |n: u8| {
            let peer = peer(&format!("192.0.2.1:{n}"));
            let (slot, _) = slots.acquire(peer);
            (slot, slots.protect(peer, [n; 32], None))
        };
        let _bots: Vec<_> = (1..=16).map(hold).collect();
        let (silent, _) = slots.acquire(peer("192.0.2.1:17"));
        let _more: Vec<_> = (18..60).map(hold).collect();
        assert!(!silent.evicted().is_cancelled());
    }

    #[test]
    fn another_stream_does_not_make_an_unprotected_connection_newer() {
        let slots = slots_of_keys(10, 4, 1);
        let [_first, second, third] =
            [1, 2, 3_u8].map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], "key"));
        let key = KeyId::new("key").unwrap();
        let _another = slots.protect(peer("192.0.2.1:2"), [9; 32], Some(&key));
        let _newer = ["192.0.2.1:4", "192.0.2.1:5"].map(|text| slots.acquire(peer(text)));
        assert!(second.0.evicted().is_cancelled() && !third.0.evicted().is_cancelled());
    }

    #[test]
    fn a_full_server_evicts_its_oldest_connection() {
        let slots = slots(2, 2);
        let (one, _) = slots.acquire(peer("192.0.2.1:1"));
        let (two, _) = slots.acquire(peer("192.0.2.2:1"));
        let _bot = slots.protect(peer("192.0.2.1:1"), SEAT, None).unwrap();
        let (_three, limit) = slots.acquire(peer("192.0.2.3:1"));
        assert_eq!(limit, Some("connections"));
        assert!(two.evicted().is_cancelled() && !one.evicted().is_cancelled());
    }

    #[test]
    fn a_seat_protects_only_the_connection_of_its_newest_stream() {
        let slots = slots(10, 3);
        let peers = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3"].map(peer);
        let held = peers.map(|peer| slots.acquire(peer).0);
        let streams = peers.map(|peer| slots.protect(peer, SEAT, None).unwrap());
        let (newest, limit) = slots.acquire(peer("192.0.2.1:4"));
        assert_eq!(limit, Some("connections_per_address"));
        let was_evicted = |slot: &ConnectionSlot| slot.evicted().is_cancelled();
        assert_eq!(held.each_ref().map(was_evicted), [true, false, false]);
        // When an older stream ends, the newest one stays protected.
        let [first, second, third] = streams;
        drop([first, second]);
        let others = ["192.0.2.1:5", "192.0.2.1:6"].map(|text| slots.acquire(peer(text)));
        assert_eq!(held.each_ref().map(was_evicted), [true, true, false]);
        drop(third);
        drop((held, newest, others));
        assert!(slots.table().is_empty());
    }

    #[test]
    fn the_previous_stream_protects_its_connection_again_after_the_newest_one() {
        let slots = slots(10, 4);
        let [bots, late] = ["192.0.2.1:1", "192.0.2.1:2"].map(|text| slots.acquire(peer(text)).0);
        let playing = slots.protect(peer("192.0.2.1:1"), SEAT, None).unwrap();
        let refused = slots.protect(peer("192.0.2.1:2"), SEAT, None).unwrap();
        drop(refused);
        let _newer: Vec<_> =
            (3..=9).map(|port| slots.acquire(peer(&format!("192.0.2.1:{port}")))).collect();
        assert!(late.evicted().is_cancelled() && !bots.evicted().is_cancelled());
        drop((bots, playing));
    }

    #[test]
    fn an_ended_stream_does_not_protect_a_later_connection_of_its_peer() {
        let slots = slots(10, 4);
        let reused = peer("192.0.2.1:1");
        let (_ended, _) = slots.acquire(reused);
        let _old_stream = slots.protect(reused, SEAT, None).unwrap();
        let (_other, _) = slots.acquire(peer("192.0.2.1:2"));
        let newest = slots.protect(peer("192.0.2.1:2"), SEAT, None).unwrap();
        let (later, _) = slots.acquire(reused);
        drop(newest);
        let _newer: Vec<_> =
            (3..=9).map(|port| slots.acquire(peer(&format!("192.0.2.1:{port}")))).collect();
        assert!(later.evicted().is_cancelled());
    }

    #[test]
    fn closed_connections_leave_nothing_behind() {
        let slots = slots(2, 1);
        let held = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1", "192.0.2.3:1"]
            .map(|text| slots.acquire(peer(text)));
        let bot = slots.protect(peer("192.0.2.3:1"), SEAT, None).unwrap();
        drop(held);
        drop(bot);
        assert!(slots.table().is_empty());
        assert!(slots.protect(peer("192.0.2.3:1"), SEAT, None).is_none());
    }

    #[test]
    fn protected_slots_of_one_key_are_limited() {
        let slots = slots_of_keys(10, 4, 2);
        let seats: Vec<_> = (1..=4_u8)
            .map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], "greedy"))
            .collect();
        let was_evicted = || {
            let given = seats.iter().map(|(slot, _)| slot.evicted().is_cancelled());
            given.collect::<Vec<_>>()
        };
        // The first two connections of the key are protected, and each new connection evicts the
        // oldest of the others.
        let honest = with_bot(&slots, "192.0.2.1:5", [5; 32], "honest");
        assert_eq!(was_evicted(), [false, false, true, false]);
        let other = with_bot(&slots, "192.0.2.1:6", [6; 32], "other");
        assert_eq!(was_evicted(), [false, false, true, true]);
        drop((seats, honest, other));
        assert!(slots.table().is_empty());
    }

    #[test]
    fn a_bot_beyond_the_limit_of_its_key_is_protected_once_there_is_capacity() {
        let slots = slots_of_keys(10, 4, 1);
        let [first, second, third, _fourth] =
            [1, 2, 3, 4_u8].map(|n| with_bot(&slots, &format!("192.0.2.1:{n}"), [n; 32], "key"));
        drop(first);
        let _newer = ["192.0.2.1:5", "192.0.2.1:6"].map(|text| slots.acquire(peer(text)));
        assert!(!second.0.evicted().is_cancelled());
        assert!(third.0.evicted().is_cancelled());
    }

    #[test]
    fn a_connection_with_bots_of_two_keys_is_protected_while_one_of_them_has_capacity() {
        let slots = slots_of_keys(10, 2, 1);
        let key = KeyId::new("honest").unwrap();
        let _first = with_bot(&slots, "192.0.2.2:1", [1; 32], "greedy");
        let shared = with_bot(&slots, "192.0.2.1:1", [2; 32], "greedy");
        let honest = slots.protect(peer("192.0.2.1:1"), [3; 32], Some(&key));
        let _idle = slots.acquire(peer("192.0.2.1:2"));
        let _newer = slots.acquire(peer("192.0.2.1:3"));
        assert!(!shared.0.evicted().is_cancelled());
        drop(honest);
        let _also = with_bot(&slots, "192.0.2.1:4", [4; 32], "greedy");
        let _newest = slots.acquire(peer("192.0.2.1:5"));
        assert!(shared.0.evicted().is_cancelled());
    }

    #[test]
    fn a_full_server_evicts_from_the_address_with_most_connections() {
        let slots = slots(4, 4);
        let acquire = |text: &str| slots.acquire(peer(text)).0;
        let guest = acquire("192.0.2.1:1");
        let crowded = [1, 2, 3].map(|port| acquire(&format!("[2001:db8::{port}]:{port}")));
        let _newcomers = ["192.0.2.3:1", "192.0.2.4:1"].map(acquire);
        let was_evicted = |slot: &ConnectionSlot| slot.evicted().is_cancelled();
        assert!(!was_evicted(&guest));
        assert_eq!(crowded.each_ref().map(was_evicted), [true, true, false]);
        // If several addresses have the same number of connections, the oldest connection is
        // evicted.
        let _newest = acquire("192.0.2.5:1");
        assert!(was_evicted(&guest));
    }
}

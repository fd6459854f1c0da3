//! How many connections may be protected, and for whom they are.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use bridgemaster_store::KeyId;

use crate::{
    limits::{Limits, most_protected},
    transport::Origin,
};

/// What protects connections: each is protected for the keys of the bots that it carries, or on a
/// server without keys for nobody in particular. One that is protected for two keys counts twice.
pub(super) struct Protection {
    most_of_key: usize,
    most_of_origin: usize,
    most_in_all: usize,
    in_all: usize,
    of_keys: HashMap<KeyId, usize>,
    of_origins: HashMap<Origin, OfOrigin>,
}

/// What protects connections of one address.
#[derive(Default)]
struct OfOrigin {
    count: usize,
    /// For each key the connections by their numbers.
    for_keys: HashMap<Option<KeyId>, BTreeMap<u64, SocketAddr>>,
}

impl Protection {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            most_of_key: limits.protected_connections_per_key,
            most_of_origin: most_protected(limits.connections_per_address),
            most_in_all: most_protected(limits.connections),
            ..Self::none()
        }
    }

    /// For the port of the page.
    pub(super) fn of_page(limits: &Limits) -> Self {
        Self {
            most_of_key: limits.protected_connections_per_key,
            most_of_origin: most_protected(limits.page_connections_per_address),
            most_in_all: most_protected(limits.page_connections),
            ..Self::none()
        }
    }

    /// Nothing is ever protected.
    pub(super) fn none() -> Self {
        Self {
            most_of_key: 0,
            most_of_origin: 0,
            most_in_all: 0,
            in_all: 0,
            of_keys: HashMap::new(),
            of_origins: HashMap::new(),
        }
    }

    /// Whether one more connection of this address can be protected for this key.
    pub(super) fn has_room(&self, origin: Origin, key: &Option<KeyId>) -> bool {
        let of_origin = self.of_origins.get(&origin).map_or(0, |of| of.count);
        let has_address = of_origin < self.most_of_origin;
        has_address && self.in_all < self.most_in_all && self.key_has_room(key)
    }

    /// Has the key that protects most connections of an address give one up, its newest, for
    /// another key that protects at least two fewer there: which connection, and for which key.
    pub(super) fn release_of_largest(
        &mut self,
        origin: Origin,
        key: &Option<KeyId>,
    ) -> Option<(Option<KeyId>, SocketAddr)> {
        if !self.key_has_room(key) {
            return None;
        }
        let for_keys = &self.of_origins.get(&origin)?.for_keys;
        let own = for_keys.get(key).map_or(0, BTreeMap::len);
        let (largest, connections) = for_keys.iter().max_by_key(|(_, of_key)| of_key.len())?;
        if connections.len() < own + 2 {
            return None;
        }
        let (number, peer) = connections.last_key_value()?;
        let (largest, number, peer) = (largest.clone(), *number, *peer);
        self.release(origin, &largest, number);
        Some((largest, peer))
    }

    /// The connection of this number is protected for a key.
    pub(super) fn acquire(
        &mut self,
        origin: Origin,
        key: &Option<KeyId>,
        number: u64,
        peer: SocketAddr,
    ) {
        let of_origin = self.of_origins.entry(origin).or_default();
        let for_key = of_origin.for_keys.entry(key.clone()).or_default();
        if for_key.insert(number, peer).is_some() {
            return;
        }
        of_origin.count += 1;
        self.in_all += 1;
        if let Some(key) = key {
            *self.of_keys.entry(key.clone()).or_default() += 1;
        }
    }

    /// It is so no more.
    pub(super) fn release(&mut self, origin: Origin, key: &Option<KeyId>, number: u64) {
        let Some(of_origin) = self.of_origins.get_mut(&origin) else {
            return;
        };
        let Some(for_key) = of_origin.for_keys.get_mut(key) else {
            return;
        };
        if for_key.remove(&number).is_none() {
            return;
        }
        if for_key.is_empty() {
            of_origin.for_keys.remove(key);
        }
        of_origin.count = of_origin.count.saturating_sub(1);
        if of_origin.for_keys.is_empty() {
            self.of_origins.remove(&origin);
        }
        self.in_all = self.in_all.saturating_sub(1);
        let Some(key) = key else {
            return;
        };
        if let Some(count) = self.of_keys.get_mut(key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.of_keys.remove(key);
            }
        }
    }

    fn key_has_room(&self, key: &Option<KeyId>) -> bool {
        let of_key = |key| self.of_keys.get(key).copied().unwrap_or_default();
        key.as_ref()
            .is_none_or(|key| of_key(key) < self.most_of_key)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.in_all == 0 && self.of_keys.is_empty() && self.of_origins.is_empty()
    }
}

//! The limit on protected connections, and the keys for which connections are protected.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
};

use bridgemaster_store::KeyId;

use crate::{
    limits::{Limits, max_protected_connections},
    transport::Origin,
};

/// The protected connections. A connection is protected for the keys of the bots that it carries;
/// on a server without keys, for the key `None`. A connection that is protected for two keys counts
/// twice.
#[derive(Default)]
pub(super) struct ProtectedConnections {
    max_per_key: usize,
    max_per_origin: usize,
    max_total: usize,
    total: usize,
    by_key: HashMap<KeyId, usize>,
    by_origin: HashMap<Origin, OriginProtection>,
}

/// The protected connections from one address.
#[derive(Default)]
struct OriginProtection {
    count: usize,
    /// The connections per key, by their numbers.
    by_key: HashMap<Option<KeyId>, BTreeMap<u64, SocketAddr>>,
}

impl ProtectedConnections {
    /// Creates the protection of a port with these numbers of connections.
    pub(super) fn new(max_connections: usize, max_per_address: usize, limits: &Limits) -> Self {
        Self {
            max_per_key: limits.protected_connections_per_key,
            max_per_origin: max_protected_connections(max_per_address),
            max_total: max_protected_connections(max_connections),
            ..Self::default()
        }
    }

    /// Returns whether one more connection from this address can be protected for `key`.
    pub(super) fn has_capacity(&self, origin: Origin, key: &Option<KeyId>) -> bool {
        let of_origin = self.by_origin.get(&origin).map_or(0, |of| of.count);
        let has_address = of_origin < self.max_per_origin;
        has_address && self.total < self.max_total && self.key_has_capacity(key)
    }

    /// Finds the key that protects the most connections from an address. If it protects at least
    /// two more of them than `key`, ends the protection of its newest one. Returns the found key
    /// and the peer of that connection.
    pub(super) fn evict_from_largest(
        &mut self,
        origin: Origin,
        key: &Option<KeyId>,
    ) -> Option<(Option<KeyId>, SocketAddr)> {
        if !self.key_has_capacity(key) {
            return None;
        }
        let by_key = &self.by_origin.get(&origin)?.by_key;
        let own = by_key.get(key).map_or(0, BTreeMap::len);
        let (largest, connections) = by_key.iter().max_by_key(|(_, of_key)| of_key.len())?;
        if connections.len() < own + 2 {
            return None;
        }
        let (number, peer) = connections.last_key_value()?;
        let (largest, number, peer) = (largest.clone(), *number, *peer);
        self.release(origin, &largest, number);
        Some((largest, peer))
    }

    /// Protects a connection for a key.
    pub(super) fn acquire(
        &mut self,
        origin: Origin,
        key: &Option<KeyId>,
        number: u64,
        peer: SocketAddr,
    ) {
        let of_origin = self.by_origin.entry(origin).or_default();
        let for_key = of_origin.by_key.entry(key.clone()).or_default();
        if for_key.insert(number, peer).is_some() {
            return;
        }
        of_origin.count += 1;
        self.total += 1;
        if let Some(key) = key {
            *self.by_key.entry(key.clone()).or_default() += 1;
        }
    }

    /// Ends the protection of a connection for a key.
    pub(super) fn release(&mut self, origin: Origin, key: &Option<KeyId>, number: u64) {
        let Some(of_origin) = self.by_origin.get_mut(&origin) else {
            return;
        };
        let Some(for_key) = of_origin.by_key.get_mut(key) else {
            return;
        };
        if for_key.remove(&number).is_none() {
            return;
        }
        if for_key.is_empty() {
            of_origin.by_key.remove(key);
        }
        of_origin.count = of_origin.count.saturating_sub(1);
        if of_origin.by_key.is_empty() {
            self.by_origin.remove(&origin);
        }
        self.total = self.total.saturating_sub(1);
        let Some(key) = key else {
            return;
        };
        if let Some(count) = self.by_key.get_mut(key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_key.remove(key);
            }
        }
    }

    fn key_has_capacity(&self, key: &Option<KeyId>) -> bool {
        let of_key = |key| self.by_key.get(key).copied().unwrap_or_default();
        key.as_ref().is_none_or(|key| of_key(key) < self.max_per_key)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0 && self.by_key.is_empty() && self.by_origin.is_empty()
    }
}

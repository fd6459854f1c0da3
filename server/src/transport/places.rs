//! How many connections there may be.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::origin::Origin;
use crate::limits::Limits;

/// Places for connections, in all and for one address.
pub(super) struct Places {
    in_all: usize,
    of_one_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    in_all: usize,
    by_origin: HashMap<Origin, usize>,
}

/// A place, given back when it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    origin: Origin,
}

impl Places {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            in_all: limits.connections,
            of_one_address: limits.connections_per_address,
            taken: Mutex::default(),
        }
    }

    /// Takes a place, or tells the limit that is reached.
    pub(super) fn take(self: &Arc<Self>, origin: Origin) -> Result<Place, &'static str> {
        let mut taken = self.taken();
        if taken.in_all >= self.in_all {
            return Err("connections");
        }
        let of_origin = taken.by_origin.get(&origin).copied().unwrap_or_default();
        if of_origin >= self.of_one_address {
            return Err("connections_per_address");
        }
        taken.by_origin.insert(origin, of_origin + 1);
        taken.in_all += 1;
        Ok(Place {
            places: Arc::clone(self),
            origin,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Nothing that holds the lock can leave the counts half changed.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.in_all = taken.in_all.saturating_sub(1);
        if let Some(count) = taken.by_origin.get_mut(&self.origin) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.by_origin.remove(&self.origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_place_is_given_back_and_nothing_stays_of_an_address_that_left() {
        let limits = Limits {
            connections: 3,
            connections_per_address: 2,
            ..Limits::default()
        };
        let places = Arc::new(Places::new(&limits));
        let take = |text: &str| places.take(text.parse::<IpAddr>().unwrap().into());
        let one = take("192.0.2.1").ok().unwrap();
        let _two = take("192.0.2.1").ok().unwrap();
        assert_eq!(take("192.0.2.1").err(), Some("connections_per_address"));
        let three = take("192.0.2.2").ok().unwrap();
        assert_eq!(take("192.0.2.3").err(), Some("connections"));
        drop(three);
        drop(one);
        let _again = take("192.0.2.1").ok().unwrap();
        assert_eq!(places.taken().in_all, 2);
        assert_eq!(places.taken().by_origin.len(), 1);
    }
}

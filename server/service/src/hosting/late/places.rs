//! How many matches may be seen late at once, and by whose making.

use std::sync::Arc;

use bridgemaster_store::KeyName;

use crate::{
    limits::{MAX_LATE_MATCHES, MAX_LATE_MATCHES_PER_KEY},
    refusal::Refusal,
    tally::{Taken, Tally},
    transport::{Share, Shares},
};

/// The places of matches that some see late: of all, and of each key that makes them.
pub(super) struct LatePlaces {
    of_all: Arc<Tally>,
    of_makers: Arc<Shares<KeyName>>,
}

/// The place of one of them, given back when it is dropped.
pub(in super::super) struct LatePlace {
    _of_all: Taken,
    _of_maker: Option<Share<KeyName>>,
}

impl Default for LatePlaces {
    fn default() -> Self {
        Self {
            of_all: Tally::new(MAX_LATE_MATCHES),
            of_makers: Shares::new("late_matches_per_key", MAX_LATE_MATCHES_PER_KEY),
        }
    }
}

impl LatePlaces {
    /// Takes a place for a match that `maker` makes.
    ///
    /// # Errors
    /// When all places are taken, or all of the maker's.
    pub(super) fn take(&self, maker: Option<&KeyName>) -> Result<LatePlace, Refusal> {
        let full = || Refusal::server_limit("late_matches", MAX_LATE_MATCHES);
        Ok(LatePlace {
            _of_all: self.of_all.try_acquire(1).ok_or_else(full)?,
            _of_maker: maker
                .map(|maker| self.of_makers.acquire(maker.clone()))
                .transpose()?,
        })
    }

    /// Takes a place for a match that was made before: limits are for new ones.
    pub(super) fn take_beyond(&self, maker: Option<&KeyName>) -> LatePlace {
        LatePlace {
            _of_all: self.of_all.acquire_beyond(1),
            _of_maker: maker.map(|maker| self.of_makers.acquire_beyond(maker.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit that keeps a maker from one place more.
    fn limit_of(places: &LatePlaces, maker: Option<&KeyName>) -> String {
        let refused = places.take(maker).err().expect("no place is left");
        refused.named("limit").unwrap().to_owned()
    }

    #[test]
    fn no_maker_has_more_than_its_share_and_all_have_no_more_than_the_server_has() {
        let places = LatePlaces::default();
        let names = (0..).map(|number| KeyName::new(format!("maker {number}")).unwrap());
        let makers: Vec<_> = names
            .take(MAX_LATE_MATCHES / MAX_LATE_MATCHES_PER_KEY)
            .collect();
        let mut taken = Vec::new();
        for maker in &makers {
            let share = (0..MAX_LATE_MATCHES_PER_KEY).map(|_| places.take(Some(maker)));
            taken.push(share.collect::<Result<Vec<_>, _>>().unwrap());
            if taken.len() < makers.len() {
                assert_eq!(limit_of(&places, Some(maker)), "late_matches_per_key");
            }
        }
        let other = KeyName::new("other").unwrap();
        assert_eq!(limit_of(&places, Some(&other)), "late_matches");
        drop(taken.pop());
        places.take(Some(&other)).expect("places are given back");
    }

    #[test]
    fn what_was_made_before_has_a_place_in_any_case_and_counts_for_what_is_made_then() {
        let places = LatePlaces::default();
        let before: Vec<_> = (0..=MAX_LATE_MATCHES)
            .map(|_| places.take_beyond(None))
            .collect();
        assert_eq!(limit_of(&places, None), "late_matches");
        drop(before);
        places.take(None).expect("places are given back");
    }
}

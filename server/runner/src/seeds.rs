//! Generates random numbers, and derives the seeds for groups, matches and built-in bots.

use std::collections::HashSet;

use rand::{TryRng as _, rngs::SysRng};
use sha2::{Digest as _, Sha256};

use crate::{MatchNumber, Seeds};

/// The number of hash bytes in a seed: enough to rule out collisions and preimages.
const SEED_BYTES: usize = 16;

/// Returns `BYTES` random bytes as hex digits; `None` if the system has no random numbers.
pub(crate) fn random_hex<const BYTES: usize>() -> Option<String> {
    let mut bytes = [0; BYTES];
    SysRng.try_fill_bytes(&mut bytes).ok()?;
    Some(hex::encode(bytes))
}

/// The source from which a contest's group seeds come.
#[derive(Clone, Debug)]
pub(crate) struct GroupSeeds {
    /// The seeds, without duplicates.
    seeds: Seeds,
    /// The number of duplicates that were removed from a list.
    pub(crate) duplicates: u64,
}

impl GroupSeeds {
    pub(crate) fn new(seeds: &Seeds) -> Self {
        let mut seeds = seeds.clone();
        let mut duplicates = 0;
        if let Seeds::Listed(listed) = &mut seeds {
            let (before, mut seen) = (listed.len(), HashSet::new());
            listed.retain(|seed| seen.insert(seed.clone()));
            duplicates = (before - listed.len()) as u64;
        }
        Self { seeds, duplicates }
    }

    /// Returns the number of seeds; `None` if it is unlimited.
    pub(crate) fn count(&self) -> Option<u64> {
        match &self.seeds {
            Seeds::From(_) => None,
            Seeds::Listed(seeds) => Some(seeds.len() as u64),
        }
    }

    /// Returns the seed of a group; `None` past the end of a list. Derived seeds are hashes, so a
    /// seed reveals nothing about those of other groups.
    pub(crate) fn group_seed(&self, group: u64) -> Option<String> {
        match &self.seeds {
            Seeds::From(seed) => Some(hash(&["group", seed, &group.to_string()])),
            Seeds::Listed(seeds) => seeds.get(usize::try_from(group).ok()?).cloned(),
        }
    }
}

/// Returns a built-in bot's seed. It differs for each seat in each match, but is the same in a
/// repeated match.
pub(crate) fn built_in_bot_seed(group_seed: &str, of: MatchNumber, seat: usize) -> String {
    hash(&["bot", group_seed, &of.to_string(), &seat.to_string()])
}

/// Returns the seed of one match, for bots that might remember earlier matches of the group.
/// `nonce` is random for each creation of the match. So a repeated match has a different seed, even
/// if an earlier run was killed before it stored the match.
pub(crate) fn match_seed(group_seed: &str, of: MatchNumber, nonce: &str) -> String {
    hash(&["match", group_seed, &of.to_string(), nonce])
}

fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new_with_prefix("bridgemaster contest");
    for part in parts {
        // No part contains a line feed, so the parts cannot run together.
        hash.update(b"\n");
        hash.update(part);
    }
    hex::encode(&hash.finalize()[..SEED_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GroupNumber;

    #[test]
    fn each_group_has_its_own_reproducible_seed() {
        let seeds = GroupSeeds::new(&Seeds::From("spring".to_owned()));
        let first: Vec<_> = (0..50).map(|group| seeds.group_seed(group)).collect();
        let again: Vec<_> = (0..50).map(|group| seeds.group_seed(group)).collect();
        assert_eq!(first, again);
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 50);
        let other = GroupSeeds::new(&Seeds::From("summer".to_owned()));
        assert_ne!(seeds.group_seed(0), other.group_seed(0));
    }

    #[test]
    fn a_seed_that_is_listed_twice_is_played_once() {
        let listed = ["a", "b", "a", "c"].map(str::to_owned).to_vec();
        let seeds = GroupSeeds::new(&Seeds::Listed(listed));
        assert_eq!((seeds.count(), seeds.duplicates), (Some(3), 1));
        assert_eq!(seeds.group_seed(2).as_deref(), Some("c"));
        assert_eq!(seeds.group_seed(3), None);
    }

    #[test]
    fn a_repeated_match_has_another_seed_if_bots_may_remember() {
        let of = |number| MatchNumber { group: GroupNumber(1), number };
        let distinct: HashSet<String> = [(0, "a"), (0, "b"), (1, "a")]
            .into_iter()
            .map(|(number, nonce)| match_seed("seed", of(number), nonce))
            .collect();
        assert_eq!(distinct.len(), 3);
    }

    #[test]
    fn built_in_bots_of_different_seats_and_matches_have_different_seeds() {
        let of = |group, number| MatchNumber { group: GroupNumber(group), number };
        let distinct: HashSet<String> =
            [(of(1, 0), 0), (of(1, 0), 1), (of(1, 1), 0), (of(11, 0), 0)]
                .into_iter()
                .map(|(of, seat)| built_in_bot_seed("seed", of, seat))
                .collect();
        assert_eq!(distinct.len(), 4);
    }
}

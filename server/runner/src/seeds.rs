//! Seeds of groups and of built-in bots.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::{MatchNumber, Seeds};

/// Bytes of a hash that become a seed: nobody finds another with the same, or its source.
const SEED_BYTES: usize = 16;

/// The seeds of the groups of a contest.
#[derive(Clone, Debug)]
pub(crate) enum GroupSeeds {
    /// Each follows from this one.
    From(String),
    /// These, each once.
    Listed {
        seeds: Vec<String>,
        /// Seeds of the list that had been there before.
        repeated: u64,
    },
}

impl GroupSeeds {
    pub(crate) fn new(seeds: &Seeds) -> Self {
        match seeds {
            Seeds::From(seed) => Self::From(seed.clone()),
            Seeds::Listed(listed) => {
                let mut known = HashSet::new();
                let seeds: Vec<String> = listed
                    .iter()
                    .filter(|seed| known.insert(seed.as_str()))
                    .cloned()
                    .collect();
                let repeated = (listed.len() - seeds.len()) as u64;
                Self::Listed { seeds, repeated }
            }
        }
    }

    /// How many there are; none for no end of them.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::From(_) => None,
            Self::Listed { seeds, .. } => Some(seeds.len() as u64),
        }
    }

    /// Seeds that were listed again, and are left out.
    pub(crate) fn repeated(&self) -> u64 {
        match self {
            Self::From(_) => 0,
            Self::Listed { repeated, .. } => *repeated,
        }
    }

    /// The seed of a group. A bot that knows the seed of one group learns none of another: each is
    /// a hash.
    pub(crate) fn of(&self, group: u64) -> Option<String> {
        match self {
            Self::From(seed) => Some(hashed(&["group", seed, &group.to_string()])),
            Self::Listed { seeds, .. } => seeds.get(usize::try_from(group).ok()?).cloned(),
        }
    }
}

/// The seed of a built-in bot's own chance: another one for each seat of each match, and the same
/// whenever this match is played.
pub(crate) fn of_built_in_bot(group_seed: &str, of: MatchNumber, seat: usize) -> String {
    hashed(&["bot", group_seed, &of.to_string(), &seat.to_string()])
}

/// The seed of one match of a group whose bots may remember what they played before. `drawn` is
/// drawn for this making of the match: one that is played again has another seed, also where an
/// earlier run was killed before it had stored the match.
pub(crate) fn of_match(group_seed: &str, of: MatchNumber, drawn: &str) -> String {
    hashed(&["match", group_seed, &of.to_string(), drawn])
}

fn hashed(parts: &[&str]) -> String {
    let mut hash = Sha256::new_with_prefix("bridgemaster contest");
    for part in parts {
        // No two lists of parts have the same bytes: neither has a line feed in it.
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
    fn each_group_has_a_seed_of_its_own_that_is_always_the_same() {
        let seeds = GroupSeeds::new(&Seeds::From("spring".to_owned()));
        let first: Vec<_> = (0..50).map(|group| seeds.of(group)).collect();
        let again: Vec<_> = (0..50).map(|group| seeds.of(group)).collect();
        assert_eq!(first, again);
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 50);
        let other = GroupSeeds::new(&Seeds::From("summer".to_owned()));
        assert_ne!(seeds.of(0), other.of(0));
    }

    #[test]
    fn a_seed_that_is_listed_twice_is_played_once() {
        let listed = ["a", "b", "a", "c"].map(str::to_owned).to_vec();
        let seeds = GroupSeeds::new(&Seeds::Listed(listed));
        assert_eq!((seeds.count(), seeds.repeated()), (Some(3), 1));
        assert_eq!(seeds.of(2).as_deref(), Some("c"));
        assert_eq!(seeds.of(3), None);
    }

    #[test]
    fn a_match_that_is_made_again_for_bots_that_may_remember_has_another_seed() {
        let of = |number| MatchNumber {
            group: GroupNumber(1),
            number,
        };
        let drawn: HashSet<String> = [(0, "a"), (0, "b"), (1, "a")]
            .into_iter()
            .map(|(number, drawn)| of_match("seed", of(number), drawn))
            .collect();
        assert_eq!(drawn.len(), 3);
    }

    #[test]
    fn built_in_bots_of_two_seats_or_matches_do_not_share_their_chance() {
        let of = |group, number| MatchNumber {
            group: GroupNumber(group),
            number,
        };
        let drawn: HashSet<String> = [(of(1, 0), 0), (of(1, 0), 1), (of(1, 1), 0), (of(11, 0), 0)]
            .into_iter()
            .map(|(of, seat)| of_built_in_bot("seed", of, seat))
            .collect();
        assert_eq!(drawn.len(), 4);
    }
}

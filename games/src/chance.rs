//! Portable chance: the same seed gives the same draws on every platform and in every version.
//!
//! A seed is text. The SHA-256 of this text is the key of a ChaCha20 generator (64-bit stream
//! number as the nonce, block counter from 0, output words little-endian). Bounded integers and
//! shuffles are implemented here, because a library may change its algorithms between versions.

use std::{fmt, str::FromStr};

use rand_chacha::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The maximum length of a seed text, in characters. A contest's name and a number fit, and the
/// text can be read aloud.
pub const MAX_SEED_CHARS: usize = 64;

/// An error that [`Seed`]'s `from_str` returns.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SeedError {
    /// The text is empty, or longer than [`MAX_SEED_CHARS`]. The value is the number of characters.
    #[error("a seed has 1 to {MAX_SEED_CHARS} characters; this one has {0}")]
    Length(usize),
    /// A character that is not printable ASCII.
    #[error("a seed is printable ASCII without spaces; character {0:?} is not")]
    Character(char),
}

/// The source of every chance result of a match: 1 to 64 printable ASCII characters.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Seed(String);

impl Seed {
    /// Returns the seed's text, which [`FromStr`] reads back.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let chars = text.chars().count();
        if chars == 0 || chars > MAX_SEED_CHARS {
            return Err(SeedError::Length(chars));
        }
        match text.chars().find(|c| !c.is_ascii_graphic()) {
            Some(other) => Err(SeedError::Character(other)),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A seed is secret during its match, so debug output omits it.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// One of a seed's numbered random streams. Streams are independent, so the draws in one part of a
/// game never shift the draws in another part.
#[derive(Clone, Debug)]
pub struct ChanceStream {
    generator: ChaCha20Rng,
    swaps_once: bool,
}

impl ChanceStream {
    /// Creates stream `number` of `seed`, at its start.
    pub fn new(seed: &Seed, number: u64) -> Self {
        let mut generator = ChaCha20Rng::from_seed(Sha256::digest(seed.as_str()).into());
        generator.set_stream(number);
        Self { generator, swaps_once: false }
    }

    /// Makes each shuffle a single swap of two items. If a match is
    /// [redealt](crate::Sample::redeal) with such a stream, it stays equal to the original for a
    /// long time. Comparing the two matches finds hidden facts that leak late in a match.
    pub fn swapping_once(self) -> Self {
        Self { swaps_once: true, ..self }
    }

    /// Returns a uniform integer in `0..bound`. Words are drawn until one is below the largest
    /// multiple of `bound` that fits into 32 bits. This word is reduced modulo `bound`.
    ///
    /// # Panics
    ///
    /// Panics if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no integer below 0");
        let reach = 1u64 << 32;
        let limit = reach - reach % u64::from(bound);
        loop {
            let word = self.generator.next_u32();
            if u64::from(word) < limit {
                return word % bound;
            }
        }
    }

    /// Shuffles in place (Fisher-Yates, from the last item down): item `i` is swapped with item
    /// `below(i + 1)`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        if self.swaps_once && !items.is_empty() {
            let [one, other] = [(); 2].map(|()| self.below(items.len() as u32) as usize);
            return items.swap(one, other);
        }
        for i in (1..items.len()).rev() {
            let other = self.below(i as u32 + 1) as usize;
            items.swap(i, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draws_of_a_seed_are_pinned() {
        let seed: Seed = "london".parse().unwrap();
        let mut stream = ChanceStream::new(&seed, 3);
        let draws: Vec<u32> = (0..8).map(|_| stream.below(1000)).collect();
        let mut items: Vec<u8> = (0..10).collect();
        stream.shuffle(&mut items);
        assert_eq!(draws, [225, 167, 304, 699, 11, 367, 51, 990]);
        assert_eq!(items, [4, 0, 7, 9, 5, 6, 3, 2, 1, 8]);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let seed = Seed::from(1);
        let first: Vec<u32> = (0..4).map(|n| ChanceStream::new(&seed, n).below(u32::MAX)).collect();
        let mut distinct = first.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), first.len());
    }

    #[test]
    fn bounded_integers_reach_both_ends_and_stay_within() {
        let mut stream = ChanceStream::new(&Seed::from(7), 0);
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            seen[stream.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn a_bad_seed_is_refused_with_the_valid_form() {
        assert_eq!("".parse::<Seed>(), Err(SeedError::Length(0)));
        assert_eq!("x".repeat(65).parse::<Seed>(), Err(SeedError::Length(65)));
        assert_eq!("a b".parse::<Seed>(), Err(SeedError::Character(' ')));
    }
}

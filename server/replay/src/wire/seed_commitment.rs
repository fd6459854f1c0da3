//! The commitment to a seed, and its salt.

use std::fmt;

use bridgemaster_games::Seed;
use sha2::{Digest as _, Sha256};

/// The size of a salt in bytes. With this size, even a short seed cannot be found by brute force.
const SALT_BYTES: usize = 32;

/// Random bytes that prevent a seed from being guessed from its commitment; secret while the match
/// runs.
#[derive(Clone, PartialEq, Eq)]
pub struct SeedSalt([u8; SALT_BYTES]);

impl SeedSalt {
    /// Creates a salt from these bytes, which must be unpredictable.
    pub fn new(bytes: [u8; SALT_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads a salt from 64 lower-case hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        // The `hex` crate also accepts upper-case digits.
        if text.bytes().any(|digit| digit.is_ascii_uppercase()) {
            return None;
        }
        let mut bytes = [0; SALT_BYTES];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// Creates a salt from a slice; returns `None` unless it has 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the salt's 32 bytes.
    pub fn as_bytes(&self) -> &[u8; SALT_BYTES] {
        &self.0
    }

    /// Returns the salt as 64 lower-case hex digits. The digits are published when the match has
    /// ended.
    pub fn to_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Returns the commitment to a seed: SHA-256 of the salt and then the seed's text, as 64
    /// lower-case hex digits.
    pub fn commit(&self, seed: &Seed) -> String {
        let digest = Sha256::new().chain_update(self.0).chain_update(seed.as_str()).finalize();
        hex::encode(digest)
    }
}

/// Omits the salt, which is secret and must not be logged.
impl fmt::Debug for SeedSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeedSalt(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_a_salt_parses_as_a_salt() {
        let salt = SeedSalt::new(std::array::from_fn(|at| at as u8 * 7));
        assert_eq!(SeedSalt::from_hex(&salt.to_hex()), Some(salt.clone()));
        let hex = salt.to_hex();
        for other in [
            "",
            &hex[1..],
            &hex.to_uppercase(),
            &format!("{hex}00"),
            &"+1".repeat(SALT_BYTES),
            &"ä".repeat(SALT_BYTES),
        ] {
            assert_eq!(SeedSalt::from_hex(other), None, "{other}");
        }
    }

    #[test]
    fn neither_salt_nor_seed_is_in_debug_output() {
        let seed: Seed = "river-thames".parse().unwrap();
        let salt = SeedSalt::new([0xab; SALT_BYTES]);
        let text = format!("{salt:?} {seed:?}");
        assert!(
            !text.contains("ab") && !text.contains("171") && !text.contains("thames"),
            "{text}"
        );
    }
}

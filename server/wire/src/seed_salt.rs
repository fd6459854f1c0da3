//! The salt of a seed, and the commitment to both.

use std::fmt;

use bridgemaster_games::Seed;
use sha2::{Digest as _, Sha256};

/// Bytes of a salt: with it nobody can find a seed by trying, however short it is.
const SALT_BYTES: usize = 32;

/// Random bytes that keep a seed from being guessed from its commitment; secret while the match
/// runs.
#[derive(Clone, PartialEq, Eq)]
pub struct SeedSalt([u8; SALT_BYTES]);

impl SeedSalt {
    /// The salt of these bytes, which nobody may be able to guess.
    pub fn new(bytes: [u8; SALT_BYTES]) -> Self {
        Self(bytes)
    }

    /// The salt that these 64 lower hex digits are.
    pub fn from_hex(text: &str) -> Option<Self> {
        // `hex` reads capitals too.
        if text.bytes().any(|digit| digit.is_ascii_uppercase()) {
            return None;
        }
        let mut bytes = [0; SALT_BYTES];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The salt of these bytes, if they are as many as one has.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; SALT_BYTES] {
        &self.0
    }

    /// As 64 lower hex digits, to be shown when the match has ended.
    pub fn to_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// The commitment to a seed: SHA-256 of the salt and then the seed's text, as 64 lower hex
    /// digits.
    pub fn commit(&self, seed: &Seed) -> String {
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update(seed.as_str())
            .finalize();
        hex::encode(digest)
    }
}

/// A salt is a secret and stays out of logs.
impl fmt::Debug for SeedSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeedSalt(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salt_reads_back_and_nothing_else_is_one() {
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

//! The server's commitment to a match's seed.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Computes the commitment to a seed, as `PROTOCOL.md` defines it: the SHA-256 hash of the salt
/// followed by the seed's text, as 64 lowercase hex digits. Returns `None` if `seed_salt` is not
/// valid hex.
///
/// [`play`](crate::play()) compares the result with the commitment in MatchStarted. If the seed is
/// revealed only when the match group ends (`SEED_REVEAL_WITH_GROUP`), the caller must make this
/// comparison afterwards. Once the group has ended, `MatchInfo` contains the seed.
pub fn seed_commitment(seed: &str, seed_salt: &str) -> Option<String> {
    let digest = Sha256::new()
        .chain_update(from_hex(seed_salt)?)
        .chain_update(seed)
        .finalize();
    let mut text = String::new();
    for byte in digest {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    pairs
        .iter()
        .map(|[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commitment_of_the_protocols_page_is_that_of_its_seed_and_salt() {
        let page = include_str!("../../../proto/PROTOCOL.md");
        let value = |name: &str| {
            let (_, rest) = page.split_once(&format!("\"{name}\": \""))?;
            rest.split_once('"').map(|(value, _)| value)
        };
        let (seed, salt) = (value("seed"), value("seedSalt"));
        let commitment = seed
            .zip(salt)
            .and_then(|(seed, salt)| seed_commitment(seed, salt));
        assert!(commitment.is_some());
        assert_eq!(commitment.as_deref(), value("seedCommitment"));
    }

    #[test]
    fn a_salt_that_is_not_hex_has_no_commitment() {
        for salt in ["0", "0g", "+1", "ä"] {
            assert_eq!(seed_commitment("seed", salt), None, "{salt}");
        }
    }
}

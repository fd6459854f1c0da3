//! The server's commitment to the seed of a match.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The commitment to a seed, as `PROTOCOL.md` defines it: SHA-256 of the salt and then the seed's
/// text, as 64 lower hex digits. The salt is given in hex; `None` when it is not.
///
/// [`play`](crate::play) compares it with what the server told at the start. Where the seed is told
/// with the group of the match (`SEED_REVEAL_WITH_GROUP`) and the group is not over at the end of the
/// match, there is nothing to compare yet: compare what `MatchInfo` tells later with this.
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
    fn a_salt_that_is_no_hex_commits_to_nothing() {
        for salt in ["0", "0g", "+1", "ä"] {
            assert_eq!(seed_commitment("seed", salt), None, "{salt}");
        }
    }
}

//! API keys in the form that their holders use: an identifier and a secret.

use std::{fmt, str::FromStr};

use bridgemaster_store::{KeyId, SecretHash};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::random::system_bytes;

/// The metadata key in which a call presents its API key.
pub const KEY_METADATA: &str = "x-bridgemaster-key";

/// The prefix of every key, by which secret scanners find leaked keys.
const PREFIX: &str = "bmk";
/// The length of the secret in bytes: 256 random bits cannot be guessed.
const SECRET_BYTES: usize = 32;

/// An API key with its secret. The key's text is `bmk_ID_SECRET`, where `ID` has 16 lower-case hex
/// digits and `SECRET` has 64.
///
/// ```
/// use bridgemaster_server::identity::ApiKey;
///
/// let key = ApiKey::generate();
/// let again: ApiKey = key.reveal().parse()?;
/// assert_eq!(again.id(), key.id());
/// assert_eq!(format!("{key:?}"), format!("ApiKey({}, ..)", key.id()));
/// # Ok::<(), bridgemaster_server::identity::InvalidApiKey>(())
/// ```
#[derive(Clone)]
pub struct ApiKey {
    id: KeyId,
    secret: [u8; SECRET_BYTES],
}

/// The error for a text that is not an API key. The error does not repeat the text, since the text
/// might be a mistyped secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an API key has the form bmk_ID_SECRET, where SECRET has {} hex digits", 2 * SECRET_BYTES)]
pub struct InvalidApiKey;

impl ApiKey {
    /// Generates a key from the system's random source.
    ///
    /// # Panics
    /// If the system has no random source.
    pub fn generate() -> Self {
        let id = format!("{:016x}", u64::from_le_bytes(system_bytes()));
        Self {
            id: KeyId::new(id).expect("16 hex digits are an identifier"),
            secret: system_bytes(),
        }
    }

    /// The key's identifier, which is not secret.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// Returns the hash under which the secret is stored. A plain SHA-256 suffices: slow hashes and
    /// salts protect guessable secrets, not 256 random bits.
    pub fn secret_hash(&self) -> SecretHash {
        SecretHash::new(Sha256::digest(self.secret).into())
    }

    /// Returns the whole text of the key, including the secret. Only the key's holder should see
    /// this text.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}_{}_{}", self.id, hex::encode(self.secret))
    }

    /// Returns whether the secret has this hash, in constant time.
    pub(super) fn has_hash(&self, stored: &SecretHash) -> bool {
        let own = self.secret_hash();
        own.as_bytes()[..].ct_eq(&stored.as_bytes()[..]).into()
    }
}

impl FromStr for ApiKey {
    type Err = InvalidApiKey;

    fn from_str(text: &str) -> Result<Self, InvalidApiKey> {
        let rest = text.strip_prefix(PREFIX).and_then(|t| t.strip_prefix('_'));
        // The last underscore separates the parts, since the secret contains none.
        let (id, secret) = rest.and_then(|t| t.rsplit_once('_')).ok_or(InvalidApiKey)?;
        Ok(Self {
            id: KeyId::new(id).map_err(|_| InvalidApiKey)?,
            secret: from_hex(secret).ok_or(InvalidApiKey)?,
        })
    }
}

/// Omits the secret.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}, ..)", self.id)
    }
}

fn from_hex(text: &str) -> Option<[u8; SECRET_BYTES]> {
    // The `hex` crate also accepts upper-case digits.
    if text.bytes().any(|digit| digit.is_ascii_uppercase()) {
        return None;
    }
    let mut bytes = [0; SECRET_BYTES];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_differ_in_identifier_and_secret() {
        let (one, other) = (ApiKey::generate(), ApiKey::generate());
        assert_ne!(one.id(), other.id());
        assert!(one.has_hash(&one.secret_hash()));
        assert!(!one.has_hash(&other.secret_hash()));
    }

    #[test]
    fn a_key_has_a_fixed_prefix_an_identifier_and_256_bits() {
        let text = ApiKey::generate().reveal();
        let parts: Vec<&str> = text.split('_').collect();
        assert_eq!(parts[0], "bmk");
        assert_eq!((parts[1].len(), parts[2].len(), parts.len()), (16, 64, 3));
    }

    #[test]
    fn a_text_that_differs_in_one_digit_is_another_key_or_none() {
        let key = ApiKey::generate();
        let text = key.reveal();
        let last = if text.ends_with('0') { '1' } else { '0' };
        let other: ApiKey = format!("{}{last}", &text[..text.len() - 1])
            .parse()
            .unwrap();
        assert!(!other.has_hash(&key.secret_hash()));
        let bad = [
            String::new(),
            "bmk".to_owned(),
            "bmk__".to_owned(),
            text[1..].to_owned(),
            text[..text.len() - 1].to_owned(),
            format!("{text}0"),
            text.to_uppercase(),
            text.replace("bmk_", "bmk_a b"),
            format!("bmk_k_{}", "é".repeat(32)),
        ];
        for text in bad {
            assert_eq!(text.parse::<ApiKey>().err(), Some(InvalidApiKey), "{text}");
        }
    }
}

//! An API key as its holder has it: an identifier and a secret.

use std::{fmt, str::FromStr};

use bridgemaster_store::{KeyId, SecretHash};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::random::system_bytes;

/// The metadata in which a call shows its key.
pub const KEY_METADATA: &str = "x-bridgemaster-key";

/// What the text of every key begins with, so that a scanner for leaked secrets finds it.
const PREFIX: &str = "bmk";
/// Bytes of the secret: 256 random bits cannot be guessed.
const SECRET_BYTES: usize = 32;

/// An API key with its secret. Its text is `bmk_ID_SECRET`: 16 lower hex digits of identifier, 64
/// of secret.
///
/// ```
/// use bridgemaster_server::identity::ApiKey;
///
/// let key = ApiKey::draw();
/// let again: ApiKey = key.reveal().parse()?;
/// assert_eq!(again.id(), key.id());
/// assert_eq!(format!("{key:?}"), format!("ApiKey({}, ..)", key.id()));
/// # Ok::<(), bridgemaster_server::identity::NoApiKey>(())
/// ```
#[derive(Clone)]
pub struct ApiKey {
    id: KeyId,
    secret: [u8; SECRET_BYTES],
}

/// A text that is no API key. The text is not repeated: it may be a secret with a slip of the pen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an API key has the form bmk_ID_SECRET, with {} hex digits of secret", 2 * SECRET_BYTES)]
pub struct NoApiKey;

impl ApiKey {
    /// A new key, from the system's random source.
    pub fn draw() -> Self {
        let id = format!("{:016x}", u64::from_le_bytes(system_bytes()));
        Self {
            id: KeyId::new(id).expect("16 hex digits are an identifier"),
            secret: system_bytes(),
        }
    }

    /// Its identifier, which is no secret.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// What is stored of the secret. A plain SHA-256 is enough: slow hashes and salts protect
    /// secrets that can be guessed, and nobody guesses 256 random bits.
    pub fn secret_hash(&self) -> SecretHash {
        SecretHash::new(Sha256::digest(self.secret).into())
    }

    /// Its whole text, to be shown to its holder.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}_{}_{}", self.id, hex::encode(self.secret))
    }

    /// Whether this is the secret whose hash is stored. The time that this takes does not depend
    /// on where the two differ.
    pub(super) fn has_hash(&self, stored: &SecretHash) -> bool {
        let own = self.secret_hash();
        own.as_bytes()[..].ct_eq(&stored.as_bytes()[..]).into()
    }
}

impl FromStr for ApiKey {
    type Err = NoApiKey;

    fn from_str(text: &str) -> Result<Self, NoApiKey> {
        let rest = text.strip_prefix(PREFIX).and_then(|t| t.strip_prefix('_'));
        // An identifier may have underscores; the secret has none.
        let (id, secret) = rest.and_then(|t| t.rsplit_once('_')).ok_or(NoApiKey)?;
        Ok(Self {
            id: KeyId::new(id).map_err(|_| NoApiKey)?,
            secret: from_hex(secret).ok_or(NoApiKey)?,
        })
    }
}

/// The secret stays out of logs.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}, ..)", self.id)
    }
}

fn from_hex(text: &str) -> Option<[u8; SECRET_BYTES]> {
    // `hex` reads capitals too.
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
        let (one, other) = (ApiKey::draw(), ApiKey::draw());
        assert_ne!(one.id(), other.id());
        assert!(one.has_hash(&one.secret_hash()));
        assert!(!one.has_hash(&other.secret_hash()));
    }

    #[test]
    fn the_text_of_a_key_has_a_known_beginning_its_identifier_and_256_bits() {
        let text = ApiKey::draw().reveal();
        let parts: Vec<&str> = text.split('_').collect();
        assert_eq!(parts[0], "bmk");
        assert_eq!((parts[1].len(), parts[2].len(), parts.len()), (16, 64, 3));
    }

    #[test]
    fn a_text_that_differs_in_one_digit_is_another_key_or_none() {
        let key = ApiKey::draw();
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
            assert_eq!(text.parse::<ApiKey>().err(), Some(NoApiKey), "{text}");
        }
    }
}

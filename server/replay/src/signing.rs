//! Ed25519 signatures of replay files: a server's signing key, and the public key with which
//! readers verify replays.

use std::{fmt, str::FromStr};

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Length in bytes of the secret from which a key is derived.
pub const SECRET_BYTES: usize = 32;
/// Lengths in bytes of a public key and a signature.
pub(super) const PUBLIC_BYTES: usize = 32;
pub(super) const SIGNATURE_BYTES: usize = 64;
/// Length in bytes of a key's short identifier.
pub(super) const KEY_ID_BYTES: usize = 8;

/// The encodings of the Ed25519 points whose order divides 8, without the sign bit of x: the
/// canonical ones and those of y + p. For such a key, some signatures are valid for any content,
/// and `ring` accepts them. RFC 8032 leaves this check to the application.
const POINTS_OF_SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// Prefix of the signed bytes. It prevents a replay signature from being valid for any other
/// purpose.
const DOMAIN: &[u8] = b"bridgemaster replay v2\0";

/// The key with which a server signs its replays.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// Derives the key from a secret.
    pub fn new(secret: &[u8; SECRET_BYTES]) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(secret)
            .expect("every secret of this length is a valid key");
        let mut public = [0; PUBLIC_BYTES];
        public.copy_from_slice(pair.public_key().as_ref());
        Self { pair, public: PublicKey(public) }
    }

    /// The public key that verifies the signatures made with this key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a replay file's bytes up to its signature.
    pub(super) fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(self.pair.sign(&with_domain(bytes)).as_ref());
        signature
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

/// A server's public key, which verifies its replays. It is formatted as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; PUBLIC_BYTES]);

/// The error when a public key cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PublicKeyError {
    /// The length is not 32 bytes.
    #[error("a signing key must have {PUBLIC_BYTES} bytes, written as 64 hex digits")]
    Length,
    /// Signatures for this key can be forged.
    #[error("insecure key: a point of small order accepts forged signatures")]
    SmallOrder,
}

impl PublicKey {
    /// Creates a key from its bytes.
    ///
    /// # Errors
    /// Returns an error if the length is not 32 bytes, or the key is a point of small order.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        let key: [u8; PUBLIC_BYTES] = bytes.try_into().map_err(|_| PublicKeyError::Length)?;
        let mut without_sign = key;
        without_sign[PUBLIC_BYTES - 1] &= 0x7f;
        let without_sign = hex::encode(without_sign);
        if POINTS_OF_SMALL_ORDER.contains(&without_sign.as_str()) {
            Err(PublicKeyError::SmallOrder)
        } else {
            Ok(Self(key))
        }
    }

    /// The key's 32 bytes.
    pub fn as_bytes(&self) -> &[u8; PUBLIC_BYTES] {
        &self.0
    }

    /// The key's short identifier: the first 8 bytes of its SHA-256, as 16 lower-case hex digits.
    pub fn id(&self) -> String {
        hex::encode(self.id_bytes())
    }

    /// The identifier's bytes, as stored in replay files.
    pub(super) fn id_bytes(&self) -> [u8; KEY_ID_BYTES] {
        let hash = Sha256::digest(self.0);
        std::array::from_fn(|at| hash[at])
    }

    /// Returns whether `signature` is valid for these replay file bytes.
    pub(super) fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(&with_domain(bytes), signature).is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, PublicKeyError> {
        let mut key = [0; PUBLIC_BYTES];
        hex::decode_to_slice(text, &mut key).map_err(|_| PublicKeyError::Length)?;
        Self::from_bytes(&key)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

fn with_domain(bytes: &[u8]) -> Vec<u8> {
    [DOMAIN, bytes].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_valid_only_for_its_bytes_and_its_key() {
        let key = SigningKey::new(&[7; SECRET_BYTES]);
        let other = SigningKey::new(&[8; SECRET_BYTES]);
        let signature = key.sign(b"who played");
        assert!(key.public().verifies(b"who played", &signature));
        assert!(!key.public().verifies(b"who plays", &signature));
        assert!(!other.public().verifies(b"who played", &signature));
        assert!(!key.public().verifies(b"who played", &signature[..63]));
        // A signature over the bytes without the prefix is invalid.
        let bare = key.pair.sign(b"who played");
        assert!(!key.public().verifies(b"who played", bare.as_ref()));
    }

    #[test]
    fn keys_match_the_test_vector_of_the_rfc() {
        // RFC 8032, section 7.1, test 1.
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let secret: PublicKey = secret.parse().unwrap();
        let key = SigningKey::new(secret.as_bytes());
        assert_eq!(key.public().to_string(), public);
        assert_eq!(public.parse(), Ok(*key.public()));
    }

    #[test]
    fn a_key_of_small_order_is_rejected() {
        // R is the neutral element and S is 0. For such a key, this signature is valid for any
        // bytes.
        let mut anybodys = [0; SIGNATURE_BYTES];
        anybodys[0] = 1;
        let mut key = [0; PUBLIC_BYTES];
        key[0] = 1;
        assert!(PublicKey(key).verifies(b"who played", &anybodys));
        for point in POINTS_OF_SMALL_ORDER {
            let mut key = [0; PUBLIC_BYTES];
            hex::decode_to_slice(point, &mut key).unwrap();
            assert_eq!(PublicKey::from_bytes(&key), Err(PublicKeyError::SmallOrder));
            key[PUBLIC_BYTES - 1] |= 0x80;
            let negative: Result<PublicKey, _> = hex::encode(key).parse();
            assert_eq!(negative, Err(PublicKeyError::SmallOrder));
        }
    }

    #[test]
    fn invalid_key_texts_are_rejected() {
        for text in ["", "ab", &"g".repeat(64), &"a".repeat(65), &"é".repeat(32)] {
            assert_eq!(text.parse::<PublicKey>(), Err(PublicKeyError::Length), "{text:?}");
        }
    }
}

//! Who wrote a replay file: Ed25519 signatures, the key that a server makes them with, and the keys
//! that a reader checks them by.

use std::{fmt, str::FromStr};

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Bytes of the secret from which a key is made.
pub const SECRET_BYTES: usize = 32;
/// Bytes of a public key, and of a signature.
pub(super) const PUBLIC_BYTES: usize = 32;
pub(super) const SIGNATURE_BYTES: usize = 64;
/// Bytes of the short name of a key.
pub(super) const KEY_ID_BYTES: usize = 8;

/// The encodings of the points of Ed25519 whose order divides 8, without the sign of x: the canonical
/// ones, and those of y + p. For such a key there are signatures that hold for any content, and `ring`
/// takes them. RFC 8032 leaves this check to the application.
const POINTS_OF_SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// What is signed begins with this, so that a signature of a replay is one of nothing else.
const DOMAIN: &[u8] = b"bridgemaster replay v2\0";

/// The key that a server signs replays with.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// The key of a secret.
    pub fn new(secret: &[u8; SECRET_BYTES]) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(secret)
            .expect("every secret of this length makes a key");
        let mut public = [0; PUBLIC_BYTES];
        public.copy_from_slice(pair.public_key().as_ref());
        Self {
            pair,
            public: PublicKey(public),
        }
    }

    /// The key by which its signatures are checked.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs the bytes of a replay file before its signature.
    pub(super) fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(self.pair.sign(&under_domain(bytes)).as_ref());
        signature
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// The public key of a server, by which its replays are checked. Its text is 64 lower hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; PUBLIC_BYTES]);

/// Text or bytes that are no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPublicKey {
    /// They are no 32 bytes.
    #[error("a key that signs replays is {PUBLIC_BYTES} bytes, written as 64 hex digits")]
    Length,
    /// Anybody can make signatures that hold by it.
    #[error("this key signs anything: it is a point of small order")]
    SmallOrder,
}

impl PublicKey {
    /// The key of these bytes.
    ///
    /// # Errors
    /// When they are not 32, or a point of small order.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NoPublicKey> {
        let key: [u8; PUBLIC_BYTES] = bytes.try_into().map_err(|_| NoPublicKey::Length)?;
        let mut without_sign = key;
        without_sign[PUBLIC_BYTES - 1] &= 0x7f;
        let without_sign = hex::encode(without_sign);
        match POINTS_OF_SMALL_ORDER.contains(&without_sign.as_str()) {
            true => Err(NoPublicKey::SmallOrder),
            false => Ok(Self(key)),
        }
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; PUBLIC_BYTES] {
        &self.0
    }

    /// Short for it.
    pub fn id(&self) -> SigningKeyId {
        let hash = Sha256::digest(self.0);
        let mut id = [0; KEY_ID_BYTES];
        id.copy_from_slice(&hash[..KEY_ID_BYTES]);
        SigningKeyId(id)
    }

    /// Whether `signature` is of these bytes of a replay file.
    pub(super) fn holds(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0)
            .verify(&under_domain(bytes), signature)
            .is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = NoPublicKey;

    fn from_str(text: &str) -> Result<Self, NoPublicKey> {
        let mut key = [0; PUBLIC_BYTES];
        hex::decode_to_slice(text, &mut key).map_err(|_| NoPublicKey::Length)?;
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

/// Short for a public key: the first 8 bytes of its SHA-256, as text 16 lower hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SigningKeyId([u8; KEY_ID_BYTES]);

impl SigningKeyId {
    /// Its 8 bytes.
    pub fn as_bytes(&self) -> &[u8; KEY_ID_BYTES] {
        &self.0
    }
}

impl fmt::Display for SigningKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for SigningKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

fn under_domain(bytes: &[u8]) -> Vec<u8> {
    [DOMAIN, bytes].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_bytes_and_its_key_alone() {
        let key = SigningKey::new(&[7; SECRET_BYTES]);
        let other = SigningKey::new(&[8; SECRET_BYTES]);
        let signature = key.sign(b"who played");
        assert!(key.public().holds(b"who played", &signature));
        assert!(!key.public().holds(b"who plays", &signature));
        assert!(!other.public().holds(b"who played", &signature));
        assert!(!key.public().holds(b"who played", &signature[..63]));
        // A signature of the bytes alone is none of a replay.
        let bare = key.pair.sign(b"who played");
        assert!(!key.public().holds(b"who played", bare.as_ref()));
    }

    #[test]
    fn a_key_is_the_one_of_the_standard() {
        // RFC 8032, section 7.1, test 1.
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let secret: PublicKey = secret.parse().unwrap();
        let key = SigningKey::new(secret.as_bytes());
        assert_eq!(key.public().to_string(), public);
        assert_eq!(public.parse(), Ok(*key.public()));
    }

    #[test]
    fn a_key_whose_signatures_anybody_can_make_is_refused() {
        // R is the neutral element and S is 0: with such a key this holds for any bytes.
        let mut anybodys = [0; SIGNATURE_BYTES];
        anybodys[0] = 1;
        let mut key = [0; PUBLIC_BYTES];
        key[0] = 1;
        assert!(PublicKey(key).holds(b"who played", &anybodys));
        for point in POINTS_OF_SMALL_ORDER {
            let mut key = [0; PUBLIC_BYTES];
            hex::decode_to_slice(point, &mut key).unwrap();
            assert_eq!(PublicKey::from_bytes(&key), Err(NoPublicKey::SmallOrder));
            key[PUBLIC_BYTES - 1] |= 0x80;
            let negative: Result<PublicKey, _> = hex::encode(key).parse();
            assert_eq!(negative, Err(NoPublicKey::SmallOrder));
        }
    }

    #[test]
    fn text_that_is_no_key_is_refused() {
        for text in ["", "ab", &"g".repeat(64), &"a".repeat(65), &"é".repeat(32)] {
            assert_eq!(
                text.parse::<PublicKey>(),
                Err(NoPublicKey::Length),
                "{text:?}"
            );
        }
    }
}

//! Replay files: a `Replay` message in binary form that ends with its own checksum, and from format
//! version 2 on with the signature of the server that wrote it.

use bridgemaster_proto::v1::Replay;
use prost::Message as _;
use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

use super::signing::{
    KEY_ID_BYTES, NoPublicKey, PUBLIC_BYTES, PublicKey, SIGNATURE_BYTES, SigningKey, SigningKeyId,
};

/// Version of the form of the replay files that are written: signed ones.
pub const FORMAT_VERSION: u32 = 2;

/// Version of the form without a signature, which is still read.
pub const UNSIGNED_FORMAT_VERSION: u32 = 1;

/// Largest replay file that callers should read, in bytes: 16 MiB. A long match has under 100 KiB.
pub const MAX_REPLAY_BYTES: u64 = 16 * 1024 * 1024;

/// Key of the field `checksum`: field 15, eight bytes fixed.
const CHECKSUM_KEY: u8 = 0x79;
const CHECKSUM_BYTES: usize = 1 + size_of::<u64>();

/// Keys and lengths of the fields 16 to 18, which are bytes of fixed lengths.
const ID_HEAD: [u8; 3] = [0x82, 0x01, KEY_ID_BYTES as u8];
const SIGNATURE_HEAD: [u8; 3] = [0x8a, 0x01, SIGNATURE_BYTES as u8];
const KEY_HEAD: [u8; 3] = [0x92, 0x01, PUBLIC_BYTES as u8];

/// A replay file that is whole, as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayFile {
    /// What it holds.
    pub replay: Replay,
    /// The key that it is signed by; `None` for format version 1. Whose key it is, the file cannot
    /// say.
    pub signed_by: Option<PublicKey>,
}

/// Why bytes are no replay.
#[derive(Debug, Error)]
pub enum ReplayFileError {
    /// Too short, or cut at its end.
    #[error(
        "this is no replay file, or it was cut: it ends neither with the field `checksum` nor with \
         a signature and its key"
    )]
    NoChecksum,
    /// The bytes were altered.
    #[error("the file was altered: its checksum is {stated:016x}, its bytes give {computed:016x}")]
    Checksum {
        /// What the file states.
        stated: u64,
        /// What its bytes give.
        computed: u64,
    },
    /// The bytes are no `Replay`.
    #[error("the file holds no replay message")]
    Decode(#[from] prost::DecodeError),
    /// A form that this version does not read.
    #[error(
        "format_version is {0}; this version reads {UNSIGNED_FORMAT_VERSION} and {FORMAT_VERSION}"
    )]
    FormatVersion(u32),
    /// A form that is signed, without a signature.
    #[error(
        "the file was altered: format_version is {FORMAT_VERSION}, and the signature is missing"
    )]
    NoSignature,
    /// A form that is not signed, with a signature.
    #[error(
        "the file was altered: format_version is {UNSIGNED_FORMAT_VERSION}, which has no signature, \
         and there is one"
    )]
    NeedlessSignature,
    /// The key is none that a server could have made.
    #[error("the file was altered: signing_key: {0}")]
    Key(NoPublicKey),
    /// The key is not the one that the file names.
    #[error("the file was altered: signing_key_id is not that of signing_key, {0}")]
    KeyId(SigningKeyId),
    /// The bytes are not those that were signed.
    #[error("the file was altered: the signature of key {0} does not hold")]
    Signature(SigningKeyId),
}

/// Appends checksum and signature to the encoded fields 1 to 14 of a replay: the bytes of a replay
/// file.
pub(crate) fn seal(bytes: Vec<u8>, key: &SigningKey) -> Vec<u8> {
    let mut bytes = with_checksum(bytes);
    bytes.extend(ID_HEAD);
    bytes.extend(key.public().id().as_bytes());
    let signature = key.sign(&bytes);
    bytes.extend(SIGNATURE_HEAD);
    bytes.extend(signature);
    bytes.extend(KEY_HEAD);
    bytes.extend(key.public().as_bytes());
    bytes
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = xxh64(&bytes, 0);
    bytes.push(CHECKSUM_KEY);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// The bytes of a replay file that nobody has signed: of format version 1, whatever the version
/// of `replay`. Its checksum is made anew.
pub fn encode_unsigned(replay: &Replay) -> Vec<u8> {
    let unsealed = Replay {
        format_version: UNSIGNED_FORMAT_VERSION,
        checksum: 0,
        signing_key_id: Vec::new(),
        signature: Vec::new(),
        signing_key: Vec::new(),
        ..replay.clone()
    };
    with_checksum(unsealed.encode_to_vec())
}

/// The end of a file that is signed.
struct Signature<'a> {
    /// All bytes before the signature: what is signed.
    signed: &'a [u8],
    /// All bytes before the fields 16 to 18.
    sealed: &'a [u8],
    id: &'a [u8],
    signature: &'a [u8],
    key: &'a [u8],
}

impl<'a> Signature<'a> {
    /// The fields 16 to 18 at the end of a file, if that is how it ends.
    fn split(file: &'a [u8]) -> Option<Self> {
        let (rest, key) = split_field(file, KEY_HEAD)?;
        let (signed, signature) = split_field(rest, SIGNATURE_HEAD)?;
        let (sealed, id) = split_field(signed, ID_HEAD)?;
        Some(Self {
            signed,
            sealed,
            id,
            signature,
            key,
        })
    }

    /// The key under which it holds.
    fn check(&self) -> Result<PublicKey, ReplayFileError> {
        let key = PublicKey::from_bytes(self.key).map_err(ReplayFileError::Key)?;
        let id = key.id();
        if self.id != id.as_bytes() {
            return Err(ReplayFileError::KeyId(id));
        }
        match key.holds(self.signed, self.signature) {
            true => Ok(key),
            false => Err(ReplayFileError::Signature(id)),
        }
    }
}

/// Takes the last field off, if it has this head, which ends with its length.
fn split_field(bytes: &[u8], head: [u8; 3]) -> Option<(&[u8], &[u8])> {
    let (rest, value) = bytes.split_at_checked(bytes.len().checked_sub(head[2].into())?)?;
    Some((rest.strip_suffix(&head)?, value))
}

/// Reads the bytes of a replay file and checks that they are as they were written.
///
/// # Errors
/// Says what is wrong with the first of: checksum, message, format version, signature.
pub fn decode(bytes: &[u8]) -> Result<ReplayFile, ReplayFileError> {
    let signature = Signature::split(bytes);
    let sealed = signature.as_ref().map_or(bytes, |end| end.sealed);
    let Some((body, tail)) = sealed.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(ReplayFileError::NoChecksum);
    };
    let [CHECKSUM_KEY, sum @ ..] = *tail else {
        return Err(ReplayFileError::NoChecksum);
    };
    let stated = u64::from_le_bytes(sum);
    let computed = xxh64(body, 0);
    if stated != computed {
        return Err(ReplayFileError::Checksum { stated, computed });
    }
    let replay = Replay::decode(bytes)?;
    let signed_by = match (replay.format_version, signature) {
        (UNSIGNED_FORMAT_VERSION, None) => None,
        (UNSIGNED_FORMAT_VERSION, Some(_)) => return Err(ReplayFileError::NeedlessSignature),
        (FORMAT_VERSION, None) => return Err(ReplayFileError::NoSignature),
        (FORMAT_VERSION, Some(signature)) => Some(signature.check()?),
        (other, _) => return Err(ReplayFileError::FormatVersion(other)),
    };
    Ok(ReplayFile { replay, signed_by })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: u8) -> SigningKey {
        SigningKey::new(&[secret; 32])
    }

    fn head(format_version: u32) -> Replay {
        Replay {
            format_version,
            match_id: "m".into(),
            opening_digest: 7,
            ..Replay::default()
        }
    }

    fn signed() -> Vec<u8> {
        seal(head(FORMAT_VERSION).encode_to_vec(), &key(1))
    }

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let file = decode(&signed()).unwrap();
        assert_eq!(file.replay.opening_digest, 7);
        assert_eq!(file.signed_by, Some(*key(1).public()));
        assert_eq!(file.replay.encode_to_vec(), signed());
    }

    #[test]
    fn a_file_that_nobody_signed_is_read_and_says_so() {
        let bytes = encode_unsigned(&head(FORMAT_VERSION));
        let file = decode(&bytes).unwrap();
        assert_eq!(file.signed_by, None);
        assert_eq!(file.replay.format_version, UNSIGNED_FORMAT_VERSION);
        assert_eq!(encode_unsigned(&file.replay), bytes);
    }

    #[test]
    fn checksum_and_signature_are_where_the_protocol_says() {
        let bytes = signed();
        let replay = Replay::decode(bytes.as_slice()).unwrap();
        let public = *key(1).public();
        assert_eq!(replay.signing_key, public.as_bytes());
        assert_eq!(replay.signing_key_id, public.id().as_bytes());
        let before_signature = bytes.len() - 35 - 67;
        assert!(public.holds(&bytes[..before_signature], &replay.signature));
        let before_checksum = before_signature - 11 - 9;
        assert_eq!(replay.checksum, xxh64(&bytes[..before_checksum], 0));
    }

    #[test]
    fn every_cut_and_every_altered_byte_is_noticed() {
        for bytes in [signed(), encode_unsigned(&head(1))] {
            for length in 0..bytes.len() {
                assert!(decode(&bytes[..length]).is_err(), "cut to {length}");
            }
            for position in 0..bytes.len() {
                let mut altered = bytes.clone();
                altered[position] ^= 0x20;
                assert!(decode(&altered).is_err(), "byte {position}");
            }
        }
    }

    /// A signed file with another body, its checksum made anew.
    fn forged(body: Replay) -> Vec<u8> {
        let bytes = signed();
        let mut forged = with_checksum(body.encode_to_vec());
        forged.extend(&bytes[bytes.len() - 113..]);
        forged
    }

    #[test]
    fn a_checksum_made_anew_does_not_hide_what_was_altered() {
        assert!(decode(&forged(head(FORMAT_VERSION))).is_ok());
        let other = Replay {
            match_id: "another".into(),
            ..head(FORMAT_VERSION)
        };
        assert!(matches!(
            decode(&forged(other)),
            Err(ReplayFileError::Signature(_))
        ));
    }

    #[test]
    fn a_signature_is_neither_taken_away_nor_put_on() {
        let signed = signed();
        let cut = &signed[..signed.len() - 113];
        assert!(matches!(decode(cut), Err(ReplayFileError::NoSignature)));
        let put_on = forged(head(UNSIGNED_FORMAT_VERSION));
        assert!(matches!(
            decode(&put_on),
            Err(ReplayFileError::NeedlessSignature)
        ));
        let future = forged(head(3));
        assert!(matches!(
            decode(&future),
            Err(ReplayFileError::FormatVersion(3))
        ));
    }

    #[test]
    fn a_key_that_the_file_does_not_name_is_refused() {
        let mut bytes = signed();
        let at = bytes.len() - 32;
        bytes[at..].copy_from_slice(key(2).public().as_bytes());
        assert!(matches!(decode(&bytes), Err(ReplayFileError::KeyId(_))));
    }
}

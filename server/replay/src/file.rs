//! The replay file format, and incremental decoding of the records of a file. A file is a `Replay`
//! message in binary form, and ends with a checksum of its bytes. Since format version 2, the
//! signature of the server follows the checksum.

use bridgemaster_proto::{
    DecodedSizeError, check_decoded_size,
    games::field_of,
    v1::{Record, Replay},
};
use prost::{
    DecodeError, Message as _,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};
use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

use super::signing::{
    KEY_ID_BYTES, PUBLIC_BYTES, PublicKey, PublicKeyError, SIGNATURE_BYTES, SigningKey,
};

/// Format version of the replay files that this program version writes. These files are signed.
pub const FORMAT_VERSION: u32 = 2;

/// The older format version, without a signature. It can still be read.
pub const UNSIGNED_FORMAT_VERSION: u32 = 1;

/// Maximum size of a replay file that callers should read, in bytes: 16 MiB. The file of a long
/// match is smaller than 100 KiB.
pub const MAX_REPLAY_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum memory of a decoded replay file, in bytes: 24 MiB. The longest matches need at most a
/// fifth of it.
const MAX_DECODED_BYTES: usize = 24 * 1024 * 1024;

/// Protobuf key of the `checksum` field: field 15, fixed64.
const CHECKSUM_KEY: u8 = 0x79;
const CHECKSUM_BYTES: usize = 1 + size_of::<u64>();

/// Protobuf keys and lengths of fields 16 to 18, which are byte strings of fixed length.
const ID_HEAD: [u8; 3] = [0x82, 0x01, KEY_ID_BYTES as u8];
const SIGNATURE_HEAD: [u8; 3] = [0x8a, 0x01, SIGNATURE_BYTES as u8];
const KEY_HEAD: [u8; 3] = [0x92, 0x01, PUBLIC_BYTES as u8];

/// A decoded replay file, complete and unmodified.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayFile {
    /// The replay message. The match in it has not been verified.
    pub replay: Replay,
    /// The key that the file is signed with; `None` for format version 1. The file does not prove
    /// who owns the key.
    pub signed_by: Option<PublicKey>,
}

/// The reason why bytes are not a valid replay file.
#[derive(Debug, Error)]
pub enum ReplayFileError {
    /// The file is too short or truncated.
    #[error(
        "not a replay file, or truncated: neither the field `checksum` nor a signature is at the \
         end"
    )]
    NoChecksum,
    /// The bytes were altered.
    #[error("the file was altered: stored checksum {stated:016x}, computed {computed:016x}")]
    Checksum {
        /// The checksum that the file states.
        stated: u64,
        /// The checksum computed from the file's bytes.
        computed: u64,
    },
    /// The bytes are not a `Replay` message.
    #[error("the file does not contain a replay message")]
    Decode(#[from] prost::DecodeError),
    /// The message would take too much memory.
    #[error("the file was not decoded: {0}; files that a server wrote need far less")]
    DecodedSize(DecodedSizeError),
    /// The format version is not supported.
    #[error(
        "format_version {0} is not supported (supported: {UNSIGNED_FORMAT_VERSION}, {FORMAT_VERSION})"
    )]
    FormatVersion(u32),
    /// The format version requires a signature, but the file has none.
    #[error(
        "the file was altered: the signature is missing, which format_version {FORMAT_VERSION} requires"
    )]
    NoSignature,
    /// The format version allows no signature, but the file has one.
    #[error(
        "the file was altered: it has a signature, which format_version {UNSIGNED_FORMAT_VERSION} \
         does not allow"
    )]
    UnexpectedSignature,
    /// The signing key is not a valid server key.
    #[error("the file was altered: signing_key: {0}")]
    Key(PublicKeyError),
    /// The key does not match the key identifier in the file.
    #[error("the file was altered: signing_key_id does not match signing_key {0}")]
    KeyId(String),
    /// The signature does not match the bytes.
    #[error("the file was altered: the signature made with key {0} is invalid")]
    Signature(String),
}

impl From<DecodedSizeError> for ReplayFileError {
    fn from(error: DecodedSizeError) -> Self {
        match error {
            DecodedSizeError::Decode(error) => error.into(),
            error @ DecodedSizeError::TooLarge { .. } => Self::DecodedSize(error),
        }
    }
}

/// Completes a replay file: appends checksum and signature to the encoded fields 1 to 14.
pub(crate) fn seal(bytes: Vec<u8>, key: &SigningKey) -> Vec<u8> {
    let mut bytes = with_checksum(bytes);
    bytes.extend(ID_HEAD);
    bytes.extend(key.public().id_bytes());
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

/// Encodes an unsigned replay file of format version 1 with a new checksum, regardless of the
/// version of `replay`.
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

/// The signature at the end of a replay file.
struct Signature<'a> {
    /// The signed bytes: everything before the signature.
    signed: &'a [u8],
    /// The signed content: all bytes before fields 16 to 18.
    sealed: &'a [u8],
    id: &'a [u8],
    signature: &'a [u8],
    key: &'a [u8],
}

impl<'a> Signature<'a> {
    /// Splits off fields 16 to 18 from the end of a file. Returns `None` if the file does not end
    /// with them.
    fn split(file: &'a [u8]) -> Option<Self> {
        let (rest, key) = split_field(file, KEY_HEAD)?;
        let (signed, signature) = split_field(rest, SIGNATURE_HEAD)?;
        let (sealed, id) = split_field(signed, ID_HEAD)?;
        Some(Self { signed, sealed, id, signature, key })
    }

    /// Verifies the signature and returns its key.
    fn check(&self) -> Result<PublicKey, ReplayFileError> {
        let key = PublicKey::from_bytes(self.key).map_err(ReplayFileError::Key)?;
        if self.id != key.id_bytes() {
            return Err(ReplayFileError::KeyId(key.id()));
        }
        if key.verifies(self.signed, self.signature) {
            Ok(key)
        } else {
            Err(ReplayFileError::Signature(key.id()))
        }
    }
}

/// Splits off the last field if it begins with `head`. The last byte of `head` is the field's
/// length.
fn split_field(bytes: &[u8], head: [u8; 3]) -> Option<(&[u8], &[u8])> {
    let (rest, value) = bytes.split_at_checked(bytes.len().checked_sub(head[2].into())?)?;
    Some((rest.strip_suffix(&head)?, value))
}

/// Decodes a replay file and checks that it is unmodified.
///
/// # Errors
/// Returns the first error found. The checksum is checked first, then the message, the format
/// version and the signature.
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
    check_decoded_size::<Replay>(bytes, MAX_DECODED_BYTES)?;
    let replay = Replay::decode(bytes)?;
    let signed_by = match (replay.format_version, signature) {
        (UNSIGNED_FORMAT_VERSION, None) => None,
        (UNSIGNED_FORMAT_VERSION, Some(_)) => return Err(ReplayFileError::UnexpectedSignature),
        (FORMAT_VERSION, None) => return Err(ReplayFileError::NoSignature),
        (FORMAT_VERSION, Some(signature)) => Some(signature.check()?),
        (other, _) => return Err(ReplayFileError::FormatVersion(other)),
    };
    Ok(ReplayFile { replay, signed_by })
}

/// Field number of `records` in `Replay`.
const RECORDS_FIELD: u32 = field_of::<Replay>("records").number();

/// A position in a replay file's bytes, or in the records of a match in play: before a record or at
/// the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordCursor(usize);

impl RecordCursor {
    /// Offset from the start, in bytes.
    pub fn bytes(self) -> usize {
        self.0
    }

    /// Decodes the next record and advances past it. Returns `None` at the end of the bytes. Other
    /// fields are skipped.
    ///
    /// # Errors
    /// Returns an error if the bytes are not valid fields or not a valid record.
    pub fn next(&mut self, all: &[u8]) -> Result<Option<Record>, DecodeError> {
        while let Some(mut rest) = all.get(self.0..).filter(|rest| !rest.is_empty()) {
            let (tag, wire_type) = decode_key(&mut rest)?;
            let is_record = tag == RECORDS_FIELD && wire_type == WireType::LengthDelimited;
            if !is_record {
                skip_field(wire_type, tag, &mut rest, DecodeContext::default())?;
                self.0 = all.len() - rest.len();
                continue;
            }
            let length = usize::try_from(decode_varint(&mut rest)?).ok();
            let split = length.and_then(|length| rest.split_at_checked(length));
            // If bytes are missing, the decoder gets all that remain, and reports the error.
            let (record, after) = split.unwrap_or((rest, &[]));
            let decoded = Record::decode(record)?;
            self.0 = all.len() - after.len();
            return Ok(Some(decoded));
        }
        Ok(None)
    }
}

/// Decodes everything in a replay except its records.
///
/// # Errors
/// Returns an error if the bytes are not a valid replay.
pub fn decode_head(replay: &[u8]) -> Result<Replay, DecodeError> {
    let mut rest = replay;
    let mut head = Vec::new();
    while !rest.is_empty() {
        let field = rest;
        let (tag, wire_type) = decode_key(&mut rest)?;
        skip_field(wire_type, tag, &mut rest, DecodeContext::default())?;
        if tag != RECORDS_FIELD {
            head.extend_from_slice(&field[..field.len() - rest.len()]);
        }
    }
    Replay::decode(head.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: u8) -> SigningKey {
        SigningKey::new(&[secret; 32])
    }

    fn head(format_version: u32) -> Replay {
        Replay { format_version, match_id: "m".into(), opening_digest: 7, ..Replay::default() }
    }

    fn signed() -> Vec<u8> {
        seal(head(FORMAT_VERSION).encode_to_vec(), &key(1))
    }

    #[test]
    fn a_file_survives_a_round_trip() {
        let file = decode(&signed()).unwrap();
        assert_eq!(file.replay.opening_digest, 7);
        assert_eq!(file.signed_by, Some(*key(1).public()));
        assert_eq!(file.replay.encode_to_vec(), signed());
    }

    #[test]
    fn an_unsigned_file_is_read_without_a_key() {
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
        assert_eq!(replay.signing_key_id, public.id_bytes());
        assert_eq!(public.id(), hex::encode(&replay.signing_key_id));
        let before_signature = bytes.len() - 35 - 67;
        assert!(public.verifies(&bytes[..before_signature], &replay.signature));
        let before_checksum = before_signature - 11 - 9;
        assert_eq!(replay.checksum, xxh64(&bytes[..before_checksum], 0));
    }

    #[test]
    fn every_truncation_and_every_altered_byte_is_detected() {
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

    /// Returns a signed file with another body and a new checksum.
    fn forged(body: Replay) -> Vec<u8> {
        let bytes = signed();
        let mut forged = with_checksum(body.encode_to_vec());
        forged.extend(&bytes[bytes.len() - 113..]);
        forged
    }

    #[test]
    fn a_recomputed_checksum_does_not_hide_an_alteration() {
        assert!(decode(&forged(head(FORMAT_VERSION))).is_ok());
        let other = Replay { match_id: "another".into(), ..head(FORMAT_VERSION) };
        assert!(matches!(decode(&forged(other)), Err(ReplayFileError::Signature(_))));
    }

    #[test]
    fn a_signature_can_be_neither_removed_nor_added() {
        let signed = signed();
        let cut = &signed[..signed.len() - 113];
        assert!(matches!(decode(cut), Err(ReplayFileError::NoSignature)));
        let put_on = forged(head(UNSIGNED_FORMAT_VERSION));
        assert!(matches!(decode(&put_on), Err(ReplayFileError::UnexpectedSignature)));
        let future = forged(head(3));
        assert!(matches!(decode(&future), Err(ReplayFileError::FormatVersion(3))));
    }

    #[test]
    fn a_key_that_the_file_does_not_name_is_refused() {
        let mut bytes = signed();
        let at = bytes.len() - 32;
        bytes[at..].copy_from_slice(key(2).public().as_bytes());
        assert!(matches!(decode(&bytes), Err(ReplayFileError::KeyId(_))));
    }
}

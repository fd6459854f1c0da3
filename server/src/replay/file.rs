//! Replay files: a `Replay` message in binary form that ends with its own checksum.

use bridgemaster_proto::v1::Replay;
use prost::Message as _;
use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

/// Version of the form of replay files.
pub const FORMAT_VERSION: u32 = 1;

/// Largest replay file that is read: a long match has under 100 KiB.
pub const MAX_REPLAY_BYTES: u64 = 16 * 1024 * 1024;

/// Key of the field `checksum`: field 15, eight bytes fixed.
const CHECKSUM_KEY: u8 = 0x79;
const CHECKSUM_BYTES: usize = 1 + size_of::<u64>();

/// Why bytes are no replay.
#[derive(Debug, Error)]
pub enum ReplayFileError {
    /// Too short, or cut at its end.
    #[error(
        "this is no replay file, or it was cut: its last nine bytes are not the field `checksum`"
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
    #[error("the file holds no replay message: {0}")]
    Decode(#[from] prost::DecodeError),
    /// A form that this version does not read.
    #[error("format_version is {0}; this version reads {FORMAT_VERSION}")]
    FormatVersion(u32),
}

/// Appends the checksum to the encoded fields 1 to 14 of a replay: the bytes of a replay file.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = xxh64(&bytes, 0);
    bytes.push(CHECKSUM_KEY);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The bytes of a replay file.
pub fn encode(replay: &Replay) -> Vec<u8> {
    let unsealed = Replay {
        checksum: 0,
        ..replay.clone()
    };
    seal(unsealed.encode_to_vec())
}

/// Reads the bytes of a replay file and checks that they are whole.
pub fn decode(bytes: &[u8]) -> Result<Replay, ReplayFileError> {
    let Some((body, tail)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
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
    if replay.format_version != FORMAT_VERSION {
        return Err(ReplayFileError::FormatVersion(replay.format_version));
    }
    Ok(replay)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sample() -> Vec<u8> {
        encode(&Replay {
            format_version: FORMAT_VERSION,
            match_id: "m".into(),
            opening_digest: 7,
            ..Replay::default()
        })
    }

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let replay = decode(&sample()).unwrap();
        assert_eq!(replay.opening_digest, 7);
        assert_eq!(encode(&replay), sample());
    }

    #[test]
    fn the_checksum_is_where_the_protocol_says() {
        let bytes = sample();
        let replay = Replay::decode(bytes.as_slice()).unwrap();
        assert_eq!(bytes, replay.encode_to_vec());
        assert_eq!(replay.checksum, xxh64(&bytes[..bytes.len() - 9], 0));
    }

    #[test]
    fn every_cut_and_every_altered_byte_is_noticed() {
        let bytes = sample();
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

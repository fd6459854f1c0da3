//! Encodes a journal batch, which contains the entries of one commit, for any number of matches.

use prost::{Message, encoding::WireType};

use crate::checksum::StoreId;

/// The messages generated from the proto file. Each part of a `JournalBatch` is stored as bytes
/// that end with its own checksum.
mod proto {
    #![allow(dead_code, missing_docs, unreachable_pub, clippy::all)]
    include!(concat!(env!("OUT_DIR"), "/bridgemaster.internal.v1.rs"));
}

/// Number of the `checksum` field, the same in every message.
const CHECKSUM_FIELD: u32 = 15;

/// The encoded key of the `checksum` field: its number and the wire type `fixed64`.
const CHECKSUM_KEY: u8 = (CHECKSUM_FIELD << 3) as u8 | WireType::SixtyFourBit as u8;

/// Encoded size of the `checksum` field: its key and 8 bytes.
const CHECKSUM_BYTES: usize = 9;

/// The entries of one match in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchPart {
    /// Internal key of the match.
    pub(crate) match_key: i64,
    /// Number of the first entry.
    pub(crate) first_entry: u64,
    /// Number of the batch with the match's preceding entries.
    pub(crate) previous_batch: Option<i64>,
    pub(crate) entries: Vec<Vec<u8>>,
}

/// The intact content of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The parts whose checksums match.
    pub(crate) parts: Vec<BatchPart>,
    /// The largest match key assigned so far; 0 if it cannot be read.
    pub(crate) last_match_key: i64,
    /// Set if any part of the batch is damaged.
    pub(crate) damage: Option<BatchDamage>,
}

/// The damage found in a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BatchDamage {
    /// Keys of the matches whose parts are damaged; `None` if these keys are unknown.
    pub(crate) match_keys: Option<Vec<i64>>,
}

/// Encodes a batch with its checksums.
pub(crate) fn write(
    store: StoreId,
    number: i64,
    last_match_key: i64,
    parts: Vec<BatchPart>,
) -> Vec<u8> {
    let head = proto::JournalBatchHead {
        number: number.cast_unsigned(),
        match_keys_given: last_match_key.cast_unsigned(),
        match_keys: parts.iter().map(|part| part.match_key.cast_unsigned()).collect(),
        checksum: 0,
    };
    let part = |part: BatchPart| {
        let part = proto::JournalPart {
            match_key: part.match_key.cast_unsigned(),
            first_entry: part.first_entry,
            previous_batch: part.previous_batch.map(i64::cast_unsigned),
            entries: part.entries,
            checksum: 0,
        };
        seal(store, number, &part)
    };
    let batch = proto::JournalBatch {
        head: seal(store, number, &head),
        parts: parts.into_iter().map(part).collect(),
        checksum: 0,
    };
    seal(store, number, &batch)
}

/// Decodes the intact parts of a batch, given its number.
pub(crate) fn read(store: StoreId, number: i64, bytes: &[u8]) -> Batch {
    let is_sound = is_sealed(store, number, bytes);
    let mut batch = proto::JournalBatch::default();
    // Of a damaged batch, this decodes the parts before the first that cannot be decoded.
    let _ = batch.merge(bytes);
    // A valid checksum of the whole batch means that its parts are intact.
    let is_intact = |part: &&Vec<u8>| is_sound || is_sealed(store, number, part);
    let head = Some(&batch.head).filter(is_intact);
    let head = head.and_then(|head| proto::JournalBatchHead::decode(&**head).ok());
    let parts = batch.parts.iter().filter(is_intact);
    let parts = parts.filter_map(|part| proto::JournalPart::decode(&**part).ok());
    let parts: Vec<BatchPart> = parts.map(BatchPart::from).collect();
    let keys: Option<Vec<i64>> = head.as_ref().map(|head| {
        let keys = head.match_keys.iter();
        keys.map(|key| key.cast_signed()).collect()
    });
    let is_complete = keys.as_ref().is_some_and(|keys| {
        keys.len() == parts.len()
            && keys.iter().zip(&parts).all(|(key, part)| *key == part.match_key)
    });
    let damage = (!is_sound || !is_complete).then(|| BatchDamage {
        match_keys: keys.map(|mut keys| {
            keys.retain(|key| parts.iter().all(|part| part.match_key != *key));
            keys
        }),
    });
    Batch {
        parts,
        last_match_key: head.map_or(0, |head| head.match_keys_given.cast_signed()),
        damage,
    }
}

impl From<proto::JournalPart> for BatchPart {
    fn from(part: proto::JournalPart) -> Self {
        Self {
            match_key: part.match_key.cast_signed(),
            first_entry: part.first_entry,
            previous_batch: part.previous_batch.map(u64::cast_signed),
            entries: part.entries,
        }
    }
}

/// Encodes a message without its checksum, which it then appends.
fn seal(store: StoreId, number: i64, message: &impl Message) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(message.encoded_len() + CHECKSUM_BYTES);
    message.encode_raw(&mut bytes);
    let checksum = store.batch_checksum(number, &bytes);
    bytes.push(CHECKSUM_KEY);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Returns whether a message ends with a valid checksum.
fn is_sealed(store: StoreId, number: i64, message: &[u8]) -> bool {
    let Some(length) = message.len().checked_sub(CHECKSUM_BYTES) else {
        return false;
    };
    let (body, field) = message.split_at(length);
    field[0] == CHECKSUM_KEY && field[1..] == store.batch_checksum(number, body).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::STORE_ID_BYTES;

    const STORE: StoreId = StoreId([7; STORE_ID_BYTES]);

    fn sample_parts() -> Vec<BatchPart> {
        let part = |match_key, previous_batch, entries: &[&str]| BatchPart {
            match_key,
            first_entry: match_key.unsigned_abs() * 100,
            previous_batch,
            entries: entries.iter().map(|entry| entry.as_bytes().to_vec()).collect(),
        };
        vec![
            part(3, Some(40), &["first of three", "second of three"]),
            part(1, None, &["only of one"]),
            part(700, Some(1), &["", "of seven hundred"]),
        ]
    }

    #[test]
    fn a_batch_comes_back_as_it_was_written() {
        let bytes = write(STORE, 41, 900, sample_parts());
        let batch = read(STORE, 41, &bytes);
        assert_eq!((batch.parts, batch.last_match_key), (sample_parts(), 900));
        assert_eq!(batch.damage, None);
        let empty = read(STORE, 42, &write(STORE, 42, 0, Vec::new()));
        assert_eq!((empty.parts, empty.damage), (Vec::new(), None));
    }

    /// The encoding must not change, because later versions have to read stored batches.
    #[test]
    fn the_encoding_of_a_batch_is_fixed() {
        let part = BatchPart {
            match_key: 2,
            first_entry: 5,
            previous_batch: Some(7),
            entries: vec![b"e".to_vec()],
        };
        let bytes = write(STORE, 8, 3, vec![part]);
        let described = proto::JournalBatch::decode(&bytes[..]).unwrap();
        assert!(is_sealed(STORE, 8, &described.head));
        assert!(is_sealed(STORE, 8, &described.parts[0]));
        let hex = hex::encode(bytes);
        let head = "0a10080810031a0102795adfcb1581c58820";
        let part = "121208021005180722016579ab9a2e32087a6d17";
        let checksum = "7965ad081e5adb4e5f";
        assert_eq!(hex, [head, part, checksum].concat());
    }

    #[test]
    fn a_batch_with_another_number_or_of_another_store_is_rejected() {
        let bytes = write(STORE, 41, 900, sample_parts());
        for batch in [
            read(STORE, 42, &bytes),
            read(StoreId([8; STORE_ID_BYTES]), 41, &bytes),
            read(STORE, 41, b""),
            read(STORE, 41, b"no batch"),
        ] {
            assert_eq!(batch.parts, []);
            assert_eq!(batch.damage, Some(BatchDamage { match_keys: None }));
        }
    }

    #[test]
    fn every_flipped_bit_is_reported_for_the_affected_matches() {
        let bytes = write(STORE, 41, 900, sample_parts());
        let mut of_one = 0;
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                let batch = read(STORE, 41, &damaged);
                let damage = batch.damage.unwrap();
                // Accepted parts are unchanged, and all others are reported as damaged.
                assert!(batch.parts.iter().all(|part| sample_parts().contains(part)));
                let Some(keys) = damage.match_keys else {
                    continue;
                };
                for part in sample_parts() {
                    let is_believed = batch.parts.contains(&part);
                    assert_eq!(keys.contains(&part.match_key), !is_believed, "byte {place}");
                }
                of_one += usize::from(keys.len() == 1);
            }
        }
        // A damaged byte usually affects exactly one part.
        assert!(of_one > bytes.len() * 8 / 2, "{of_one}");
    }
}

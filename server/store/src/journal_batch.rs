//! The bytes of a batch of the journal: one commit, with the entries of any number of matches.

use prost::{
    Message,
    encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint},
};

use crate::checksum::StoreId;

/// The generated messages; of a `JournalBatch` the fields are written and read one by one.
mod form {
    #![allow(dead_code, missing_docs, unreachable_pub, clippy::all)]
    include!(concat!(env!("OUT_DIR"), "/bridgemaster.internal.v1.rs"));
}

/// Numbers of the fields of a `JournalBatch`.
const HEAD_FIELD: u32 = 1;
const PARTS_FIELD: u32 = 2;

/// Most bytes of a number as a field, or of what comes before bytes: the key of the field and a varint.
const MAX_VARINT_FIELD_BYTES: usize = 11;

/// Number of the field `checksum` in every message.
const CHECKSUM_FIELD: u32 = 15;

/// The first byte of that field: its number and its kind, 8 bytes of fixed length.
const CHECKSUM_KEY: u8 = (CHECKSUM_FIELD << 3) as u8 | WireType::SixtyFourBit as u8;

/// Bytes of that field.
const CHECKSUM_BYTES: usize = 9;

/// The entries of one match in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Stands for the match.
    pub(crate) match_key: i64,
    /// Number of the first entry.
    pub(crate) first_entry: u64,
    /// The batch with the entries before these.
    pub(crate) previous_batch: Option<i64>,
    pub(crate) entries: Vec<Vec<u8>>,
}

/// What a batch says, as far as it is sound.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The parts that are sound.
    pub(crate) parts: Vec<Part>,
    /// Keys given to matches so far; 0 if that cannot be read.
    pub(crate) match_keys_given: i64,
    /// What is wrong with it, if anything is.
    pub(crate) damage: Option<BatchDamage>,
}

/// A batch that is not as it was written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BatchDamage {
    /// Keys of the matches whose parts are not sound; `None` if that cannot be told.
    pub(crate) match_keys: Option<Vec<i64>>,
}

/// The bytes of a batch.
pub(crate) fn write(
    store: StoreId,
    number: i64,
    match_keys_given: i64,
    parts: Vec<Part>,
) -> Vec<u8> {
    let head = form::JournalBatchHead {
        number: number.cast_unsigned(),
        match_keys_given: match_keys_given.cast_unsigned(),
        match_keys: parts
            .iter()
            .map(|part| part.match_key.cast_unsigned())
            .collect(),
        checksum: 0,
    };
    let mut bytes = Vec::with_capacity(room(&parts));
    put_sealed(store, number, HEAD_FIELD, &head, &mut bytes);
    for part in parts {
        let part = form::JournalPart {
            match_key: part.match_key.cast_unsigned(),
            first_entry: part.first_entry,
            previous_batch: part.previous_batch.map(i64::cast_unsigned),
            entries: part.entries,
            checksum: 0,
        };
        put_sealed(store, number, PARTS_FIELD, &part, &mut bytes);
    }
    seal(store, number, 0, &mut bytes);
    bytes
}

/// Bytes of a batch of these parts, at most.
fn room(parts: &[Part]) -> usize {
    let of_entry = |entry: &Vec<u8>| entry.len() + MAX_VARINT_FIELD_BYTES;
    let of_part = |part: &Part| {
        let entries: usize = part.entries.iter().map(of_entry).sum();
        entries + 6 * MAX_VARINT_FIELD_BYTES
    };
    parts.iter().map(of_part).sum::<usize>() + 6 * MAX_VARINT_FIELD_BYTES
}

/// Reads what is sound of the batch of this number.
pub(crate) fn read(store: StoreId, number: i64, bytes: &[u8]) -> Batch {
    let is_sound = is_sealed(store, number, bytes);
    let mut head = None;
    let mut parts = Vec::new();
    for (field, value) in fields(bytes) {
        // The parts of a sound batch are sound.
        if !(is_sound || is_sealed(store, number, value)) {
            continue;
        }
        match field {
            HEAD_FIELD => head = form::JournalBatchHead::decode(value).ok(),
            PARTS_FIELD => parts.extend(form::JournalPart::decode(value).ok().map(Part::from)),
            _ => {}
        }
    }
    let keys: Option<Vec<i64>> = head.as_ref().map(|head| {
        let keys = head.match_keys.iter();
        keys.map(|key| key.cast_signed()).collect()
    });
    let is_whole = keys.as_ref().is_some_and(|keys| {
        keys.len() == parts.len()
            && keys
                .iter()
                .zip(&parts)
                .all(|(key, part)| *key == part.match_key)
    });
    let damage = (!is_sound || !is_whole).then(|| BatchDamage {
        match_keys: keys.map(|mut keys| {
            keys.retain(|key| parts.iter().all(|part| part.match_key != *key));
            keys
        }),
    });
    Batch {
        parts,
        match_keys_given: head.map_or(0, |head| head.match_keys_given.cast_signed()),
        damage,
    }
}

impl From<form::JournalPart> for Part {
    fn from(part: form::JournalPart) -> Self {
        Self {
            match_key: part.match_key.cast_signed(),
            first_entry: part.first_entry,
            previous_batch: part.previous_batch.map(u64::cast_signed),
            entries: part.entries,
        }
    }
}

/// Adds a message with the checksum of its bytes as its last field, as a field of another.
fn put_sealed(
    store: StoreId,
    number: i64,
    field: u32,
    message: &impl Message,
    bytes: &mut Vec<u8>,
) {
    encode_key(field, WireType::LengthDelimited, bytes);
    encode_varint((message.encoded_len() + CHECKSUM_BYTES) as u64, bytes);
    let begin = bytes.len();
    message.encode_raw(bytes);
    seal(store, number, begin, bytes);
}

/// Adds the checksum of a message, which begins here and is the end of the bytes.
fn seal(store: StoreId, number: i64, begin: usize, bytes: &mut Vec<u8>) {
    let checksum = store.of_batch(number, &bytes[begin..]);
    bytes.push(CHECKSUM_KEY);
    bytes.extend(checksum.to_le_bytes());
}

/// Whether a message ends with the checksum of its bytes.
fn is_sealed(store: StoreId, number: i64, message: &[u8]) -> bool {
    let Some(length) = message.len().checked_sub(CHECKSUM_BYTES) else {
        return false;
    };
    let (body, field) = message.split_at(length);
    field[0] == CHECKSUM_KEY && field[1..] == store.of_batch(number, body).to_le_bytes()
}

/// The fields of a message that are bytes, with their numbers, up to where it makes no sense.
fn fields(mut rest: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let (field, WireType::LengthDelimited) = decode_key(&mut rest).ok()? else {
            return None;
        };
        let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
        let (value, after) = rest.split_at_checked(length)?;
        rest = after;
        Some((field, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::STORE_ID_BYTES;

    const STORE: StoreId = StoreId([7; STORE_ID_BYTES]);

    fn parts() -> Vec<Part> {
        let part = |match_key, previous_batch, entries: &[&str]| Part {
            match_key,
            first_entry: match_key.unsigned_abs() * 100,
            previous_batch,
            entries: entries
                .iter()
                .map(|entry| entry.as_bytes().to_vec())
                .collect(),
        };
        vec![
            part(3, Some(40), &["first of three", "second of three"]),
            part(1, None, &["only of one"]),
            part(700, Some(1), &["", "of seven hundred"]),
        ]
    }

    #[test]
    fn a_batch_comes_back_as_it_was_written() {
        let bytes = write(STORE, 41, 900, parts());
        let batch = read(STORE, 41, &bytes);
        assert_eq!((batch.parts, batch.match_keys_given), (parts(), 900));
        assert_eq!(batch.damage, None);
        let empty = read(STORE, 42, &write(STORE, 42, 0, Vec::new()));
        assert_eq!((empty.parts, empty.damage), (Vec::new(), None));
    }

    /// The form may not change: what is stored must be read by later programs.
    #[test]
    fn the_form_of_a_batch_is_fixed() {
        let part = Part {
            match_key: 2,
            first_entry: 5,
            previous_batch: Some(7),
            entries: vec![b"e".to_vec()],
        };
        let bytes = write(STORE, 8, 3, vec![part]);
        let described = form::JournalBatch::decode(&bytes[..]).unwrap();
        assert!(is_sealed(STORE, 8, &described.head));
        assert!(is_sealed(STORE, 8, &described.parts[0]));
        let hex = hex::encode(bytes);
        let head = "0a10080810031a0102795adfcb1581c58820";
        let part = "121208021005180722016579ab9a2e32087a6d17";
        let checksum = "7965ad081e5adb4e5f";
        assert_eq!(hex, [head, part, checksum].concat());
    }

    #[test]
    fn a_batch_at_another_place_or_of_another_store_is_not_believed() {
        let bytes = write(STORE, 41, 900, parts());
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
    fn every_flipped_bit_is_told_of_the_matches_that_it_is_of() {
        let bytes = write(STORE, 41, 900, parts());
        let mut of_one = 0;
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                let batch = read(STORE, 41, &damaged);
                let damage = batch.damage.unwrap();
                // What is believed is true, and what is not believed is told.
                assert!(batch.parts.iter().all(|part| parts().contains(part)));
                let Some(keys) = damage.match_keys else {
                    continue;
                };
                for part in parts() {
                    let is_believed = batch.parts.contains(&part);
                    assert_eq!(keys.contains(&part.match_key), !is_believed, "byte {place}");
                }
                of_one += usize::from(keys.len() == 1);
            }
        }
        // Most bytes are of one part.
        assert!(of_one > bytes.len() * 8 / 2, "{of_one}");
    }
}

//! The memory that a message takes once it is decoded, computed from its encoded bytes.
//!
//! An empty message in a list takes two bytes in a file, but hundreds of bytes in memory. So bytes
//! from outside can be limited by their decoded size before they are decoded.

use prost::{
    DecodeError,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};
use thiserror::Error;

/// The depth at which a nested message counts as too large. No message of the protocol is as deep.
const MAX_DEPTH: u32 = 100;
/// The number of entries for which the first entry of a list reserves memory.
const FIRST_CAPACITY: usize = 4;
/// The number of entries for which each further entry reserves memory. A list can have twice the
/// capacity that it needs.
const NEXT_CAPACITY: usize = 2;
/// The memory of a text, of an entry of a map, and of their allocations, besides their bytes.
const TEXT_BYTES: usize = 128;
/// The memory of a number in a list. A list can have twice the capacity that it needs.
const NUMBER_BYTES: usize = 2 * size_of::<u64>();

/// The reason why bytes must not be decoded.
#[derive(Debug, Error)]
pub enum DecodedSizeError {
    /// The bytes are not a message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The message would take more memory than the maximum.
    #[error("the decoded message would take more than the maximum of {max_bytes} bytes of memory")]
    TooLarge {
        /// The maximum.
        max_bytes: usize,
    },
}

/// The type of a field's content, as far as it matters for the size.
pub enum Content {
    /// A message, with the function that measures it.
    Message(Measure),
    /// A list of numbers.
    Numbers,
    /// Anything else: a number, a text or a map.
    Other,
}

type Measure = fn(&[u8], &mut Budget, usize, u32) -> Result<(), DecodedSizeError>;

/// A message whose decoded size can be measured. `build.rs` implements it for each message.
pub trait Measured: Sized {
    /// Returns the content of a field.
    fn content(field_number: u32) -> Content;
}

/// The memory that is left for a message.
pub struct Budget {
    left: usize,
    max_bytes: usize,
}

impl Budget {
    fn take(&mut self, bytes: usize) -> Result<(), DecodedSizeError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| self.too_large())?;
        Ok(())
    }

    fn too_large(&self) -> DecodedSizeError {
        DecodedSizeError::TooLarge { max_bytes: self.max_bytes }
    }
}

/// Checks that `bytes`, decoded as `M`, take at most `max_bytes` bytes of memory.
///
/// # Errors
/// Returns an error if they would take more, or are not valid fields.
pub fn check_decoded_size<M: Measured>(
    bytes: &[u8],
    max_bytes: usize,
) -> Result<(), DecodedSizeError> {
    measure::<M>(bytes, &mut Budget { left: max_bytes, max_bytes }, 1, 0)
}

/// Takes the memory of one message from the budget, with that of `capacity` such messages for the
/// list that it is in.
pub(crate) fn measure<M: Measured>(
    mut bytes: &[u8],
    budget: &mut Budget,
    capacity: usize,
    depth: u32,
) -> Result<(), DecodedSizeError> {
    budget.take(capacity * size_of::<M>())?;
    if depth == MAX_DEPTH {
        return Err(budget.too_large());
    }
    let mut last_message = None;
    while !bytes.is_empty() {
        let (number, wire_type) = decode_key(&mut bytes)?;
        if wire_type != WireType::LengthDelimited {
            skip_field(wire_type, number, &mut bytes, DecodeContext::default())?;
            budget.take(NUMBER_BYTES)?;
            continue;
        }
        let length = usize::try_from(decode_varint(&mut bytes)?).unwrap_or(usize::MAX);
        // Missing bytes are reported by the decoder.
        let (value, rest) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
        bytes = rest;
        match M::content(number) {
            Content::Message(measure) => {
                let continues_list = last_message.replace(number) == Some(number);
                let capacity = if continues_list { NEXT_CAPACITY } else { FIRST_CAPACITY };
                measure(value, budget, capacity, depth + 1)?;
            }
            Content::Numbers => budget.take(NUMBER_BYTES.saturating_mul(value.len()))?,
            Content::Other => budget.take(TEXT_BYTES + value.len())?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::v1::{DecisionRecord, GameEvent, Record, Replay, record};

    fn check(replay: &Replay) -> Result<(), DecodedSizeError> {
        check_decoded_size::<Replay>(&replay.encode_to_vec(), 1_000_000)
    }

    #[test]
    fn empty_messages_in_lists_at_any_depth_are_too_large() {
        let decision =
            DecisionRecord { events: vec![GameEvent::default(); 30_000], ..Default::default() };
        let record = Record { record: Some(record::Record::Decision(decision)), ..<_>::default() };
        let records = vec![Record::default(); 30_000];
        let data_notes = vec![String::new(); 30_000];
        for replay in [
            Replay { records, ..Replay::default() },
            Replay { records: vec![record], ..Replay::default() },
            Replay { data_notes, ..Replay::default() },
        ] {
            assert!(replay.encoded_len() < 100_000);
            assert!(matches!(check(&replay), Err(DecodedSizeError::TooLarge { .. })));
        }
    }

    #[test]
    fn the_first_entry_of_a_list_reserves_memory_for_four() {
        for (entries, capacity) in [(1, 4), (2, 6)] {
            let replay = Replay { records: vec![Record::default(); entries], ..Replay::default() };
            let bytes = replay.encode_to_vec();
            let taken = size_of::<Replay>() + capacity * size_of::<Record>();
            assert!(check_decoded_size::<Replay>(&bytes, taken).is_ok());
            assert!(check_decoded_size::<Replay>(&bytes, taken - 1).is_err());
        }
    }

    #[test]
    fn a_long_text_counts_with_its_length() {
        let of_length = |length| Replay { server_version: "x".repeat(length), ..<_>::default() };
        assert!(check(&of_length(900_000)).is_ok());
        assert!(check(&of_length(1_000_000)).is_err());
    }
}

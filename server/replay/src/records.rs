//! Records out of bytes, one at a time: a replay unpacked is several times as large as its bytes.

use bridgemaster_proto::{
    games::field_of,
    v1::{Record, Replay},
};
use prost::{
    DecodeError, Message as _,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};

/// Number of the field of the records.
const RECORDS_FIELD: u32 = field_of::<Replay>("records").number();

/// A place among the bytes of a replay file, or of the records of a match in play: before a record,
/// or at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPlace(usize);

impl RecordPlace {
    /// So many bytes from the beginning.
    pub fn bytes(self) -> usize {
        self.0
    }

    /// The next record of these bytes, and moves behind it; `None` at their end. Other fields are
    /// passed over.
    ///
    /// # Errors
    /// When the bytes are no fields, or no record.
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
            // The decoder knows best how to say that bytes are missing.
            let (record, after) = split.unwrap_or((rest, &[]));
            let decoded = Record::decode(record)?;
            self.0 = all.len() - after.len();
            return Ok(Some(decoded));
        }
        Ok(None)
    }
}

/// What a replay has but for its records.
///
/// # Errors
/// When the bytes are no replay.
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

//! Incremental decoding of records, because a decoded replay is several times as large as an
//! encoded one.

use bridgemaster_proto::{
    games::field_of,
    v1::{Record, Replay},
};
use prost::{
    DecodeError, Message as _,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};

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
            // If bytes are missing, all bytes are passed to the decoder, which reports the error.
            let (record, after) = split.unwrap_or((rest, &[]));
            let decoded = Record::decode(record)?;
            self.0 = all.len() - after.len();
            return Ok(Some(decoded));
        }
        Ok(None)
    }
}

/// Decodes a replay without its records.
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

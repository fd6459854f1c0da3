//! Encodes and numbers messages to the bot, including messages from a newer protocol and messages
//! that scripts insert.

use bridgemaster_proto::v1::{
    PlayResponse, SeatInfo, SeatStatus, play_response::Message as FromServer,
};
use prost::{
    Message as _,
    encoding::{WireType, encode_key, encode_varint},
};

/// A field number that no protocol message uses or will use. It is below the range that protobuf
/// reserves.
const UNKNOWN_FIELD: u32 = 18_999;
/// A number that no enum in the protocol uses.
const UNKNOWN_ENUM_VALUE: i32 = 9_999;
/// Field number of `PlayResponse.decision_request`.
const DECISION_REQUEST_FIELD: u32 = 4;

pub(super) fn encode(sequence: u32, message: FromServer) -> Vec<u8> {
    let message = Some(message);
    PlayResponse { sequence, message }.encode_to_vec()
}

/// Encodes a message of an unknown kind.
pub(super) fn unknown_kind(sequence: u32) -> Vec<u8> {
    let message = None;
    let mut bytes = PlayResponse { sequence, message }.encode_to_vec();
    append_unknown_field(&mut bytes);
    bytes
}

/// Encodes a message with an empty `oneof`.
pub(super) fn empty(sequence: u32) -> Vec<u8> {
    let message = None;
    PlayResponse { sequence, message }.encode_to_vec()
}

/// Encodes a SeatStatus with unknown enum values and an unknown field.
pub(super) fn newer_seat_status(sequence: u32, seat: u32) -> Vec<u8> {
    let status = SeatStatus {
        seat: Some(SeatInfo { seat, state: UNKNOWN_ENUM_VALUE, ..SeatInfo::default() }),
        reason: UNKNOWN_ENUM_VALUE,
    };
    let mut bytes = encode(sequence, FromServer::SeatStatus(status));
    append_unknown_field(&mut bytes);
    bytes
}

/// Encodes a DecisionRequest with unknown fields in the request and in the response that contains
/// it. Other messages are encoded unchanged.
pub(super) fn with_unknown_fields(sequence: u32, message: FromServer) -> Vec<u8> {
    let FromServer::DecisionRequest(request) = message else {
        return encode(sequence, message);
    };
    let mut inner = request.encode_to_vec();
    append_unknown_field(&mut inner);
    let mut bytes = empty(sequence);
    append_unknown_field(&mut bytes);
    append_bytes(&mut bytes, DECISION_REQUEST_FIELD, &inner);
    bytes
}

fn append_unknown_field(bytes: &mut Vec<u8>) {
    append_bytes(bytes, UNKNOWN_FIELD, b"from a newer server");
}

fn append_bytes(bytes: &mut Vec<u8>, field: u32, content: &[u8]) {
    encode_key(field, WireType::LengthDelimited, bytes);
    encode_varint(content.len() as u64, bytes);
    bytes.extend_from_slice(content);
}

/// Translates between the server's and the bot's sequence numbers.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// For each inserted message, the sequence number of the last server message before it, in
    /// ascending order.
    after: Vec<u32>,
    /// The highest sequence number that the server has sent so far.
    server_last: u32,
}

impl Numbering {
    /// Translates a server sequence number to the bot's sequence number. The value 0 means
    /// unnumbered and stays 0.
    pub(super) fn number_for_bot(&mut self, sequence: u32) -> u32 {
        self.server_last = self.server_last.max(sequence);
        match sequence {
            0 => 0,
            _ => sequence + count(self.after.iter().filter(|after| **after < sequence)),
        }
    }

    /// Inserts a message after all server messages so far, and returns the message's sequence
    /// number for the bot.
    pub(super) fn insert(&mut self) -> u32 {
        self.after.push(self.server_last);
        self.server_last + count(self.after.iter())
    }

    /// Translates the bot's `last_sequence` to one of the server's sequence numbers.
    pub(super) fn to_server(&self, sequence: u32) -> u32 {
        let insert = (1..).zip(&self.after).map(|(nth, after)| after + nth);
        sequence.saturating_sub(count(insert.filter(|number| *number <= sequence)))
    }
}

fn count(items: impl Iterator) -> u32 {
    // Scripts insert only a few messages, so the number fits.
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::DecisionRequest;

    use super::*;

    #[test]
    fn unknown_parts_are_skipped_by_the_current_decoder() {
        let unknown = unknown_kind(7);
        assert!(unknown.len() > empty(7).len());
        let message = PlayResponse::decode(&*unknown).unwrap();
        assert_eq!((message.sequence, message.message), (7, None));

        let request = FromServer::DecisionRequest(DecisionRequest {
            request_id: 3,
            ..DecisionRequest::default()
        });
        let bytes = with_unknown_fields(8, request.clone());
        assert!(bytes.len() > encode(8, request.clone()).len());
        let message = PlayResponse::decode(&*bytes).unwrap();
        assert_eq!((message.sequence, message.message), (8, Some(request)));

        let status = PlayResponse::decode(&*newer_seat_status(9, 1)).unwrap();
        assert!(matches!(status.message, Some(FromServer::SeatStatus(s)) if s.reason == 9_999));
    }

    #[test]
    fn sequence_numbers_sent_to_the_bot_have_no_gap_and_translate_back() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.number_for_bot(0), 0);
        assert_eq!([1, 2].map(|n| numbering.number_for_bot(n)), [1, 2]);
        assert_eq!([numbering.insert(), numbering.insert()], [3, 4]);
        assert_eq!([3, 4].map(|n| numbering.number_for_bot(n)), [5, 6]);
        assert_eq!(numbering.insert(), 7);
        assert_eq!(numbering.number_for_bot(5), 8);
        assert_eq!(numbering.number_for_bot(2), 2, "sent again");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|n| numbering.to_server(n)),
            [0, 1, 2, 2, 2, 3, 4, 4, 5]
        );
    }
}

//! Encodes messages to the bot, including messages from a newer protocol.

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
        seat: Some(SeatInfo {
            seat,
            state: UNKNOWN_ENUM_VALUE,
            ..SeatInfo::default()
        }),
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
}

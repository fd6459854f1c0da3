//! Validation of requests to `LobbyService`, and their conversion.

use bridgemaster_edge::{
    identity::Caller,
    limits::{MAX_BOT_SLOTS, MAX_BOT_TEXT_CHARS},
    refusal::{Refusal, check_text},
    transport::{Call, ConnectionInfo},
};
use bridgemaster_match::ClientStream;
use bridgemaster_matchmaking::lobby::{
    AttendanceId, NewAttendance, QueueId, QueueRules, VersionStatus, queue_unknown,
};
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{AttendRequest, Queue, RefusalReason},
};
use bridgemaster_store::KeyName;
use tonic::Request;

use super::validation::{self, check_game, check_range, check_rules_version};

/// Validates the number of slots in `field`.
pub(super) fn check_slots(field: &str, slots: u32) -> Result<u32, Refusal> {
    check_range(field, slots, 1..=MAX_BOT_SLOTS)
}

/// Validates a request to attend a queue.
pub(super) fn attend_request(
    request: &Request<AttendRequest>,
    caller: &Caller,
) -> Result<NewAttendance, Refusal> {
    let connection = ConnectionInfo::from_request(request);
    let AttendRequest {
        queue_id,
        bot_name,
        bot_version,
        slots: requested_slots,
        protocol_revision,
        client_instance_id,
        stream_number,
    } = request.get_ref();
    if *protocol_revision != PROTOCOL_REVISION {
        let message = format!(
            "protocol_revision: this server supports {PROTOCOL_REVISION}, not {protocol_revision}"
        );
        let reason = RefusalReason::ProtocolRevisionUnsupported;
        return Err(Refusal::new(reason, message).with("supported", PROTOCOL_REVISION.to_string()));
    }
    let name = caller.key_name().map_or(bot_name.as_str(), KeyName::as_str);
    let bot = validation::bot_name("bot_name", name)?;
    check_text("bot_version", bot_version, MAX_BOT_TEXT_CHARS)?;
    Ok(NewAttendance {
        queue_id: QueueId::new(queue_id).ok_or_else(|| queue_unknown(queue_id))?,
        bot,
        version: bot_version.clone(),
        owner: caller.owner(),
        key: caller.key_name().cloned(),
        caller: Call::current().map(|call| call.caller_id()),
        slots: check_slots("slots", (*requested_slots).max(1))?,
        node: connection.and_then(|known| known.forwarding_node.clone()),
        client_stream: ClientStream::from_client(client_instance_id, *stream_number)
            .map_err(|problem| Refusal::field("client_instance_id", problem))?,
        new_id: AttendanceId::generate(),
    })
}

/// Validates a new queue that the caller opens.
pub(super) fn queue_rules(queue: &Queue, caller: &Caller) -> Result<QueueRules, Refusal> {
    let Queue { queue_id, game_id, rules_version, key_names, attendances: _, is_ladder: _ } = queue;
    let queue_id = QueueId::new(queue_id);
    let queue_id =
        queue_id.ok_or_else(|| Refusal::field("queue.queue_id", QueueId::FORMAT_RULE))?;
    if !game_id.is_empty() {
        check_game("queue.game_id", game_id)?;
    }
    check_rules_version("queue.rules_version", *rules_version, game_id)?;
    let uses_keys = caller.key_name().is_some();
    let key_names = validation::key_names("queue.key_names", key_names, uses_keys)?;
    Ok(QueueRules {
        queue_id,
        owner: caller.key_name().cloned(),
        game_id: Some(game_id.clone()).filter(|game_id| !game_id.is_empty()),
        rules_version: *rules_version,
        key_names,
        is_ladder: false,
        default_status: VersionStatus::Active,
    })
}

//! Validation of requests to `LobbyService`, and their conversion.

use std::collections::BTreeSet;

use bridgemaster_edge::{
    identity::Caller,
    limits::{MAX_BOT_SLOTS, MAX_BOT_TEXT_CHARS, MAX_QUEUE_KEYS, MAX_QUOTED_CHARS},
    refusal::{Refusal, check_text},
    transport::{Call, ConnectionInfo},
};
use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_matchmaking::lobby::{
    AttendanceId, BotName, NewAttendance, QueueId, QueueRules, VersionStatus, queue_unknown,
};
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{AttendRequest, Queue, RefusalReason},
};
use bridgemaster_store::KeyName;
use tonic::Request;

/// Validates the number of slots in `field`.
pub(super) fn check_slots(field: &str, slots: u32) -> Result<u32, Refusal> {
    match slots {
        1..=MAX_BOT_SLOTS => Ok(slots),
        other => {
            Err(Refusal::field(field, format!("{other} is out of range (1 to {MAX_BOT_SLOTS})")))
        }
    }
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
    } = request.get_ref();
    if *protocol_revision != PROTOCOL_REVISION {
        let message = format!(
            "protocol_revision: this server supports {PROTOCOL_REVISION}, not {protocol_revision}"
        );
        let reason = RefusalReason::ProtocolRevisionUnsupported;
        return Err(Refusal::new(reason, message).with("supported", PROTOCOL_REVISION.to_string()));
    }
    let name = caller.key_name().map_or(bot_name.as_str(), KeyName::as_str);
    let bot = BotName::new(name).ok_or_else(|| {
        let rule = format!("must have 1 to {MAX_BOT_TEXT_CHARS} printable characters");
        Refusal::field("bot_name", rule)
    })?;
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
        new_id: AttendanceId::generate(),
    })
}

/// Validates a new queue that the caller opens.
pub(super) fn queue_rules(queue: &Queue, caller: &Caller) -> Result<QueueRules, Refusal> {
    let Queue { queue_id, game_id, rules_version, key_names, attendances: _, is_ladder: _ } = queue;
    let queue_id = QueueId::new(queue_id);
    let queue_id =
        queue_id.ok_or_else(|| Refusal::field("queue.queue_id", QueueId::FORMAT_RULE))?;
    if !game_id.is_empty() && !GAME_IDS.contains(&game_id.as_str()) {
        let games = GAME_IDS.join(", ");
        let detail = format!(
            "{:?} is not a game of this server: expected one of {games}",
            truncated(game_id)
        );
        return Err(Refusal::field("queue.game_id", detail));
    }
    if let (Some(requested), Some(served)) =
        (rules_version, with_game!(game_id.as_str(), G => G::RULES_VERSION))
        && *requested != served
    {
        let detail = format!("this server plays version {served} of {game_id}, not {requested}");
        return Err(Refusal::field("queue.rules_version", detail));
    }
    let refuse = |detail: String| Refusal::field("queue.key_names", detail);
    if !key_names.is_empty() && caller.key_name().is_none() {
        return Err(refuse("cannot be set: this server does not use API keys".to_owned()));
    }
    if key_names.len() > MAX_QUEUE_KEYS {
        let detail = format!("at most {MAX_QUEUE_KEYS} keys are allowed, not {}", key_names.len());
        return Err(refuse(detail));
    }
    let named = key_names.iter().map(|name| {
        let invalid = |_| refuse(format!("{:?} is not a valid API key name", truncated(name)));
        KeyName::new(name).map_err(invalid)
    });
    Ok(QueueRules {
        queue_id,
        owner: caller.key_name().cloned(),
        game_id: Some(game_id.clone()).filter(|game_id| !game_id.is_empty()),
        rules_version: *rules_version,
        key_names: named.collect::<Result<BTreeSet<_>, _>>()?,
        is_ladder: false,
        default_status: VersionStatus::Active,
    })
}

/// Truncates a client's text for quotation in a refusal.
fn truncated(text: &str) -> String {
    text.chars().take(MAX_QUOTED_CHARS).collect()
}

//! What requests to the lobby say: checked, and as the lobby takes it.

use std::collections::BTreeSet;

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    outside::is_printable,
    v1::{AttendRequest, Queue, RefusalReason},
};
use bridgemaster_store::KeyName;

use crate::{
    identity::Caller,
    limits::{MAX_BOT_TEXT_CHARS, MAX_QUEUE_KEYS, MAX_REPEATED_CHARS, MAX_SLOTS},
    lobby::{Asking, AttendanceId, BotName, QueueId, QueueRules, Standing, queue_unknown},
    refusal::Refusal,
    transport::Call,
};

/// Slots that are asked for in `field`.
pub(super) fn slots(field: &str, slots: u32) -> Result<u32, Refusal> {
    match slots {
        1..=MAX_SLOTS => Ok(slots),
        other => Err(Refusal::field(
            field,
            format!("1 to {MAX_SLOTS}, not {other}"),
        )),
    }
}

/// A bot that asks to attend.
pub(super) fn asking(request: &AttendRequest, caller: &Caller) -> Result<Asking, Refusal> {
    let AttendRequest {
        queue_id,
        bot_name,
        bot_version,
        slots: wanted,
        protocol_revision,
    } = request;
    if *protocol_revision != PROTOCOL_REVISION {
        let message = format!(
            "protocol_revision: this server speaks {PROTOCOL_REVISION}, not {protocol_revision}"
        );
        let reason = RefusalReason::ProtocolRevisionUnsupported;
        return Err(Refusal::new(reason, message).with("supported", PROTOCOL_REVISION.to_string()));
    }
    let name = caller.name().map_or(bot_name.as_str(), KeyName::as_str);
    let bot = BotName::new(name).ok_or_else(|| {
        let rule = format!("1 to {MAX_BOT_TEXT_CHARS} printable characters");
        Refusal::field("bot_name", rule)
    })?;
    if bot_version.chars().count() > MAX_BOT_TEXT_CHARS || !bot_version.chars().all(is_printable) {
        let rule = format!("at most {MAX_BOT_TEXT_CHARS} printable characters");
        return Err(Refusal::field("bot_version", rule));
    }
    Ok(Asking {
        queue_id: QueueId::new(queue_id).ok_or_else(|| queue_unknown(queue_id))?,
        bot,
        version: bot_version.clone(),
        owner: caller.owner(),
        key: caller.name().cloned(),
        caller: Call::current().map(|call| call.caller_id()),
        slots: slots("slots", (*wanted).max(1))?,
        new_id: AttendanceId::draw(),
    })
}

/// A queue that the caller opens.
pub(super) fn queue_rules(queue: &Queue, caller: &Caller) -> Result<QueueRules, Refusal> {
    let Queue {
        queue_id,
        game_id,
        rules_version,
        key_names,
        attendances: _,
        is_ladder: _,
    } = queue;
    let queue_id = QueueId::new(queue_id);
    let queue_id = queue_id.ok_or_else(|| Refusal::field("queue.queue_id", QueueId::RULE))?;
    if !game_id.is_empty() && !GAME_IDS.contains(&game_id.as_str()) {
        let games = GAME_IDS.join(", ");
        let detail = format!(
            "{:?} is no game of this server; it has {games}",
            shown(game_id)
        );
        return Err(Refusal::field("queue.game_id", detail));
    }
    if let (Some(wanted), Some(served)) = (
        rules_version,
        with_game!(game_id.as_str(), G => G::RULES_VERSION),
    ) && *wanted != served
    {
        let detail = format!("this server plays {game_id} by version {served}, not {wanted}");
        return Err(Refusal::field("queue.rules_version", detail));
    }
    let refuse = |detail: String| Refusal::field("queue.key_names", detail);
    if !key_names.is_empty() && caller.name().is_none() {
        return Err(refuse("this server asks for no API keys".to_owned()));
    }
    if key_names.len() > MAX_QUEUE_KEYS {
        let detail = format!("at most {MAX_QUEUE_KEYS}, not {}", key_names.len());
        return Err(refuse(detail));
    }
    let named = key_names.iter().map(|name| {
        let not_one = |_| refuse(format!("{:?} is no name of an API key", shown(name)));
        KeyName::new(name).map_err(not_one)
    });
    Ok(QueueRules {
        queue_id,
        owner: caller.name().cloned(),
        game_id: Some(game_id.clone()).filter(|game_id| !game_id.is_empty()),
        rules_version: *rules_version,
        key_names: named.collect::<Result<BTreeSet<_>, _>>()?,
        is_ladder: false,
        newcomers: Standing::Active,
    })
}

/// A client's text, as much of it as a refusal repeats.
fn shown(text: &str) -> String {
    text.chars().take(MAX_REPEATED_CHARS).collect()
}

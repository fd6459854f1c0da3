//! Validation of a bot's Hello.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    escape::is_printable,
    v1::{Hello, RefusalReason},
};
use bridgemaster_referee::{BotIdentity, ResumePoint};

use crate::{limits::MAX_BOT_TEXT_CHARS, refusal::Refusal};

/// Returns the last message that a bot has received, and the history to which it belongs. A
/// malformed history counts as unknown, so the bot starts over.
pub(super) fn resume_point(hello: &Hello) -> Option<ResumePoint> {
    Some(ResumePoint {
        history_id: hello.history_id.as_deref()?.parse().ok()?,
        last_sequence: hello.last_sequence?,
    })
}

/// Validates a Hello for a match of `game_id`.
pub(super) fn check_hello(hello: &Hello, game_id: &str) -> Result<BotIdentity, Refusal> {
    if hello.protocol_revision != PROTOCOL_REVISION {
        return Err(Refusal::new(
            RefusalReason::ProtocolRevisionUnsupported,
            format!(
                "hello.protocol_revision: this server supports {PROTOCOL_REVISION}, not {}",
                hello.protocol_revision
            ),
        )
        .with("supported", PROTOCOL_REVISION.to_string()));
    }
    if hello.bot_name.is_empty() {
        return Err(Refusal::field("hello.bot_name", "must not be empty"));
    }
    for (field, text) in [
        ("hello.bot_name", &hello.bot_name),
        ("hello.bot_version", &hello.bot_version),
    ] {
        let chars = text.chars().count();
        if chars > MAX_BOT_TEXT_CHARS {
            return Err(Refusal::field(
                field,
                format!("has {chars} characters; at most {MAX_BOT_TEXT_CHARS} are allowed"),
            ));
        }
        if let Some(unprintable) = text.chars().find(|&c| !is_printable(c)) {
            return Err(Refusal::field(
                field,
                format!("must be printable; it contains {unprintable:?}"),
            ));
        }
    }
    if !hello.games.is_empty() && !hello.games.iter().any(|game| game == game_id) {
        return Err(Refusal::new(
            RefusalReason::GameNotPlayed,
            format!("hello.games does not contain {game_id}, the game of the match"),
        )
        .with("game_id", game_id));
    }
    Ok(BotIdentity {
        name: hello.bot_name.clone(),
        version: hello.bot_version.clone(),
    })
}

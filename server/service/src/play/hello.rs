//! What a Hello must say.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    outside::is_printable,
    v1::{Hello, RefusalReason},
};
use bridgemaster_referee::{BotIdentity, Known};

use crate::{limits::MAX_BOT_TEXT_CHARS, refusal::Refusal};

/// What a bot says that it has. A history that cannot be read is one that nobody knows: the bot
/// begins anew.
pub(super) fn known(hello: &Hello) -> Option<Known> {
    Some(Known {
        history_id: hello.history_id.as_deref()?.parse().ok()?,
        last_sequence: hello.last_sequence?,
    })
}

/// Checks a Hello for a match of `game_id`.
pub(super) fn check_hello(hello: &Hello, game_id: &str) -> Result<BotIdentity, Refusal> {
    if hello.protocol_revision != PROTOCOL_REVISION {
        return Err(Refusal::new(
            RefusalReason::ProtocolRevisionUnsupported,
            format!(
                "hello.protocol_revision: this server speaks {PROTOCOL_REVISION}, not {}",
                hello.protocol_revision
            ),
        )
        .with("supported", PROTOCOL_REVISION.to_string()));
    }
    if hello.bot_name.is_empty() {
        return Err(Refusal::field("hello.bot_name", "a bot needs a name"));
    }
    for (field, text) in [
        ("hello.bot_name", &hello.bot_name),
        ("hello.bot_version", &hello.bot_version),
    ] {
        let chars = text.chars().count();
        if chars > MAX_BOT_TEXT_CHARS {
            return Err(Refusal::field(
                field,
                format!("at most {MAX_BOT_TEXT_CHARS} characters, not {chars}"),
            ));
        }
        if let Some(unprintable) = text.chars().find(|&c| !is_printable(c)) {
            return Err(Refusal::field(
                field,
                format!("printable characters only, not {unprintable:?}"),
            ));
        }
    }
    if !hello.games.is_empty() && !hello.games.iter().any(|game| game == game_id) {
        return Err(Refusal::new(
            RefusalReason::GameNotPlayed,
            format!("the match is of {game_id}, which hello.games does not name"),
        )
        .with("game_id", game_id));
    }
    Ok(BotIdentity {
        name: hello.bot_name.clone(),
        version: hello.bot_version.clone(),
    })
}

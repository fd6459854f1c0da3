//! Checks of fields that requests to several services have.

use std::{collections::BTreeSet, ops::RangeInclusive};

use bridgemaster_edge::{
    limits::{
        DEFAULT_PAGE_SIZE, MAX_BOT_TEXT_CHARS, MAX_PAGE_SIZE, MAX_QUEUE_KEYS, MAX_QUOTED_CHARS,
    },
    refusal::Refusal,
};
use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_matchmaking::lobby::BotName;
use bridgemaster_store::KeyName;

/// Checks that a number is in a range.
pub(super) fn check_range(
    field: &str,
    number: u32,
    range: RangeInclusive<u32>,
) -> Result<u32, Refusal> {
    if range.contains(&number) {
        return Ok(number);
    }
    let detail = format!("{number} is out of range ({} to {})", range.start(), range.end());
    Err(Refusal::field(field, detail))
}

/// Checks that a number is at most `max`; 0 selects the default.
pub(super) fn or_default(field: &str, number: u32, default: u32, max: u32) -> Result<u32, Refusal> {
    let number = check_range(field, number, 0..=max)?;
    Ok(if number == 0 { default } else { number })
}

/// Checks that a list has at most `max` entries.
pub(super) fn check_count(
    field: &str,
    entries: &str,
    count: usize,
    max: usize,
) -> Result<(), Refusal> {
    if count > max {
        let detail = format!("at most {max} {entries} are allowed, not {count}");
        return Err(Refusal::field(field, detail));
    }
    Ok(())
}

/// Quotes a client's text in a refusal, truncated.
pub(super) fn quoted(text: &str) -> String {
    let begin: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{begin:?}")
}

/// Validates the requested size of a page; 0 selects the default.
pub(super) fn page_size(requested: u32) -> Result<usize, Refusal> {
    let size = or_default("page_size", requested, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

/// Parses a page token; `None` for the first page.
pub(super) fn page_token<T>(
    token: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Refusal> {
    if token.is_empty() {
        return Ok(None);
    }
    let detail = "use `next_page_token` of the previous response, or leave it empty";
    parse(token).map(Some).ok_or_else(|| Refusal::field("page_token", detail))
}

/// Checks that this server has a game.
pub(super) fn check_game(field: &str, game_id: &str) -> Result<(), Refusal> {
    if GAME_IDS.contains(&game_id) {
        return Ok(());
    }
    let (game, games) = (quoted(game_id), GAME_IDS.join(", "));
    let detail = format!("{game} is not a game of this server: expected one of {games}");
    Err(Refusal::field(field, detail))
}

/// Checks that this server plays a version of a game's rules, if one is requested.
pub(super) fn check_rules_version(
    field: &str,
    requested: Option<u32>,
    game_id: &str,
) -> Result<(), Refusal> {
    let served = with_game!(game_id, G => G::RULES_VERSION);
    match requested.zip(served) {
        Some((requested, served)) if requested != served => {
            let detail = format!(
                "this server plays version {served} of the rules of {game_id}, not {requested}"
            );
            Err(Refusal::field(field, detail))
        }
        _ => Ok(()),
    }
}

/// Validates the name of a bot.
pub(super) fn bot_name(field: &str, name: &str) -> Result<BotName, Refusal> {
    BotName::new(name).ok_or_else(|| {
        let detail = format!(
            "must have 1 to {MAX_BOT_TEXT_CHARS} printable characters, and not only spaces and marks"
        );
        Refusal::field(field, detail)
    })
}

/// Validates the name of an API key, which need not exist.
pub(super) fn key_name(field: &str, name: &str) -> Result<KeyName, Refusal> {
    KeyName::new(name)
        .map_err(|_| Refusal::field(field, format!("{} is not a valid API key name", quoted(name))))
}

/// Validates the keys that may attend a queue. `uses_keys` is true on a server with keys.
pub(super) fn key_names(
    field: &str,
    names: &[String],
    uses_keys: bool,
) -> Result<BTreeSet<KeyName>, Refusal> {
    check_count(field, "keys", names.len(), MAX_QUEUE_KEYS)?;
    if !names.is_empty() && !uses_keys {
        let detail = "cannot be set: this server does not use API keys";
        return Err(Refusal::field(field, detail));
    }
    names.iter().map(|name| key_name(field, name)).collect()
}

//! What requests to ladders say: checked, and as the ladders take it.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::game_id,
    v1::{ClosingRule, Ladder, LadderBotRef, LadderReplays, LadderState, MatchConfig},
};
use bridgemaster_store::{KeyName, LadderId};
use bridgemaster_wire::rules_from_wire;

use crate::{
    identity::Authenticator,
    limits::{
        DEFAULT_PAGE_SIZE, MAX_HOUSE_BOTS, MAX_LADDER_MATCHES, MAX_PAGE_SIZE, MAX_QUEUE_KEYS,
        MAX_REPEATED_CHARS, MAX_SLOTS,
    },
    lobby::{BotName, QueueId},
    refusal::Refusal,
    wall_clock::now_unix_ms,
};

/// Matches at once of a ladder that says nothing of them.
const DEFAULT_MATCHES: u32 = 16;
/// Most of the best whose order a closing round may wait for.
const MAX_SETTLED_TOP: u32 = 1_000;
/// Most matches of a bot in a closing round.
const MAX_CLOSING_MATCHES: u32 = 100_000;
/// When a closing round ends of a ladder that says nothing of it.
const DEFAULT_CLOSING: ClosingRule = ClosingRule {
    settled_top: 10,
    confidence: 0.95,
    max_matches_per_bot: 300,
};

/// A ladder that somebody makes: checked, and with every default filled in.
pub(super) fn new_ladder(
    asked: Ladder,
    authenticator: &Authenticator,
) -> Result<(LadderId, Ladder), Refusal> {
    let Ladder {
        ladder_id,
        config,
        rules_version,
        key_names,
        max_matches,
        house_bots,
        owners_apart,
        max_slots,
        replays,
        closing,
        // What tells how it stands is not read.
        state: _,
        created_unix_ms: _,
        frozen_unix_ms: _,
        closed_unix_ms: _,
        matches: _,
        annulled_matches: _,
        settled: _,
    } = asked;
    let id = LadderId::new(ladder_id.as_str());
    let id = id.map_err(|_| refuse("ladder_id", QueueId::RULE))?;
    let config = config.unwrap_or_default();
    let served = check_config(&config)?;
    check_rules_version(rules_version, served)?;
    check_keys(&key_names, authenticator)?;
    let max_matches = in_range(
        "max_matches",
        max_matches,
        DEFAULT_MATCHES,
        MAX_LADDER_MATCHES,
    )?;
    let max_slots = in_range("max_slots", max_slots, MAX_SLOTS, MAX_SLOTS)?;
    check_house_bots(&house_bots)?;
    if owners_apart && !authenticator.asks_for_keys() {
        let detail = "this server asks for no API keys, so it knows no owners";
        return Err(refuse("owners_apart", detail));
    }
    let replays = read_replays(replays, authenticator)?;
    let ladder = Ladder {
        ladder_id,
        config: Some(config),
        rules_version: served,
        key_names,
        max_matches,
        house_bots,
        owners_apart,
        max_slots,
        replays: replays.into(),
        closing: Some(closing_rule(closing)?),
        state: LadderState::Open.into(),
        created_unix_ms: now_unix_ms().unsigned_abs(),
        ..Ladder::default()
    };
    Ok((id, ladder))
}

/// Checks the rules of the matches; the version of the game's rules that the server plays.
fn check_config(config: &MatchConfig) -> Result<u32, Refusal> {
    let unset = || refuse("config.game", "name the game");
    let game = config.game.as_ref().and_then(game_id).ok_or_else(unset)?;
    if config.seed.is_some() {
        return Err(refuse(
            "config.seed",
            "each match of a ladder draws its own",
        ));
    }
    if config.group.is_some() {
        return Err(refuse(
            "config.group",
            "matches of a ladder are in no groups",
        ));
    }
    if !config.seat_clocks.is_empty() {
        return Err(Refusal::unsupported_field("ladder.config.seat_clocks"));
    }
    if config.spectators.is_some() {
        return Err(Refusal::unsupported_field("ladder.config.spectators"));
    }
    let checked = with_game!(game, G => {
        let seed = crate::hosting::draw_seed();
        let checked = rules_from_wire::<G>(config, seed);
        checked.map(|_| G::RULES_VERSION)
    });
    let checked = checked.ok_or_else(unset)?;
    checked.map_err(|error| refuse(&format!("config.{}", error.field), error.detail))
}

fn check_rules_version(asked: u32, served: u32) -> Result<(), Refusal> {
    if asked != 0 && asked != served {
        let detail = format!("this server plays version {served} of its rules, not {asked}");
        return Err(refuse("rules_version", detail));
    }
    Ok(())
}

fn read_replays(replays: i32, authenticator: &Authenticator) -> Result<LadderReplays, Refusal> {
    match LadderReplays::try_from(replays) {
        Ok(LadderReplays::Unspecified | LadderReplays::Public) => Ok(LadderReplays::Public),
        Ok(_) if !authenticator.asks_for_keys() => Err(refuse(
            "replays",
            "this server asks for no API keys, so it does not know whose bots played",
        )),
        Ok(rule) => Ok(rule),
        Err(_) => {
            let detail = format!("{replays} is no LadderReplays; 0 to 3 are");
            Err(refuse("replays", detail))
        }
    }
}

fn check_keys(names: &[String], authenticator: &Authenticator) -> Result<(), Refusal> {
    if names.len() > MAX_QUEUE_KEYS {
        let detail = format!("at most {MAX_QUEUE_KEYS}, not {}", names.len());
        return Err(refuse("key_names", detail));
    }
    if !names.is_empty() && !authenticator.asks_for_keys() {
        return Err(refuse("key_names", "this server asks for no API keys"));
    }
    for name in names {
        // The key may be made later.
        KeyName::new(name.as_str()).map_err(|_| {
            let detail = format!("{:?} is no name of an API key", shown(name));
            refuse("key_names", detail)
        })?;
    }
    Ok(())
}

fn check_house_bots(bots: &[String]) -> Result<(), Refusal> {
    if bots.len() > MAX_HOUSE_BOTS {
        let detail = format!("at most {MAX_HOUSE_BOTS}, not {}", bots.len());
        return Err(refuse("house_bots", detail));
    }
    for bot in bots {
        let name = bot.split('@').next().unwrap_or_default();
        if BotName::new(name).is_none() {
            let detail = format!("{:?} names no bot; write NAME or NAME@VERSION", shown(bot));
            return Err(refuse("house_bots", detail));
        }
    }
    Ok(())
}

fn closing_rule(asked: Option<ClosingRule>) -> Result<ClosingRule, Refusal> {
    let Some(asked) = asked else {
        return Ok(DEFAULT_CLOSING);
    };
    let ClosingRule {
        settled_top,
        confidence,
        max_matches_per_bot,
    } = asked;
    if settled_top > MAX_SETTLED_TOP {
        let detail = format!("0 to {MAX_SETTLED_TOP}, not {settled_top}");
        return Err(refuse("closing.settled_top", detail));
    }
    let confidence = match confidence {
        0.0 => DEFAULT_CLOSING.confidence,
        share if share > 0.5 && share < 1.0 => share,
        other => {
            let detail = format!("above 0.5 and below 1, not {other}");
            return Err(refuse("closing.confidence", detail));
        }
    };
    let max_matches_per_bot = in_range(
        "closing.max_matches_per_bot",
        max_matches_per_bot,
        DEFAULT_CLOSING.max_matches_per_bot,
        MAX_CLOSING_MATCHES,
    )?;
    Ok(ClosingRule {
        settled_top,
        confidence,
        max_matches_per_bot,
    })
}

/// A number from 1 on; 0 takes the default.
fn in_range(field: &str, number: u32, default: u32, most: u32) -> Result<u32, Refusal> {
    match number {
        0 => Ok(default),
        number if number <= most => Ok(number),
        number => Err(refuse(field, format!("1 to {most}, not {number}"))),
    }
}

fn refuse(field: &str, detail: impl Into<String>) -> Refusal {
    Refusal::field(format!("ladder.{field}"), detail)
}

/// The next state that somebody asks for.
pub(super) fn next_state(state: i32) -> Result<LadderState, Refusal> {
    match LadderState::try_from(state) {
        Ok(state @ (LadderState::Frozen | LadderState::Closed)) => Ok(state),
        _ => Err(Refusal::field("state", "FROZEN or CLOSED")),
    }
}

/// A bot that a request names.
pub(super) fn named(field: &str, bot: Option<LadderBotRef>) -> Result<LadderBotRef, Refusal> {
    let bot = bot.unwrap_or_default();
    match BotName::new(&bot.bot_name) {
        Some(_) => Ok(bot),
        None => Err(Refusal::field(format!("{field}.bot_name"), "name a bot")),
    }
}

/// Entries of a page.
pub(super) fn page_size(asked: u32) -> Result<usize, Refusal> {
    let size = match asked {
        0 => DEFAULT_PAGE_SIZE,
        size @ 1..=MAX_PAGE_SIZE => size,
        other => {
            let detail = format!("0 to {MAX_PAGE_SIZE}, not {other}");
            return Err(Refusal::field("page_size", detail));
        }
    };
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

/// Where a page begins, as the token of the page before says; `None` for the first.
pub(super) fn page_begin(token: &str) -> Result<Option<u64>, Refusal> {
    match token {
        "" => Ok(None),
        token => token.parse().map(Some).map_err(|_| {
            let detail = "take `next_page_token` of the answer before, or none";
            Refusal::field("page_token", detail)
        }),
    }
}

/// A page of a list that is there whole, and the token of the next.
pub(super) fn page<T>(
    all: Vec<T>,
    page_size_asked: u32,
    token: &str,
) -> Result<(Vec<T>, String), Refusal> {
    let count = page_size(page_size_asked)?;
    let begin = page_begin(token)?.unwrap_or_default();
    let begin = usize::try_from(begin).unwrap_or(usize::MAX);
    let end = begin.saturating_add(count);
    let next = if end < all.len() {
        end.to_string()
    } else {
        String::new()
    };
    let page = all.into_iter().skip(begin).take(count).collect();
    Ok((page, next))
}

/// A client's text, as much of it as a refusal repeats.
fn shown(text: &str) -> String {
    text.chars().take(MAX_REPEATED_CHARS).collect()
}

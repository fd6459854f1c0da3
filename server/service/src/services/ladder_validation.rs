//! Validation of requests to `LadderService` and of ladders in the server's configuration, and
//! their conversion. When the server starts, it creates missing ladders, and compares existing
//! ladders with their configuration.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::Authenticator,
    limits::{MAX_BOT_SLOTS, MAX_HOUSE_BOTS, MAX_LADDER_MATCHES},
    refusal::Refusal,
    wall_clock::now_unix_ms,
};
use bridgemaster_games::with_game;
use bridgemaster_matchmaking::{
    ladder::{Ladders, rating_method},
    lobby::{BotName, QueueId},
};
use bridgemaster_proto::{
    games::game_id,
    v1::{ClosingRule, Ladder, LadderBotRef, LadderReplays, LadderState, MatchConfig},
};
use bridgemaster_replay::wire::rules_from_wire;
use bridgemaster_store::LadderId;

use super::validation::{
    self, check_count, check_range, check_rules_version, or_default, page_size, page_token, quoted,
};

/// The default value of `max_matches`.
const DEFAULT_MAX_MATCHES: u32 = 16;
/// The maximum value of `closing.settled_top`.
const MAX_SETTLED_TOP: u32 = 1_000;
/// The maximum value of `closing.max_matches_per_bot`.
const MAX_CLOSING_MATCHES: u32 = 100_000;
/// The default rule that ends a closing round.
const DEFAULT_CLOSING: ClosingRule =
    ClosingRule { settled_top: 10, confidence: 0.95, max_matches_per_bot: 300 };

/// Validates a new ladder, and fills in every default.
pub(super) fn new_ladder(
    requested: Ladder,
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
        rating_method: method,
        organiser_key_names,
        state: _, // Like the following fields, output only.
        created_unix_ms: _,
        frozen_unix_ms: _,
        closed_unix_ms: _,
        matches: _,
        annulled_matches: _,
        settled: _,
    } = requested;
    let id = LadderId::new(ladder_id.as_str());
    let id = id.map_err(|_| refuse("ladder_id", QueueId::FORMAT_RULE))?;
    let config = config.unwrap_or_default();
    let (game, served) = check_config(&config)?;
    let requested_version = Some(rules_version).filter(|version| *version != 0);
    check_rules_version("ladder.rules_version", requested_version, game)?;
    check_key_names(&key_names, &organiser_key_names, authenticator)?;
    let max_matches =
        or_default("ladder.max_matches", max_matches, DEFAULT_MAX_MATCHES, MAX_LADDER_MATCHES)?;
    // By default, one bot can play in at most half of the concurrent matches.
    let default_slots = (max_matches / 2).clamp(1, MAX_BOT_SLOTS);
    let max_slots = or_default("ladder.max_slots", max_slots, default_slots, MAX_BOT_SLOTS)?;
    check_house_bots("ladder.house_bots", &house_bots)?;
    check_owners_apart(owners_apart, authenticator)?;
    let replays = check_replay_access(replays, authenticator)?;
    check_rating_method(method)?;
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
        rating_method: method,
        organiser_key_names,
        state: LadderState::Open.into(),
        created_unix_ms: now_unix_ms().unsigned_abs(),
        ..Ladder::default()
    };
    Ok((id, ladder))
}

/// Validates the match rules. Returns the game, and the version of its rules that the server plays.
fn check_config(config: &MatchConfig) -> Result<(&'static str, u32), Refusal> {
    let unset = || refuse("config.game", "is required");
    let game = config.game.as_ref().and_then(game_id).ok_or_else(unset)?;
    if config.seed.is_some() {
        return Err(refuse(
            "config.seed",
            "cannot be set: each match of a ladder has its own seed",
        ));
    }
    if config.group.is_some() {
        return Err(refuse("config.group", "cannot be set for matches of a ladder"));
    }
    if !config.seat_clocks.is_empty() {
        return Err(Refusal::unsupported_field("ladder.config.seat_clocks"));
    }
    if config.spectators.is_some() {
        return Err(Refusal::unsupported_field("ladder.config.spectators"));
    }
    let checked = with_game!(game, G => {
        let seed = bridgemaster_live::generate_seed();
        let checked = rules_from_wire::<G>(config, seed);
        checked.map(|_| (G::ID, G::RULES_VERSION))
    });
    let checked = checked.ok_or_else(unset)?;
    checked.map_err(|error| refuse(&format!("config.{}", error.field), error.problem))
}

fn check_key_names(
    admitted: &[String],
    organisers: &[String],
    authenticator: &Authenticator,
) -> Result<(), Refusal> {
    let uses_keys = authenticator.uses_keys();
    validation::key_names("ladder.key_names", admitted, uses_keys)?;
    validation::key_names("ladder.organiser_key_names", organisers, uses_keys).map(drop)
}

fn check_rating_method(method: i32) -> Result<(), Refusal> {
    if rating_method(method).is_none() {
        let detail = format!("{method} is not a RatingMethod value (0 to 2)");
        return Err(refuse("rating_method", detail));
    }
    Ok(())
}

fn check_owners_apart(owners_apart: bool, authenticator: &Authenticator) -> Result<(), Refusal> {
    if owners_apart && !authenticator.uses_keys() {
        let detail = "cannot be set: this server does not use API keys, so bots have no owners";
        return Err(refuse("owners_apart", detail));
    }
    Ok(())
}

fn check_replay_access(
    replays: i32,
    authenticator: &Authenticator,
) -> Result<LadderReplays, Refusal> {
    match LadderReplays::try_from(replays) {
        Ok(LadderReplays::Unspecified | LadderReplays::Public) => Ok(LadderReplays::Public),
        Ok(_) if !authenticator.uses_keys() => Err(refuse(
            "replays",
            "cannot be set: this server does not use API keys, so bots have no owners",
        )),
        Ok(rule) => Ok(rule),
        Err(_) => {
            let detail = format!("{replays} is not a LadderReplays value (0 to 3)");
            Err(refuse("replays", detail))
        }
    }
}

pub(super) fn check_house_bots(field: &str, bots: &[String]) -> Result<(), Refusal> {
    check_count(field, "house bots", bots.len(), MAX_HOUSE_BOTS)?;
    for bot in bots {
        let name = bot.split('@').next().unwrap_or_default();
        if BotName::new(name).is_none() {
            let bot = quoted(bot);
            let detail = format!("{bot} is not a bot: expected NAME or NAME@VERSION");
            return Err(Refusal::field(field, detail));
        }
    }
    Ok(())
}

pub(super) fn closing_rule(requested: Option<ClosingRule>) -> Result<ClosingRule, Refusal> {
    let Some(requested) = requested else {
        return Ok(DEFAULT_CLOSING);
    };
    let ClosingRule { settled_top, confidence, max_matches_per_bot } = requested;
    check_range("ladder.closing.settled_top", settled_top, 0..=MAX_SETTLED_TOP)?;
    let confidence = match confidence {
        0.0 => DEFAULT_CLOSING.confidence,
        share if share > 0.5 && share < 1.0 => share,
        other => {
            let detail = format!("{other} is out of range (above 0.5 and below 1)");
            return Err(refuse("closing.confidence", detail));
        }
    };
    let max_matches_per_bot = or_default(
        "ladder.closing.max_matches_per_bot",
        max_matches_per_bot,
        DEFAULT_CLOSING.max_matches_per_bot,
        MAX_CLOSING_MATCHES,
    )?;
    Ok(ClosingRule { settled_top, confidence, max_matches_per_bot })
}

fn refuse(field: &str, detail: impl Into<String>) -> Refusal {
    Refusal::field(format!("ladder.{field}"), detail)
}

/// Validates the state to which a ladder is to advance.
pub(super) fn next_state(state: i32) -> Result<LadderState, Refusal> {
    match LadderState::try_from(state) {
        Ok(state @ (LadderState::Frozen | LadderState::Closed)) => Ok(state),
        _ => Err(Refusal::field("state", "must be FROZEN or CLOSED")),
    }
}

/// Validates a reference to a bot in `field`.
pub(super) fn bot_ref(field: &str, bot: Option<LadderBotRef>) -> Result<LadderBotRef, Refusal> {
    let bot = bot.unwrap_or_default();
    match BotName::new(&bot.bot_name) {
        Some(_) => Ok(bot),
        None => Err(Refusal::field(format!("{field}.bot_name"), "is required")),
    }
}

/// Parses a page token: the offset of the page; `None` for the first page.
pub(super) fn page_offset(token: &str) -> Result<Option<u64>, Refusal> {
    page_token(token, |token| token.parse().ok())
}

/// Returns one page from a complete list, and the next page's token.
pub(super) fn page<T>(
    all: Vec<T>,
    requested_size: u32,
    token: &str,
) -> Result<(Vec<T>, String), Refusal> {
    let count = page_size(requested_size)?;
    let begin = page_offset(token)?.unwrap_or_default();
    let begin = usize::try_from(begin).unwrap_or(usize::MAX);
    let end = begin.saturating_add(count);
    let next = if end < all.len() { end.to_string() } else { String::new() };
    let page = all.into_iter().skip(begin).take(count).collect();
    Ok((page, next))
}

/// Creates a ladder from the configuration, unless an identical ladder exists.
///
/// # Errors
/// Returns an error if the ladder cannot be created, or a different ladder has this name: ladders
/// are immutable.
pub(crate) async fn ensure_ladder(
    ladders: &Arc<Ladders>,
    requested: Ladder,
    authenticator: &Authenticator,
) -> Result<(), Refusal> {
    let has_default_slots = requested.max_slots == 0;
    let (id, mut requested) = new_ladder(requested, authenticator)?;
    let Ok(existing) = ladders.get(id.as_str()) else {
        return ladders.create_stopped(id, requested).await;
    };
    let existing = existing.created_ladder();
    if has_default_slots {
        // Ladders keep the default of the program that created them, which was once 64.
        requested.max_slots = existing.max_slots;
    }
    match first_difference(&requested, &existing) {
        None => Ok(()),
        Some(field) => Err(Refusal::field(
            format!("ladder.{field}"),
            "differs from the existing ladder of this name, and a ladder cannot be changed: revert \
             the change, or give the ladder another name",
        )),
    }
}

/// Returns the first field that differs between two ladders. `rules_version` is not compared, since
/// the server chooses it.
fn first_difference(requested: &Ladder, existing: &Ladder) -> Option<&'static str> {
    let (config, other) = (requested.config.as_ref(), existing.config.as_ref());
    let is_same = |of: fn(&MatchConfig, &MatchConfig) -> bool| {
        config.zip(other).is_some_and(|(one, other)| of(one, other))
    };
    let fields = [
        ("config.game", is_same(|a, b| a.game == b.game)),
        ("config.seats", is_same(|a, b| a.seats == b.seats)),
        ("config.clock", is_same(|a, b| a.clock == b.clock)),
        ("config.faults", is_same(|a, b| a.faults == b.faults)),
        ("config", config == other),
        ("key_names", requested.key_names == existing.key_names),
        ("max_matches", requested.max_matches == existing.max_matches),
        ("house_bots", requested.house_bots == existing.house_bots),
        ("owners_apart", requested.owners_apart == existing.owners_apart),
        ("max_slots", requested.max_slots == existing.max_slots),
        ("replays", requested.replays == existing.replays),
        (
            "organiser_key_names",
            // A ladder that was created by a call has its creator.
            requested.organiser_key_names.is_empty()
                || requested.organiser_key_names == existing.organiser_key_names,
        ),
        ("closing", requested.closing == existing.closing),
        (
            "rating_method",
            rating_method(requested.rating_method) == rating_method(existing.rating_method),
        ),
    ];
    let differing = fields.into_iter().find(|(_, is_same)| !is_same);
    differing.map(|(field, _)| field)
}

//! Validation of requests to `MatchService`, and their conversion.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_edge::{
    identity::{Authenticator, Caller},
    limits::{
        MAX_GROUP_ID_BYTES, MAX_GROUP_MATCHES, MAX_IDEMPOTENCY_KEY_BYTES, MAX_LABEL_NAME_BYTES,
        MAX_LABEL_VALUE_CHARS, MAX_LABELS, MAX_LABELS_BYTES, MAX_REASON_CHARS,
        MAX_SPECTATOR_DELAY_MS,
    },
    refusal::{Refusal, check_text, text_problem},
};
use bridgemaster_games::{MAX_SEATS, Seat};
use bridgemaster_live::{IdempotentRequest, MatchOptions, MatchQuery, TicketTargets};
use bridgemaster_matchmaking::lobby::{InvitedBot, Lobby};
use bridgemaster_proto::v1::{
    CreateMatchRequest, ForkChance, ForkOrigin, MatchConfig, MatchFilter, MatchFork, MatchGroup,
    MatchState, Replay, SeatReservation, SeedReveal, SpectatorRules,
};
use bridgemaster_replay::wire::ForkSource;
use bridgemaster_store::KeyName;

use super::{
    managed_queue,
    validation::{self, check_count, check_game, check_range, quoted},
};

/// Validates a new match's options, except its rules.
pub(super) fn match_options(
    request: &mut CreateMatchRequest,
    caller: &Caller,
    authenticator: &Authenticator,
) -> Result<MatchOptions, Refusal> {
    let key = &request.idempotency_key;
    if key.len() > MAX_IDEMPOTENCY_KEY_BYTES
        || key.bytes().any(|byte| !(b' '..=b'~').contains(&byte))
    {
        let detail =
            format!("must have at most {MAX_IDEMPOTENCY_KEY_BYTES} printable ASCII characters");
        return Err(Refusal::field("idempotency_key", detail));
    }
    check_labels("labels", &request.labels)?;
    let mut reserved_for = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for reservation in &request.seat_reservations {
        let seat = seat_number("seat_reservations.seat", reservation.seat)?;
        if !seen.insert(seat) {
            let detail =
                format!("seat {} is reserved twice; name each seat once", reservation.seat);
            return Err(Refusal::field("seat_reservations.seat", detail));
        }
        if let Some(name) = reservation_key(reservation, authenticator)? {
            reserved_for.insert(seat, name);
        }
    }
    Ok(MatchOptions {
        maker: caller.key_name().cloned(),
        labels: request.labels.clone(),
        reserved_for,
        offered: BTreeMap::new(),
        hold_until_created: None,
        fork_from: None,
        group: match_group(request)?,
        spectators: spectator_rules(request)?,
        without_config: request.without_config,
        request: IdempotentRequest::from_request(request, caller.key_name()),
    })
}

/// Validates the rules for spectators, such as their delay.
fn spectator_rules(request: &CreateMatchRequest) -> Result<Option<SpectatorRules>, Refusal> {
    let rules = request.config.as_ref().and_then(|config| config.spectators);
    let Some(SpectatorRules { delay_ms, access }) = rules else {
        return Ok(None);
    };
    if access != 0 {
        return Err(Refusal::unsupported_field("config.spectators.access"));
    }
    check_range("config.spectators.delay_ms", delay_ms, 0..=MAX_SPECTATOR_DELAY_MS)?;
    Ok(rules)
}

/// Validates the match group to which a new match will belong.
fn match_group(request: &CreateMatchRequest) -> Result<Option<MatchGroup>, Refusal> {
    let group = request.config.as_ref().and_then(|config| config.group.as_ref());
    let Some(group) = group else {
        return Ok(None);
    };
    let refuse =
        |field: &str, detail: String| Err(Refusal::field(format!("config.group.{field}"), detail));
    let MatchGroup { group_id, number, matches, seed_reveal } = group;
    let is_name = |byte| is_name_byte(byte) && byte != b'/';
    if !(1..=MAX_GROUP_ID_BYTES).contains(&group_id.len()) || !group_id.bytes().all(is_name) {
        let rule = format!(
            "must have 1 to {MAX_GROUP_ID_BYTES} of `a` to `z`, `0` to `9`, `.`, `_` and `-`"
        );
        return refuse("group_id", rule);
    }
    check_range("config.group.matches", *matches, 1..=MAX_GROUP_MATCHES)?;
    check_range("config.group.number", *number, 0..=matches - 1)?;
    let seed_reveal = match SeedReveal::try_from(*seed_reveal) {
        Ok(SeedReveal::Unspecified) => SeedReveal::WithMatch,
        Ok(seed_reveal) => seed_reveal,
        Err(_) => {
            let detail = format!("{seed_reveal} is not a SeedReveal value (0 to 2)");
            return refuse("seed_reveal", detail);
        }
    };
    Ok(Some(MatchGroup { seed_reveal: seed_reveal.into(), ..group.clone() }))
}

/// Returns the key for which a seat is reserved. Returns `None` on a server without keys, since
/// seats on such a server can be offered, but not reserved.
fn reservation_key(
    reservation: &SeatReservation,
    authenticator: &Authenticator,
) -> Result<Option<KeyName>, Refusal> {
    let SeatReservation { seat: _, key_name, queue_id } = reservation;
    let refuse = |detail: String| Refusal::field("seat_reservations.key_name", detail);
    if !authenticator.uses_keys() {
        return if queue_id.is_empty() {
            Err(refuse("cannot be set: this server does not use API keys".to_owned()))
        } else {
            Ok(None)
        };
    }
    let name = validation::key_name("seat_reservations.key_name", key_name)?;
    if !authenticator.may_play(&name) {
        let name = quoted(key_name);
        return Err(refuse(format!("no active API key named {name} has the `play` scope")));
    }
    Ok(Some(name))
}

/// Returns a seat, and the attending bot to which the caller offers the seat; `None` if the seat is
/// not offered.
pub(super) fn invited_bot(
    reservation: &SeatReservation,
    lobby: &Lobby,
    caller: &Caller,
) -> Result<Option<(Seat, InvitedBot)>, Refusal> {
    if reservation.queue_id.is_empty() {
        return Ok(None);
    }
    let queue_id = managed_queue(lobby, &reservation.queue_id, caller)?;
    let bot = validation::bot_name("seat_reservations.key_name", &reservation.key_name)?;
    let seat = seat_number("seat_reservations.seat", reservation.seat)?;
    let version = None;
    Ok(Some((seat, InvitedBot { queue_id, bot, version })))
}

/// Validates the seat number in `field`.
pub(super) fn seat_number(field: &str, number: u32) -> Result<Seat, Refusal> {
    let last = u32::try_from(MAX_SEATS - 1).unwrap_or(u32::MAX);
    let number = check_range(field, number, 0..=last)?;
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    // A number in the range is a seat.
    seat.ok_or_else(|| Refusal::field(field, "is not a seat"))
}

/// Validates the seats that need new tickets; an empty list selects all vacant seats.
pub(super) fn ticket_seats(seats: &[u32]) -> Result<TicketTargets, Refusal> {
    if seats.is_empty() {
        return Ok(TicketTargets::Vacant);
    }
    let seats = seats.iter().map(|seat| seat_number("seats", *seat));
    Ok(TicketTargets::Seats(seats.collect::<Result<_, _>>()?))
}

/// Validates the match labels in `field`.
pub(super) fn check_labels(field: &str, labels: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let refuse = |detail: String| Err(Refusal::field(field, detail));
    check_count(field, "labels", labels.len(), MAX_LABELS)?;
    for (name, value) in labels {
        if !(1..=MAX_LABEL_NAME_BYTES).contains(&name.len()) || !name.bytes().all(is_name_byte) {
            return refuse(format!(
                "a name must have 1 to {MAX_LABEL_NAME_BYTES} of `a` to `z`, `0` to `9`, `.`, `_`, `-` \
                 and `/`, not {}",
                quoted(name)
            ));
        }
        if let Some(problem) = text_problem(value, MAX_LABEL_VALUE_CHARS) {
            return refuse(format!("the value of {name}: {problem}"));
        }
    }
    let bytes = labels.iter().map(|(name, value)| name.len() + value.len());
    let bytes: usize = bytes.sum();
    if bytes > MAX_LABELS_BYTES {
        return refuse(format!(
            "all names and values together must have at most {MAX_LABELS_BYTES} bytes, not {bytes}"
        ));
    }
    Ok(())
}

fn is_name_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/')
}

/// Validates the number of replays that are requested together with a match group.
pub(super) fn check_group_replays(match_ids: &[String]) -> Result<(), Refusal> {
    check_count("replay_match_ids", "replays", match_ids.len(), MAX_GROUP_MATCHES as usize)
}

/// Validates the reason that a caller gives, such as for a cancellation.
pub(super) fn check_reason(reason: &str) -> Result<(), Refusal> {
    check_text("reason", reason, MAX_REASON_CHARS)
}

/// Validates a filter, and converts it into a query.
pub(super) fn match_query(filter: MatchFilter) -> Result<MatchQuery, Refusal> {
    let state = MatchState::try_from(filter.state).map_err(|_| {
        Refusal::field(
            "filter.state",
            format!("{} is not a MatchState value (0 to 4)", filter.state),
        )
    })?;
    let game_id = non_empty(filter.game_id);
    if let Some(game_id) = &game_id {
        check_game("filter.game_id", game_id)?;
    }
    check_labels("filter.labels", &filter.labels)?;
    let before = filter.created_before_unix_ms;
    let last = match before {
        0 => u64::MAX,
        before => before - 1,
    };
    Ok(MatchQuery {
        state,
        game_id,
        labels: filter.labels,
        maker: non_empty(filter.maker),
        bot_name: non_empty(filter.bot_name),
        group_id: non_empty(filter.group_id),
        annulled: filter.annulled,
        created_unix_ms: filter.created_from_unix_ms..=last,
    })
}

/// Returns `None` for an empty text.
fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Builds the start of a forked match from a verified replay. Unless chance is redrawn, sets the
/// seed in `config` to the replay's seed.
///
/// # Errors
/// Returns an error that names the first invalid field of the request.
pub(super) fn fork_start(
    replay: &Replay,
    requested: &MatchFork,
    config: &mut MatchConfig,
) -> Result<ForkSource, Refusal> {
    let seed = replay.config.as_ref().and_then(|config| config.seed.clone());
    if is_redrawn(replay) {
        return Err(Refusal::field(
            "fork.source",
            "chance was redrawn in the source match; fork the match from which the source was \
             forked",
        ));
    }
    if requested.chance() != ForkChance::Redraw {
        let seed = seed.ok_or_else(|| {
            let detail = "cannot keep the chance of a replay without a seed; redraw it";
            Refusal::field("fork.chance", detail)
        })?;
        if config.seed.as_ref().is_some_and(|given| *given != seed) {
            let detail = "must be empty or the seed of the replay, unless chance is redrawn";
            return Err(Refusal::field("config.seed", detail));
        }
        config.seed = Some(seed);
    }
    let origin = ForkOrigin {
        match_id: replay.match_id.clone(),
        decisions: requested.decisions,
        chance: requested.chance,
        knowing_seats: requested.knowing_seats.clone(),
    };
    ForkSource::from_replay(replay, origin)
        .map_err(|error| Refusal::field(format!("fork.{}", error.field), error.problem))
}

/// Returns whether chance was redrawn during the match. If so, setup and decisions alone do not
/// reproduce the match.
fn is_redrawn(replay: &Replay) -> bool {
    let fork = replay.fork.as_ref();
    fork.is_some_and(|fork| fork.chance() == ForkChance::Redraw)
}

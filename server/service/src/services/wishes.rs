//! What a request says of matches besides their rules: checked, and as the hosting takes it.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_games::{GAME_IDS, Seat};
use bridgemaster_proto::{
    outside::is_printable,
    v1::{
        CreateMatchRequest, MatchFilter, MatchGroup, MatchState, SeatReservation, SeedReveal,
        SpectatorRules,
    },
};
use bridgemaster_store::KeyName;

use super::queue_access::run_by;
use crate::{
    hosting::{Making, MatchQuery, RepeatableRequest, Wanted},
    identity::{Authenticator, Caller},
    limits::{
        MAX_BOT_TEXT_CHARS, MAX_GROUP_ID_BYTES, MAX_GROUP_MATCHES, MAX_IDEMPOTENCY_KEY_BYTES,
        MAX_LABEL_NAME_BYTES, MAX_LABEL_VALUE_CHARS, MAX_LABELS, MAX_LABELS_BYTES,
        MAX_REASON_CHARS, MAX_REPEATED_CHARS, MAX_SPECTATOR_DELAY_MS,
    },
    lobby::{BotName, Invited, Lobby},
    refusal::Refusal,
};

/// What `caller` wishes for a new match besides its rules.
pub(super) fn making(
    request: &mut CreateMatchRequest,
    caller: &Caller,
    authenticator: &Authenticator,
) -> Result<Making, Refusal> {
    let key = &request.idempotency_key;
    if key.len() > MAX_IDEMPOTENCY_KEY_BYTES
        || key.bytes().any(|byte| !(b' '..=b'~').contains(&byte))
    {
        let detail = format!("1 to {MAX_IDEMPOTENCY_KEY_BYTES} printable ASCII characters");
        return Err(Refusal::field("idempotency_key", detail));
    }
    check_labels("labels", &request.labels)?;
    let mut reserved_for = BTreeMap::new();
    let mut named = BTreeSet::new();
    for reservation in &request.seat_reservations {
        let seat = number_of_seat("seat_reservations.seat", reservation.seat)?;
        if !named.insert(seat) {
            let detail = format!("{} is named twice", reservation.seat);
            return Err(Refusal::field("seat_reservations.seat", detail));
        }
        if let Some(name) = reserved(reservation, authenticator)? {
            reserved_for.insert(seat, name);
        }
    }
    Ok(Making {
        maker: caller.name().cloned(),
        labels: request.labels.clone(),
        reserved_for,
        offered: BTreeMap::new(),
        kept_meanwhile: None,
        taken_over: None,
        group: group(request)?,
        spectators: spectators(request)?,
        without_config: request.without_config,
        request: RepeatableRequest::of(request, caller.name()),
    })
}

/// How late spectators are to see a match.
fn spectators(request: &CreateMatchRequest) -> Result<Option<SpectatorRules>, Refusal> {
    let rules = request.config.as_ref().and_then(|config| config.spectators);
    let Some(SpectatorRules { delay_ms, access }) = rules else {
        return Ok(None);
    };
    if access != 0 {
        return Err(Refusal::unsupported_field("config.spectators.access"));
    }
    if delay_ms > MAX_SPECTATOR_DELAY_MS {
        let detail = format!("0 to {MAX_SPECTATOR_DELAY_MS}, not {delay_ms}");
        return Err(Refusal::field("config.spectators.delay_ms", detail));
    }
    Ok(rules)
}

/// The group that a match is to belong to.
fn group(request: &CreateMatchRequest) -> Result<Option<MatchGroup>, Refusal> {
    let group = request
        .config
        .as_ref()
        .and_then(|config| config.group.as_ref());
    let Some(group) = group else {
        return Ok(None);
    };
    let refuse =
        |field: &str, detail: String| Err(Refusal::field(format!("config.group.{field}"), detail));
    let MatchGroup {
        group_id,
        number,
        matches,
        seed_reveal,
    } = group;
    let is_name = |byte| is_of_a_name(byte) && byte != b'/';
    if !(1..=MAX_GROUP_ID_BYTES).contains(&group_id.len()) || !group_id.bytes().all(is_name) {
        let rule = format!("1 to {MAX_GROUP_ID_BYTES} of `a` to `z`, `0` to `9`, `.`, `_` and `-`");
        return refuse("group_id", rule);
    }
    if !(1..=MAX_GROUP_MATCHES).contains(matches) {
        return refuse(
            "matches",
            format!("1 to {MAX_GROUP_MATCHES}, not {matches}"),
        );
    }
    if number >= matches {
        let last = matches - 1;
        return refuse("number", format!("0 to {last}, not {number}"));
    }
    let seed_reveal = match SeedReveal::try_from(*seed_reveal) {
        Ok(SeedReveal::Unspecified) => SeedReveal::WithMatch,
        Ok(seed_reveal) => seed_reveal,
        Err(_) => {
            let detail = format!("{seed_reveal} is no SeedReveal; 0 to 2 are");
            return refuse("seed_reveal", detail);
        }
    };
    Ok(Some(MatchGroup {
        seed_reveal: seed_reveal.into(),
        ..group.clone()
    }))
}

/// The key that a seat is reserved for; `None` on a server that asks for no keys, where a seat can
/// only be offered.
fn reserved(
    reservation: &SeatReservation,
    authenticator: &Authenticator,
) -> Result<Option<KeyName>, Refusal> {
    let SeatReservation {
        seat: _,
        key_name,
        queue_id,
    } = reservation;
    let refuse = |detail: String| Refusal::field("seat_reservations.key_name", detail);
    if !authenticator.asks_for_keys() {
        return match queue_id.is_empty() {
            true => Err(refuse("this server asks for no API keys".to_owned())),
            false => Ok(None),
        };
    }
    let shown: String = key_name.chars().take(MAX_REPEATED_CHARS).collect();
    let name = KeyName::new(key_name.as_str());
    let name = name.map_err(|_| refuse(format!("{shown:?} is no name of an API key")))?;
    match authenticator.may_play(&name) {
        true => Ok(Some(name)),
        false => Err(refuse(format!(
            "no API key of the name {shown:?} is in force and has the scope play"
        ))),
    }
}

/// The seat and the attending bot to which it is to be offered, by the caller; `None` for a seat
/// that is not.
pub(super) fn invited_bot(
    reservation: &SeatReservation,
    lobby: &Lobby,
    caller: &Caller,
) -> Result<Option<(Seat, Invited)>, Refusal> {
    if reservation.queue_id.is_empty() {
        return Ok(None);
    }
    let queue_id = run_by(lobby, &reservation.queue_id, caller)?;
    let bot = BotName::new(&reservation.key_name).ok_or_else(|| {
        let detail = format!("1 to {MAX_BOT_TEXT_CHARS} printable characters");
        Refusal::field("seat_reservations.key_name", detail)
    })?;
    let seat = number_of_seat("seat_reservations.seat", reservation.seat)?;
    let version = None;
    Ok(Some((
        seat,
        Invited {
            queue_id,
            bot,
            version,
        },
    )))
}

fn number_of_seat(field: &str, number: u32) -> Result<Seat, Refusal> {
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    seat.ok_or_else(|| Refusal::field(field, format!("{number} is no seat of any game")))
}

/// The seats that are to have new tickets.
pub(super) fn wanted_seats(seats: &[u32]) -> Result<Wanted, Refusal> {
    if seats.is_empty() {
        return Ok(Wanted::Vacant);
    }
    let seats = seats.iter().map(|seat| number_of_seat("seats", *seat));
    Ok(Wanted::Seats(seats.collect::<Result<_, _>>()?))
}

/// Checks the labels of a match, which are in the field `field`.
pub(super) fn check_labels(field: &str, labels: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let refuse = |detail: String| Err(Refusal::field(field, detail));
    if labels.len() > MAX_LABELS {
        return refuse(format!("at most {MAX_LABELS}, not {}", labels.len()));
    }
    for (name, value) in labels {
        let repeated = |text: &str| -> String { text.chars().take(MAX_REPEATED_CHARS).collect() };
        if !(1..=MAX_LABEL_NAME_BYTES).contains(&name.len()) || !name.bytes().all(is_of_a_name) {
            return refuse(format!(
                "a name is 1 to {MAX_LABEL_NAME_BYTES} of `a` to `z`, `0` to `9`, `.`, `_`, `-` \
                 and `/`, not {:?}",
                repeated(name)
            ));
        }
        let chars = value.chars().count();
        if chars > MAX_LABEL_VALUE_CHARS {
            return refuse(format!(
                "a value has at most {MAX_LABEL_VALUE_CHARS} characters; that of {name} has {chars}"
            ));
        }
        if let Some(unprintable) = value.chars().find(|&c| !is_printable(c)) {
            return refuse(format!(
                "a value has printable characters only; that of {name} has {unprintable:?}"
            ));
        }
    }
    let bytes = labels.iter().map(|(name, value)| name.len() + value.len());
    let bytes: usize = bytes.sum();
    if bytes > MAX_LABELS_BYTES {
        return refuse(format!(
            "names and values have at most {MAX_LABELS_BYTES} bytes together, not {bytes}"
        ));
    }
    Ok(())
}

fn is_of_a_name(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/')
}

/// Checks how many replays are asked for with a group.
pub(super) fn check_group_replays(match_ids: &[String]) -> Result<(), Refusal> {
    match match_ids.len() > MAX_GROUP_MATCHES as usize {
        true => Err(Refusal::field(
            "replay_match_ids",
            format!("at most {MAX_GROUP_MATCHES}, not {}", match_ids.len()),
        )),
        false => Ok(()),
    }
}

/// Checks why a match is cancelled.
pub(super) fn check_reason(reason: &str) -> Result<(), Refusal> {
    let chars = reason.chars().count();
    if chars > MAX_REASON_CHARS {
        let detail = format!("at most {MAX_REASON_CHARS} characters, not {chars}");
        return Err(Refusal::field("reason", detail));
    }
    match reason.chars().find(|&c| !is_printable(c)) {
        Some(unprintable) => Err(Refusal::field(
            "reason",
            format!("printable characters only, not {unprintable:?}"),
        )),
        None => Ok(()),
    }
}

/// The matches that a filter means.
pub(super) fn query(filter: MatchFilter) -> Result<MatchQuery, Refusal> {
    let state = MatchState::try_from(filter.state).map_err(|_| {
        Refusal::field(
            "filter.state",
            format!("{} is no MatchState; 0 to 4 are", filter.state),
        )
    })?;
    let game_id = set(filter.game_id);
    if let Some(game_id) = &game_id
        && !GAME_IDS.contains(&game_id.as_str())
    {
        let shown: String = game_id.chars().take(MAX_REPEATED_CHARS).collect();
        let games = GAME_IDS.join(", ");
        return Err(Refusal::field(
            "filter.game_id",
            format!("{shown:?} is no game of this server; it has {games}"),
        ));
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
        maker: set(filter.maker),
        bot_name: set(filter.bot_name),
        group_id: set(filter.group_id),
        annulled: filter.annulled,
        created_unix_ms: filter.created_from_unix_ms..=last,
    })
}

/// A text that is set.
fn set(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

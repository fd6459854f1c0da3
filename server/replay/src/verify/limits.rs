//! Limits on the texts and lists that neither the rules nor the records determine. Without limits,
//! a valid file could carry any data.

use bridgemaster_proto::{games::FieldError, v1::Replay};

use crate::opening::invalid_field;

/// The maximum length of names, versions, identifiers and commitments, in characters.
pub(super) const MAX_NAME_CHARS: usize = 64;
/// The maximum length of an explanation, in characters.
pub(super) const MAX_DETAIL_CHARS: usize = 1024;
/// The maximum number of notes about a game's data.
const MAX_DATA_NOTES: usize = 16;
/// The maximum number of labels, and the maximum length of a value in characters.
const MAX_LABELS: usize = 16;
const MAX_LABEL_VALUE_CHARS: usize = 256;

/// Checks that a text has at most `max_chars` characters.
pub(super) fn check_length(field: &str, text: &str, max_chars: usize) -> Result<(), FieldError> {
    let chars = text.chars().count();
    if chars > max_chars {
        return invalid_field(field, format!("{chars} characters exceed the limit, {max_chars}"));
    }
    Ok(())
}

fn check_count(field: &str, count: usize, max: usize) -> Result<(), FieldError> {
    if count > max {
        return invalid_field(field, format!("{count} entries exceed the limit, {max}"));
    }
    Ok(())
}

/// Checks the parts of a replay outside its records.
pub(super) fn check_unverified_parts(replay: &Replay) -> Result<(), FieldError> {
    for (field, text) in [
        ("match_id", &replay.match_id),
        ("game_id", &replay.game_id),
        ("server_version", &replay.server_version),
        ("seed_commitment", &replay.seed_commitment),
        ("seed_salt", &replay.seed_salt),
    ] {
        check_length(field, text, MAX_NAME_CHARS)?;
    }
    check_count("data_notes", replay.data_notes.len(), MAX_DATA_NOTES)?;
    for (number, note) in replay.data_notes.iter().enumerate() {
        check_length(&format!("data_notes[{number}]"), note, MAX_DETAIL_CHARS)?;
    }
    check_count("labels", replay.labels.len(), MAX_LABELS)?;
    for (name, value) in &replay.labels {
        check_length("labels", name, MAX_NAME_CHARS)?;
        check_length("labels", value, MAX_LABEL_VALUE_CHARS)?;
    }
    if let Some(origin) = &replay.fork {
        check_length("fork.match_id", &origin.match_id, MAX_NAME_CHARS)?;
    }
    let group = replay.config.as_ref().and_then(|config| config.group.as_ref());
    if let Some(group) = group {
        check_length("config.group.group_id", &group.group_id, MAX_NAME_CHARS)?;
    }
    for seat in replay.result.iter().flat_map(|result| &result.seats) {
        check_length("result.seats.bot_name", &seat.bot_name, MAX_NAME_CHARS)?;
        check_length("result.seats.bot_version", &seat.bot_version, MAX_NAME_CHARS)?;
    }
    Ok(())
}

//! What a request says of matches besides their rules: checked, and as the hosting takes it.

use std::collections::BTreeMap;

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::{
    outside::is_printable,
    v1::{MatchFilter, MatchState},
};

use crate::{
    hosting::MatchQuery,
    limits::{
        MAX_LABEL_NAME_BYTES, MAX_LABEL_VALUE_CHARS, MAX_LABELS, MAX_LABELS_BYTES,
        MAX_REPEATED_CHARS,
    },
    refusal::Refusal,
};

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
        created_unix_ms: filter.created_from_unix_ms..=last,
    })
}

/// A text that is set.
fn set(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

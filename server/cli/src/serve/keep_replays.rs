//! Parses `--keep-replays`, which states the ended matches' replays that stay in the store.

use bridgemaster_server::KeepReplays;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::lifetime::Lifetime;

/// Parses `all`, a time such as `30d`, or a number of matches.
pub(super) fn parse(text: &str) -> Result<KeepReplays, String> {
    if text == "all" {
        return Ok(KeepReplays::All);
    }
    // Checking for digits rejects a sign, which `parse` would accept.
    if text.chars().all(|digit| digit.is_ascii_digit())
        && let Ok(count) = text.parse()
    {
        return Ok(KeepReplays::Last(count));
    }
    match text.parse::<Lifetime>() {
        Ok(lifetime) => Ok(KeepReplays::For(lifetime.duration())),
        Err(error) => Err(format!(
            "expected `all`, a number of matches (at least 1), or a time: {error}"
        )),
    }
}

/// Deserializes a value in a config file with [`parse`].
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<KeepReplays>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map(Some).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;

    #[test]
    fn only_all_a_number_and_a_time_are_valid() {
        assert_eq!(parse("all"), Ok(KeepReplays::All));
        let last = KeepReplays::Last(1_000_000.try_into().unwrap());
        assert_eq!(parse("1000000"), Ok(last));
        let month = Duration::from_secs(30 * 24 * 60 * 60);
        assert_eq!(parse("30d"), Ok(KeepReplays::For(month)));
        for bad in [
            "",
            "0",
            "-1",
            "+5",
            "30days",
            "none",
            "ALL",
            "99999999999999999999",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}

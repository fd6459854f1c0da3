//! `--keep-replays`: which replays of ended matches stay in the data folder.

use bridgemaster_server::KeepReplays;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::lifetime::Lifetime;

/// Reads `all`, a time such as `30d`, or a number of matches.
pub(super) fn parse(text: &str) -> Result<KeepReplays, String> {
    if text == "all" {
        return Ok(KeepReplays::All);
    }
    // `parse` would take a sign.
    if text.chars().all(|digit| digit.is_ascii_digit())
        && let Ok(count) = text.parse()
    {
        return Ok(KeepReplays::Last(count));
    }
    match text.parse::<Lifetime>() {
        Ok(time) => Ok(KeepReplays::For(time.time())),
        Err(error) => Err(format!(
            "it is `all`, a number of matches, 1 or more, or a time; {error}"
        )),
    }
}

/// The same in a config file.
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
    fn all_a_number_and_a_time_are_read_and_nothing_else() {
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

//! Parses time odds, `--clock-of`.

use std::str::FromStr;

use bridgemaster_proto::v1::TimeOdds;

/// Time odds in the form `WHO=bank_ms:5000,cap_ms:500`. WHO is a seat or a bot, depending on the
/// command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClockOf {
    pub(crate) who: String,
    pub(crate) odds: TimeOdds,
}

impl FromStr for ClockOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Bot names cannot contain `=`.
        let (who, parts) = text
            .split_once('=')
            .filter(|(who, parts)| !who.trim().is_empty() && !parts.trim().is_empty())
            .ok_or("expected WHO=bank_ms:5000,increment_ms:0,cap_ms:500")?;
        let mut odds = TimeOdds::default();
        for part in parts.split(',') {
            let (name, ms) = part.split_once(':').unwrap_or((part, ""));
            let field = match name.trim() {
                "bank_ms" => &mut odds.bank_ms,
                "increment_ms" => &mut odds.increment_ms,
                "cap_ms" => &mut odds.cap_ms,
                other => {
                    return Err(format!(
                        "{other:?} is not one of bank_ms, increment_ms and cap_ms"
                    ));
                }
            };
            let ms = ms.trim().parse().map_err(|_| {
                format!(
                    "{part:?} needs a whole number of ms, such as {}:500",
                    name.trim()
                )
            })?;
            if field.replace(ms).is_some() {
                return Err(format!("{} is given twice", name.trim()));
            }
        }
        Ok(Self {
            who: who.trim().to_owned(),
            odds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_odds_have_at_least_one_of_three_times() {
        let parsed: ClockOf = "mine=bank_ms:5000, cap_ms:500".parse().unwrap();
        let odds = TimeOdds {
            bank_ms: Some(5000),
            increment_ms: None,
            cap_ms: Some(500),
        };
        assert_eq!((parsed.who.as_str(), parsed.odds), ("mine", odds));
        for (bad, expected) in [
            ("mine", "expected WHO"),
            ("mine=", "expected WHO"),
            ("=bank_ms:1", "expected WHO"),
            ("mine=bank:5", "not one of"),
            ("mine=bank_ms", "whole number"),
            ("mine=bank_ms:-1", "whole number"),
            ("mine=bank_ms:1,bank_ms:2", "twice"),
        ] {
            let error = bad.parse::<ClockOf>().unwrap_err();
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }
}

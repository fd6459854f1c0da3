//! Time odds on the command line: whose clock differs, and how.

use std::str::FromStr;

use bridgemaster_proto::v1::TimeOdds;

/// A clock that differs from that of the match: `WHO=bank_ms:5000,cap_ms:500`. Who that is, a seat
/// or a bot, the command says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClockOf {
    pub(crate) who: String,
    pub(crate) odds: TimeOdds,
}

impl FromStr for ClockOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The name of a bot has no `=`.
        let (who, parts) = text
            .split_once('=')
            .filter(|(who, parts)| !who.trim().is_empty() && !parts.trim().is_empty())
            .ok_or("it has this form: WHO=bank_ms:5000,increment_ms:0,cap_ms:500")?;
        let mut odds = TimeOdds::default();
        for part in parts.split(',') {
            let (name, ms) = part.split_once(':').unwrap_or((part, ""));
            let field = match name.trim() {
                "bank_ms" => &mut odds.bank_ms,
                "increment_ms" => &mut odds.increment_ms,
                "cap_ms" => &mut odds.cap_ms,
                other => {
                    return Err(format!(
                        "{other:?} is none of bank_ms, increment_ms and cap_ms"
                    ));
                }
            };
            let ms = ms.trim().parse().map_err(|_| {
                format!(
                    "{part:?} has no whole number of ms, such as {}:500",
                    name.trim()
                )
            })?;
            if field.replace(ms).is_some() {
                return Err(format!("{} is there twice", name.trim()));
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
    fn a_clock_of_somebody_has_one_or_more_of_three_times() {
        let parsed: ClockOf = "mine=bank_ms:5000, cap_ms:500".parse().unwrap();
        let odds = TimeOdds {
            bank_ms: Some(5000),
            increment_ms: None,
            cap_ms: Some(500),
        };
        assert_eq!((parsed.who.as_str(), parsed.odds), ("mine", odds));
        for (bad, told) in [
            ("mine", "this form"),
            ("mine=", "this form"),
            ("=bank_ms:1", "this form"),
            ("mine=bank:5", "none of"),
            ("mine=bank_ms", "whole number"),
            ("mine=bank_ms:-1", "whole number"),
            ("mine=bank_ms:1,bank_ms:2", "twice"),
        ] {
            let refused = bad.parse::<ClockOf>().unwrap_err();
            assert!(refused.contains(told), "{bad}: {refused}");
        }
    }
}

//! How long something is good for.

use std::{fmt, str::FromStr, time::Duration};

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// Longest time, in days: ten years. What is to be good for longer needs no end.
const MAX_DAYS: u64 = 3650;

/// How long something is good for: a number and a unit, such as `90d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime(Duration);

/// A text that is no lifetime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoLifetime;

impl Lifetime {
    /// The time.
    pub(crate) fn time(self) -> Duration {
        self.0
    }

    /// The moment at which the time is over of what is made at `from_unix_ms`.
    pub(crate) fn end_unix_ms(self, from_unix_ms: i64) -> i64 {
        let ms = i64::try_from(self.0.as_millis()).unwrap_or(i64::MAX);
        from_unix_ms.saturating_add(ms)
    }
}

impl FromStr for Lifetime {
    type Err = NoLifetime;

    fn from_str(text: &str) -> Result<Self, NoLifetime> {
        let unit = text.chars().last().ok_or(NoLifetime)?;
        let unit_seconds = match unit {
            'm' => 60,
            'h' => 60 * 60,
            'd' => SECONDS_PER_DAY,
            'w' => 7 * SECONDS_PER_DAY,
            _ => return Err(NoLifetime),
        };
        let number = text.strip_suffix(unit).ok_or(NoLifetime)?;
        // `parse` would take a sign.
        if !number.chars().all(|digit| digit.is_ascii_digit()) {
            return Err(NoLifetime);
        }
        let number: u64 = number.parse().map_err(|_| NoLifetime)?;
        let seconds = number.checked_mul(unit_seconds).ok_or(NoLifetime)?;
        if seconds == 0 || seconds > MAX_DAYS * SECONDS_PER_DAY {
            return Err(NoLifetime);
        }
        Ok(Self(Duration::from_secs(seconds)))
    }
}

impl fmt::Display for NoLifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a time is a number with m, h, d or w for minutes, hours, days or weeks, such as 90d, \
             and at most {MAX_DAYS}d"
        )
    }
}

impl std::error::Error for NoLifetime {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_lifetime_is_a_number_with_a_unit() {
        for (text, ms) in [
            ("1m", 60_000),
            ("12h", 43_200_000),
            ("90d", 7_776_000_000),
            ("2w", 1_209_600_000),
        ] {
            let lifetime: Lifetime = text.parse().unwrap();
            assert_eq!(lifetime.end_unix_ms(5), 5 + ms, "{text}");
        }
        let too_long = format!("{}d", MAX_DAYS + 1);
        for text in [
            "", "90", "d", "0d", "-1d", "+1d", "1.5d", "1y", "9 d", "1é", &too_long,
        ] {
            assert_eq!(text.parse::<Lifetime>(), Err(NoLifetime), "{text}");
        }
    }
}

//! Parses lifetimes such as `90d`.

use std::{fmt, str::FromStr, time::Duration};

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// Maximum lifetime, in days: ten years.
const MAX_DAYS: u64 = 3650;

/// A lifetime in text form: a whole number and a unit, such as `90d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime(Duration);

/// The error for a text that is not a lifetime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidLifetime;

impl Lifetime {
    pub(crate) fn duration(self) -> Duration {
        self.0
    }

    /// Returns the end of a lifetime that starts at `from_unix_ms`. Both times are in milliseconds
    /// since 1970 UTC.
    pub(crate) fn end_unix_ms(self, from_unix_ms: i64) -> i64 {
        let ms = i64::try_from(self.0.as_millis()).unwrap_or(i64::MAX);
        from_unix_ms.saturating_add(ms)
    }
}

impl FromStr for Lifetime {
    type Err = InvalidLifetime;

    fn from_str(text: &str) -> Result<Self, InvalidLifetime> {
        let unit = text.chars().last().ok_or(InvalidLifetime)?;
        let unit_seconds = match unit {
            'm' => 60,
            'h' => 60 * 60,
            'd' => SECONDS_PER_DAY,
            'w' => 7 * SECONDS_PER_DAY,
            _ => return Err(InvalidLifetime),
        };
        let number = text.strip_suffix(unit).ok_or(InvalidLifetime)?;
        // Checking for digits rejects a sign, which `parse` would accept.
        if !number.chars().all(|digit| digit.is_ascii_digit()) {
            return Err(InvalidLifetime);
        }
        let number: u64 = number.parse().map_err(|_| InvalidLifetime)?;
        let seconds = number.checked_mul(unit_seconds).ok_or(InvalidLifetime)?;
        if seconds == 0 || seconds > MAX_DAYS * SECONDS_PER_DAY {
            return Err(InvalidLifetime);
        }
        Ok(Self(Duration::from_secs(seconds)))
    }
}

impl fmt::Display for InvalidLifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a number with m, h, d or w (minutes, hours, days, weeks), such as 90d, up to \
             {MAX_DAYS}d"
        )
    }
}

impl std::error::Error for InvalidLifetime {}

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
            assert_eq!(text.parse::<Lifetime>(), Err(InvalidLifetime), "{text}");
        }
    }
}

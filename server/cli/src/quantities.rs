//! Counts, times, durations and sizes, as text.

use std::{
    fmt::Display,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Formats a number with the noun in its singular or plural.
pub(super) fn count(
    number: impl Display + TryInto<u64> + Copy,
    singular: &str,
    plural: &str,
) -> String {
    let word = if let Ok(1) = number.try_into() { singular } else { plural };
    format!("{number} {word}")
}

/// Returns the current time in milliseconds since 1970 UTC. An earlier system clock counts as 1970.
pub(super) fn now_unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// Formats a time in milliseconds since 1970 UTC, to the second: `2026-11-21 16:30:05 UTC`. A time
/// outside the calendar is formatted as a plain number.
pub(super) fn utc(unix_ms: i64) -> String {
    match Timestamp::from_millisecond(unix_ms) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => format!("{unix_ms} ms since 1970"),
    }
}

/// Parses a date such as `2026-11-21`, at 00:00 UTC, or a time with a time zone such as
/// `2026-11-21T16:30:00Z`. Returns milliseconds since 1970 UTC.
pub(super) fn unix_ms(text: &str) -> Result<u64, &'static str> {
    let day = || {
        let day: Date = text.parse().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    let time = text.parse::<Timestamp>().ok().or_else(day);
    let unix_ms = time.map(Timestamp::as_millisecond);
    unix_ms.and_then(|ms| u64::try_from(ms).ok()).ok_or(
        "expected a date such as 2026-11-21, or a time with a time zone such as \
         2026-11-21T16:30:00Z, not before 1970",
    )
}

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// Maximum lifetime, in days: ten years.
const MAX_DAYS: u64 = 3650;

/// A lifetime in text form: a whole number and a unit, such as `90d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime(Duration);

/// The error for a text that is not a lifetime.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a number with m, h, d or w (minutes, hours, days, weeks), such as 90d, up to \
     {MAX_DAYS}d"
)]
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
        let units = [('m', 60), ('h', 60 * 60), ('d', SECONDS_PER_DAY), ('w', 7 * SECONDS_PER_DAY)];
        let seconds =
            seconds(text, &units).filter(|seconds| *seconds <= MAX_DAYS * SECONDS_PER_DAY);
        match seconds {
            Some(seconds @ 1..) => Ok(Self(Duration::from_secs(seconds))),
            _ => Err(InvalidLifetime),
        }
    }
}

/// Parses a whole number and a unit, such as `90d`. Each unit has a number of seconds.
pub(super) fn seconds(text: &str, units: &[(char, u64)]) -> Option<u64> {
    let unit = text.chars().last()?;
    let (_, unit_seconds) = units.iter().find(|(name, _)| *name == unit)?;
    let number = text.strip_suffix(unit)?;
    // Checks for digits, since `parse` would accept a sign.
    let is_number = number.chars().all(|digit| digit.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| is_number)?;
    number.checked_mul(*unit_seconds)
}

/// Formats microseconds with a suitable unit.
pub(super) fn time_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}

/// The duration from which only the fact that it is long is of interest: a year, in seconds.
const MAX_SECONDS: u64 = 366 * SECONDS_PER_DAY;

/// Formats a duration with a suitable unit.
pub(super) fn duration_of(seconds: f64) -> String {
    let whole = seconds.round().min(MAX_SECONDS as f64) as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{whole} s"),
        120..7_200 => format!("{} min", whole / 60),
        7_200..172_800 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        172_800..MAX_SECONDS => format!("{} days", whole / 86_400),
        _ => "more than a year".to_owned(),
    }
}

/// Formats a size in bytes with a suitable unit.
pub(super) fn memory(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        10_485_760..10_737_418_240 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_takes_the_singular() {
        let matches = |number: u32| count(number, "match", "matches");
        assert_eq!([0, 1, 2].map(matches), ["0 matches", "1 match", "2 matches"]);
    }

    #[test]
    fn a_long_duration_is_rounded_to_days() {
        for (seconds, text) in [
            (0.04, "0.0 s"),
            (119.0, "119 s"),
            (7_260.0, "2 h 1 min"),
            (200_000.0, "2 days"),
            (1e12, "more than a year"),
        ] {
            assert_eq!(duration_of(seconds), text);
        }
    }

    #[test]
    fn a_time_is_a_date_or_has_a_zone() {
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("2000-02-29T12:34:56Z", 951_827_696_000),
            ("2000-02-29T13:34:56+01:00", 951_827_696_000),
        ] {
            assert_eq!(unix_ms(text), Ok(ms), "{text}");
        }
        for bad in ["", "yesterday", "2000-02-30", "1969-12-31", "12:30"] {
            assert!(unix_ms(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_time_is_formatted_by_the_calendar() {
        for (unix_ms, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
            (951_827_696_789, "2000-02-29 12:34:56 UTC"),
            (1_583_020_799_000, "2020-02-29 23:59:59 UTC"),
            (1_583_020_800_000, "2020-03-01 00:00:00 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(unix_ms), text);
        }
    }

    #[test]
    fn a_lifetime_is_a_number_with_a_unit() {
        for (text, ms) in
            [("1m", 60_000), ("12h", 43_200_000), ("90d", 7_776_000_000), ("2w", 1_209_600_000)]
        {
            let lifetime: Lifetime = text.parse().unwrap();
            assert_eq!(lifetime.end_unix_ms(5), 5 + ms, "{text}");
        }
        let too_long = format!("{}d", MAX_DAYS + 1);
        for text in ["", "90", "d", "0d", "-1d", "+1d", "1.5d", "1y", "9 d", "1é", &too_long] {
            assert_eq!(text.parse::<Lifetime>(), Err(InvalidLifetime), "{text}");
        }
    }
}

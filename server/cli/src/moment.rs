//! Formats and parses calendar times.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Moments, as people read them.

use jiff::Timestamp;

/// A moment in milliseconds since 1970 UTC, to the second: `2026-11-21 16:30:05 UTC`. The number
/// itself, if the calendar does not reach so far.
pub(super) fn utc(unix_ms: i64) -> String {
    match Timestamp::from_millisecond(unix_ms) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => format!("{unix_ms} ms since 1970"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_by_the_calendar() {
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

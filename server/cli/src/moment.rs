//! Moments, as people read them.

const MS_PER_S: i64 = 1_000;
const S_PER_DAY: i64 = 86_400;
/// Days of 400 years, after which the Gregorian calendar repeats itself.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// A moment in milliseconds since 1970 UTC, to the second: `2026-11-21 16:30:05 UTC`.
pub(super) fn utc(unix_ms: i64) -> String {
    let seconds = unix_ms.div_euclid(MS_PER_S);
    let (year, month, day) = date(seconds.div_euclid(S_PER_DAY));
    let of_day = seconds.rem_euclid(S_PER_DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Year, month and day of a number of days since 1970. Years are counted from March, so that the
/// leap day is their last.
fn date(days_since_1970: i64) -> (i64, i64, i64) {
    let days = days_since_1970 + DAYS_TO_1970;
    let (era, day) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / (DAYS_PER_ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = match month < 10 {
        true => (month + 3, year),
        false => (month - 9, year + 1),
    };
    (era * 400 + year, month, day)
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

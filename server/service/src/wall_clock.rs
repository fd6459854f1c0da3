//! The moment by the calendar: for when keys expire, and for lists of matches.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 UTC.
pub(crate) fn now_unix_ms() -> i64 {
    // A clock before 1970 is as wrong as one that says 1970.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

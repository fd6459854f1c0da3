//! The wall clock, which is used for key expiry and for creation times in lists.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the number of ms since 1970 UTC.
pub fn now_unix_ms() -> i64 {
    // A clock that is set before 1970 is wrong, and counts as 1970.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

//! The wall clock, which is used for key expiry and for creation times in lists.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the number of ms since 1970 UTC.
pub fn now_unix_ms() -> i64 {
    i64::try_from(since_1970().as_millis()).unwrap_or(i64::MAX)
}

/// Returns the number of µs since 1970 UTC.
pub fn now_unix_us() -> u64 {
    u64::try_from(since_1970().as_micros()).unwrap_or(u64::MAX)
}

/// Returns the time since 1970 UTC. A clock that is set before 1970 is wrong, and counts as 1970.
fn since_1970() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

//! Readings of the server's clock.

use bridgemaster_referee::Time;

/// Least lag of the server that counts, in µs. Timers are exact to a millisecond, and a busy
/// runtime does other work first.
pub const MIN_LAG_US: u64 = 10_000;

/// A reading of the server's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub time: Time,
    /// All lag of the server before it, in µs.
    pub lag_us: u64,
}

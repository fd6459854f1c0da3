//! Times of the shell's monotonic clock, and the referee's own lag, which extends deadlines.

/// A time in µs since an origin that the shell chooses. Times never go backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The time `us` microseconds later, saturating at the maximum.
    pub const fn plus_us(self, us: u64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// The time `ms` milliseconds later, saturating at the maximum.
    pub const fn plus_ms(self, ms: u32) -> Self {
        self.plus_us(ms as u64 * 1000)
    }

    /// Microseconds from `earlier` to this time; 0 if `earlier` is not earlier.
    pub const fn us_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Margin in ms that is added to every extension of a deadline by referee lag. It is needed because
/// a shell measures lag at intervals, so the start of a lag is uncertain, and because reading the
/// answers that arrived during the lag takes time.
pub const LAG_MARGIN_MS: u32 = 20;

/// Maximum lag of forwarding nodes, in ms, that extends one wait. A node that is silent for longer
/// counts as lost. The limit also prevents a bot that slows its forwarding node down from gaining
/// more time.
pub const MAX_FORWARDING_LAG_MS: u32 = 8000;

/// Referee lag during one wait, such as the wait for an answer or for a bot to reconnect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lag {
    us: u64,
    /// The part of `us` that forwarding nodes caused.
    forwarding_us: u64,
}

impl Lag {
    pub(crate) fn add(&mut self, lag_us: u64) {
        self.us = self.us.saturating_add(lag_us);
    }

    /// Adds the lag of a forwarding node. It may overlap lag that was added before, so the total is
    /// limited to the time since the wait began, and the lag of forwarding nodes to
    /// [`MAX_FORWARDING_LAG_MS`].
    pub(crate) fn add_forwarding(&mut self, lag_us: u64, waited_us: u64) {
        let most_us = u64::from(MAX_FORWARDING_LAG_MS) * 1000 - self.forwarding_us;
        let added_us = lag_us.min(most_us).min(waited_us.saturating_sub(self.us));
        self.us += added_us;
        self.forwarding_us += added_us;
    }

    /// Returns the sum of two lags of the same wait.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            us: self.us.saturating_add(other.us),
            forwarding_us: self.forwarding_us.saturating_add(other.forwarding_us),
        }
    }

    /// The lag in µs, without the margin.
    pub(crate) fn us(self) -> u64 {
        self.us
    }

    /// The extension of the deadline in µs, including the margin.
    pub(crate) fn extension_us(self) -> u64 {
        match self.us {
            0 => 0,
            us => us.saturating_add(u64::from(LAG_MARGIN_MS) * 1000),
        }
    }
}

//! Times of the shell's monotonic clock.

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

//! Moments, as the shell's monotonic clock tells them.

/// A moment in microseconds since an origin of the shell's choice; it never runs backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The moment `us` microseconds later; stays at the end of time when it would go beyond.
    pub const fn plus_us(self, us: u64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// The moment `ms` milliseconds later.
    pub const fn plus_ms(self, ms: u32) -> Self {
        self.plus_us(ms as u64 * 1000)
    }

    /// Microseconds from `earlier` to this moment; 0 when it is not earlier.
    pub const fn us_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

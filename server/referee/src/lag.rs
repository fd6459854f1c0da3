//! The referee's own lag, and how it extends deadlines.

/// Extra time for a deadline that referee lag moved, in ms. A shell that watches itself at
/// intervals does not know exactly when a lag began, and what arrived meanwhile must be read before
/// anything can be called late.
pub const LAG_MARGIN_MS: u32 = 20;

/// Referee lag that fell into one wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lag {
    us: u64,
}

impl Lag {
    pub(crate) fn add(&mut self, lag_us: u64) {
        self.us = self.us.saturating_add(lag_us);
    }

    /// The lag, in µs.
    pub(crate) fn us(self) -> u64 {
        self.us
    }

    /// How much longer the wait lasts, in µs.
    pub(crate) fn extension_us(self) -> u64 {
        match self.us {
            0 => 0,
            us => us.saturating_add(u64::from(LAG_MARGIN_MS) * 1000),
        }
    }
}

//! The time of one request, counted again from the description of the clock and not from its code.

use bridgemaster_referee::{Charge, LAG_MARGIN_MS, Time};

/// Lag that fell into a wait prolongs it, by a margin more.
pub(super) fn prolonged_by_us(lag_us: u64) -> u64 {
    match lag_us {
        0 => 0,
        lag_us => lag_us + u64::from(LAG_MARGIN_MS) * 1000,
    }
}

/// The time of an open request.
#[derive(Clone, Debug)]
pub(super) struct RequestTime {
    pub(super) issued_at: Time,
    pub(super) handed_at: Option<Time>,
    pub(super) allowance_us: u64,
    pub(super) credit_limit_us: u64,
    pub(super) lag_us: u64,
}

impl RequestTime {
    fn runs_from(&self) -> Time {
        self.handed_at.unwrap_or(self.issued_at)
    }

    pub(super) fn deadline(&self) -> Time {
        self.runs_from()
            .plus_us(self.allowance_us + self.credit_limit_us + prolonged_by_us(self.lag_us))
    }

    /// What an answer would be charged now: first the referee pays for its lag, then the credit
    /// covers what it can, then the bot pays up to what it was allowed.
    pub(super) fn charge(&self, now: Time) -> Charge {
        let elapsed_us = now.us_since(self.runs_from());
        let beyond_lag_us = elapsed_us.saturating_sub(self.lag_us);
        let credit_us = beyond_lag_us.min(self.credit_limit_us);
        let charged_us = (beyond_lag_us - credit_us).min(self.allowance_us);
        Charge {
            elapsed_us,
            credit_us,
            referee_lag_us: elapsed_us - credit_us - charged_us,
            charged_us,
        }
    }
}

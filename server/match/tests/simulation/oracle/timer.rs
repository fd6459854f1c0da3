//! The time of one request, counted again from the description of the clock and not from its code.

use bridgemaster_referee::{Charge, LAG_MARGIN_MS, Time};

/// Lag that fell into a wait prolongs it, by a margin more.
pub(super) fn prolonged_by_us(lag_us: u64) -> u64 {
    match lag_us {
        0 => 0,
        lag_us => lag_us + u64::from(LAG_MARGIN_MS) * 1000,
    }
}

/// The time of an open request, as a stopwatch that restarts of the server stop.
#[derive(Clone, Debug)]
pub(super) struct RequestTime {
    /// It counts from its hand-over; before, and for a bot without a stream, from its issue.
    pub(super) is_handed: bool,
    /// What ran off before it was stopped, in µs.
    ran_us: u64,
    /// Since when it runs; `None` while it is stopped.
    runs_since: Option<Time>,
    /// What it showed when a restart stopped it, until the request is handed over again: what
    /// runs off meanwhile does not count then.
    at_restart: Option<Shown>,
    pub(super) allowance_us: u64,
    credit_limit_us: u64,
    lag_us: u64,
}

/// What a stopwatch showed.
#[derive(Clone, Copy, Debug)]
struct Shown {
    ran_us: u64,
    lag_us: u64,
}

impl RequestTime {
    pub(super) fn issued(now: Time, allowance_us: u64, credit_limit_us: u64) -> Self {
        Self {
            is_handed: false,
            ran_us: 0,
            runs_since: Some(now),
            at_restart: None,
            allowance_us,
            credit_limit_us,
            lag_us: 0,
        }
    }

    pub(super) fn lagged(&mut self, lag_us: u64) {
        if self.runs_since.is_some() {
            self.lag_us += lag_us;
        }
    }

    /// The server was restarted, and knows nothing of what happened since `known_until`.
    pub(super) fn stop(&mut self, known_until: Time) {
        let shown = Shown {
            ran_us: self.elapsed_us(known_until),
            lag_us: self.lag_us,
        };
        let shown = *self.at_restart.get_or_insert(shown);
        self.show(shown);
        self.runs_since = None;
    }

    /// The bot opened a stream; one that `has_it` is not handed the request again.
    pub(super) fn bot_came(&mut self, now: Time, has_it: bool) {
        if let Some(shown) = self.at_restart
            && self.runs_since.is_none()
        {
            self.show(shown);
            self.runs_since = Some(now);
        }
        if has_it {
            self.at_restart = None;
        }
    }

    /// The bot lost its stream: from the issue on the time is its own.
    pub(super) fn bot_left(&mut self) {
        self.at_restart = None;
        self.is_handed = true;
    }

    pub(super) fn hand_over(&mut self, now: Time, credit_limit_us: u64) {
        if let Some(shown) = self.at_restart.take() {
            self.show(shown);
            self.runs_since = Some(now);
        }
        if !self.is_handed {
            self.is_handed = true;
            self.credit_limit_us = credit_limit_us;
            self.show(Shown {
                ran_us: 0,
                lag_us: 0,
            });
            self.runs_since = Some(now);
        }
    }

    fn show(&mut self, Shown { ran_us, lag_us }: Shown) {
        self.ran_us = ran_us;
        self.lag_us = lag_us;
    }

    fn elapsed_us(&self, now: Time) -> u64 {
        self.ran_us + self.runs_since.map_or(0, |since| now.us_since(since))
    }

    /// `None` while it is stopped.
    pub(super) fn deadline(&self) -> Option<Time> {
        let us = self.allowance_us + self.credit_limit_us + prolonged_by_us(self.lag_us);
        let since = self.runs_since?;
        Some(since.plus_us(us.saturating_sub(self.ran_us)))
    }

    /// What an answer would be charged now: first the referee pays for its lag, then the credit
    /// covers what it can, then the bot pays up to what it was allowed.
    pub(super) fn charge(&self, now: Time) -> Charge {
        let elapsed_us = self.elapsed_us(now);
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

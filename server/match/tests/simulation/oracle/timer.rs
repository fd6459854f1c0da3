//! The timer of one request, implemented from the specification of the clock.

use bridgemaster_referee::{Charge, LAG_MARGIN_MS, MAX_FORWARDING_LAG_MS, Time, TimeControl};

/// Extends a wait by the lag that fell into it, plus a margin.
pub(super) fn prolonged_by_us(lag_us: u64) -> u64 {
    match lag_us {
        0 => 0,
        lag_us => lag_us + u64::from(LAG_MARGIN_MS) * 1000,
    }
}

/// Returns the thinking time per decision that is not charged to the bank, in ms.
pub(super) fn free_ms(control: &TimeControl) -> u32 {
    match *control {
        TimeControl::Fischer { .. } => 0,
        TimeControl::FischerDelay { delay_ms, .. } => delay_ms,
    }
}

/// The lag of one wait, in µs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WaitLag {
    pub(super) us: u64,
    forwarding_us: u64,
}

impl WaitLag {
    pub(super) fn add(&mut self, us: u64) {
        self.us += us;
    }

    /// Adds the lag of a forwarding node: all lag is at most the duration of the wait, and that of
    /// forwarding nodes at most 8 s.
    pub(super) fn add_forwarding(&mut self, us: u64, waited_us: u64) {
        let room_us = waited_us.saturating_sub(self.us);
        let forwarding_room_us = u64::from(MAX_FORWARDING_LAG_MS) * 1000 - self.forwarding_us;
        let added_us = us.min(room_us).min(forwarding_room_us);
        self.us += added_us;
        self.forwarding_us += added_us;
    }
}

/// The timer of an open request. A restart of the server stops it until the request is handed over
/// again.
#[derive(Clone, Debug)]
pub(super) struct RequestTime {
    /// True once the request was handed over or the stream was lost. A later hand-over then does
    /// not start the timer over.
    pub(super) is_handed: bool,
    /// Elapsed time before the last stop, in µs.
    ran_us: u64,
    /// Start of the running period; `None` while it is stopped.
    runs_since: Option<Time>,
    /// The reading when a restart stopped the timer, until the request is handed over again. Time
    /// in between does not count.
    at_restart: Option<StoppedTimer>,
    pub(super) allowance_us: u64,
    /// Thinking time that is not charged to the bank, in µs.
    free_us: u64,
    credit_limit_us: u64,
    lag: WaitLag,
}

/// The reading of a stopped timer.
#[derive(Clone, Copy, Debug)]
struct StoppedTimer {
    ran_us: u64,
    lag: WaitLag,
}

impl RequestTime {
    pub(super) fn issued(
        now: Time,
        bank_us: u64,
        control: &TimeControl,
        credit_limit_us: u64,
    ) -> Self {
        let free_us = u64::from(free_ms(control)) * 1000;
        let allowance_us = (bank_us + free_us).min(u64::from(control.cap_ms()) * 1000);
        Self {
            is_handed: false,
            ran_us: 0,
            runs_since: Some(now),
            at_restart: None,
            allowance_us,
            free_us,
            credit_limit_us,
            lag: WaitLag::default(),
        }
    }

    /// Starts the timer over, because the bot no longer has the request.
    pub(super) fn issue_again(&mut self, now: Time) {
        (self.is_handed, self.ran_us, self.runs_since) = (false, 0, Some(now));
        (self.at_restart, self.credit_limit_us) = (None, 0);
        self.lag = WaitLag::default();
    }

    pub(super) fn add_lag(&mut self, lag_us: u64) {
        if self.runs_since.is_some() {
            self.lag.add(lag_us);
        }
    }

    pub(super) fn add_forwarding_lag(&mut self, lag_us: u64, now: Time) {
        if self.runs_since.is_some() {
            let elapsed_us = self.elapsed_us(now);
            self.lag.add_forwarding(lag_us, elapsed_us);
        }
    }

    /// Handles a restart of the server, whose last input was at `known_until`.
    pub(super) fn stop(&mut self, known_until: Time) {
        let stopped = StoppedTimer { ran_us: self.elapsed_us(known_until), lag: self.lag };
        let stopped = *self.at_restart.get_or_insert(stopped);
        self.set_to(stopped);
        self.runs_since = None;
    }

    /// Handles a new stream of the bot. If it `has_it`, the request is not handed over again.
    pub(super) fn handle_stream(&mut self, now: Time, has_it: bool) {
        if let Some(stopped) = self.at_restart
            && self.runs_since.is_none()
        {
            self.set_to(stopped);
            self.runs_since = Some(now);
        }
        if has_it {
            self.at_restart = None;
        }
    }

    /// Handles the loss of the stream: time counts from the issue on.
    pub(super) fn handle_stream_lost(&mut self) {
        self.at_restart = None;
        self.is_handed = true;
    }

    pub(super) fn hand_over(&mut self, now: Time, credit_limit_us: u64) {
        if let Some(stopped) = self.at_restart.take() {
            self.set_to(stopped);
            self.runs_since = Some(now);
        }
        if !self.is_handed {
            self.is_handed = true;
            self.credit_limit_us = credit_limit_us;
            self.set_to(StoppedTimer { ran_us: 0, lag: WaitLag::default() });
            self.runs_since = Some(now);
        }
    }

    fn set_to(&mut self, StoppedTimer { ran_us, lag }: StoppedTimer) {
        self.ran_us = ran_us;
        self.lag = lag;
    }

    fn elapsed_us(&self, now: Time) -> u64 {
        self.ran_us + self.runs_since.map_or(0, |since| now.us_since(since))
    }

    /// `None` while it is stopped.
    pub(super) fn deadline(&self) -> Option<Time> {
        let us = self.allowance_us + self.credit_limit_us + prolonged_by_us(self.lag.us);
        let since = self.runs_since?;
        Some(since.plus_us(us.saturating_sub(self.ran_us)))
    }

    /// The charge for an answer now: first the lag is deducted, then the credit, and the rest is
    /// charged up to the allowance.
    pub(super) fn charge(&self, now: Time) -> Charge {
        let elapsed_us = self.elapsed_us(now);
        let beyond_lag_us = elapsed_us.saturating_sub(self.lag.us);
        let credit_us = beyond_lag_us.min(self.credit_limit_us);
        let thinking_us = (beyond_lag_us - credit_us).min(self.allowance_us);
        let uncharged_us = thinking_us.min(self.free_us);
        Charge {
            elapsed_us,
            credit_us,
            referee_lag_us: elapsed_us - credit_us - thinking_us,
            charged_us: thinking_us - uncharged_us,
            uncharged_us,
        }
    }
}

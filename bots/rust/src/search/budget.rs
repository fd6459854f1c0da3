//! The budget for a decision, which limits playouts, time, or both. The match's clock always limits
//! the time.

use std::time::{Duration, Instant};

use bridgemaster_sdk::ClockView;

/// Limits on the effort per decision, of the bots that have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// The maximum number of playouts; `None` for as many as the time allows.
    pub playouts: Option<u32>,
    /// The maximum time; `None` for a share of the time bank.
    pub time: Option<Duration>,
    /// The probability of a random decision of `greedy`, in percent.
    pub mistakes: u32,
}

/// A seat's remaining time when its request arrives.
#[derive(Clone, Copy, Debug)]
pub struct TimeLeft {
    /// The time left for this decision.
    pub decision: Duration,
    /// The time left in the time bank.
    pub bank: Duration,
    /// The time added to the bank after the answer.
    pub increment: Duration,
}

impl TimeLeft {
    /// Returns the time that a decision may take with this effort.
    fn allows(&self, effort: Effort) -> Duration {
        let margin = MARGIN.max(self.decision / MARGIN_PARTS);
        let usable = self.decision.saturating_sub(margin);
        let requested = match effort {
            Effort { time: Some(time), .. } => {
                time.min(self.bank / MIN_REMAINING_DECISIONS + self.increment)
            }
            Effort { playouts: Some(_), .. } => usable,
            Effort { .. } => self.bank / REMAINING_DECISIONS + self.increment * 4 / 5,
        };
        requested.min(usable)
    }
}

/// The minimum time to leave on the clock, for network latency and delays of the bot.
const MARGIN: Duration = Duration::from_millis(30);
/// The divisor for the margin, which is the time for the decision divided by this number.
const MARGIN_PARTS: u32 = 10;
/// The number of further decisions for which the time bank must last.
const REMAINING_DECISIONS: u32 = 40;
/// The number of further decisions for which the time bank must last, if a time per decision is
/// given. The number is low, so that this time is cut only when the bank is nearly empty.
const MIN_REMAINING_DECISIONS: u32 = 8;

/// The remaining budget of a search.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The clock of the request; `None` outside of matches.
    request: Option<ClockView>,
    playouts: u32,
    /// The clock and the time limit; `None` if only playouts are limited.
    time: Option<(Clock, Duration)>,
}

/// Measures the time that a search takes.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Measures elapsed wall-clock time.
    Wall { started: Instant },
    /// Measures time with a clock that the caller provides.
    Custom { started: Duration, now: fn() -> Duration },
}

impl Clock {
    fn elapsed(self) -> Duration {
        match self {
            Self::Wall { started } => started.elapsed(),
            Self::Custom { started, now } => now().saturating_sub(started),
        }
    }
}

impl Budget {
    /// Creates a budget that starts now, limited by `effort` and by the time left. It ends early if
    /// the request is cancelled.
    pub(super) fn new(effort: Effort, left: TimeLeft, request: ClockView) -> Self {
        let clock = Clock::Wall { started: Instant::now() };
        Self {
            request: Some(request),
            playouts: effort.playouts.unwrap_or(u32::MAX),
            time: Some((clock, left.allows(effort))),
        }
    }

    /// Creates a budget for this many playouts, without a time limit.
    pub fn for_playouts(playouts: u32) -> Self {
        Self { request: None, playouts, time: None }
    }

    /// Creates a time budget that a custom clock measures, for example in processor time. `now`
    /// returns the time since any fixed moment.
    pub fn for_time(time: Duration, now: fn() -> Duration) -> Self {
        let clock = Clock::Custom { started: now(), now };
        Self { request: None, playouts: u32::MAX, time: Some((clock, time)) }
    }

    /// Returns the number of playouts left after `playouts`. The number is an estimate if the time
    /// is limited.
    pub(super) fn left_after(&self, playouts: u32) -> u32 {
        if self.request.as_ref().is_some_and(ClockView::is_cancelled) {
            return 0;
        }
        let by_number = self.playouts.saturating_sub(playouts);
        let Some((clock, time)) = self.time else {
            return by_number;
        };
        let elapsed = clock.elapsed();
        let rate = f64::from(playouts) / elapsed.as_secs_f64().max(1e-6);
        let by_time = rate * time.saturating_sub(elapsed).as_secs_f64();
        by_number.min(by_time as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn left(decision: u64, bank: u64, increment: u64) -> TimeLeft {
        TimeLeft { decision: ms(decision), bank: ms(bank), increment: ms(increment) }
    }

    #[test]
    fn by_default_a_decision_uses_a_part_of_the_bank_and_most_of_the_increment() {
        let taken = left(10_000, 60_000, 500).allows(Effort::default());
        assert_eq!(taken, ms(1_900));
    }

    #[test]
    fn a_margin_of_the_decision_time_always_remains() {
        let day = Effort { time: Some(ms(86_400_000)), ..Effort::default() };
        let playouts = Effort { playouts: Some(u32::MAX), ..Effort::default() };
        for effort in [day, playouts] {
            assert_eq!(left(1_000, 1_000_000_000, 0).allows(effort), ms(900));
            assert_eq!(left(100, 1_000_000_000, 0).allows(effort), ms(70));
            assert_eq!(left(20, 20, 0).allows(effort), ms(0));
        }
    }

    #[test]
    fn a_time_for_each_decision_is_cut_when_the_bank_is_nearly_empty() {
        let effort = Effort { time: Some(ms(200)), ..Effort::default() };
        assert_eq!(left(10_000, 60_000, 0).allows(effort), ms(200));
        assert_eq!(left(800, 800, 0).allows(effort), ms(100));
        assert_eq!(left(800, 800, 50).allows(effort), ms(150));
    }

    #[test]
    fn time_is_measured_by_the_given_clock() {
        thread_local! {
            static NOW: std::cell::Cell<Duration> = const { std::cell::Cell::new(ms(5)) };
        }
        let budget = Budget::for_time(ms(100), || NOW.get());
        NOW.set(ms(45));
        assert_eq!(budget.left_after(80), 120, "two in a millisecond");
        NOW.set(ms(105));
        assert_eq!(budget.left_after(200), 0);
    }

    #[test]
    fn without_a_time_limit_only_playouts_are_counted() {
        let budget = Budget::for_playouts(100);
        assert_eq!(budget.left_after(30), 70);
        assert_eq!(budget.left_after(100), 0);
    }
}

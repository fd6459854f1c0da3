//! How long a decision may take: by playouts, by time, and always by the clock of the match.

use std::time::{Duration, Instant};

/// What a search may take for a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Playouts; `None` for as many as the time allows.
    pub playouts: Option<u32>,
    /// Time; `None` for a share of the bank.
    pub time: Option<Duration>,
}

/// The time of a seat when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct TimeLeft {
    /// For this decision.
    pub decision: Duration,
    /// In the bank.
    pub bank: Duration,
    /// Added to the bank after the answer.
    pub increment: Duration,
}

impl TimeLeft {
    /// How much of it a decision may take.
    fn allows(&self, effort: Effort) -> Duration {
        let margin = MARGIN.max(self.decision / MARGIN_PARTS);
        let usable = self.decision.saturating_sub(margin);
        let wanted = match effort {
            Effort {
                time: Some(time), ..
            } => time.min(self.bank / LEAST_DECISIONS + self.increment),
            Effort {
                playouts: Some(_), ..
            } => usable,
            Effort { .. } => self.bank / DECISIONS_TO_COME + self.increment * 4 / 5,
        };
        wanted.min(usable)
    }
}

/// Time that is left on the clock for the way of the answer and for what delays the bot, at least.
const MARGIN: Duration = Duration::from_millis(30);
/// The same as a part of the time for the decision: one in this many.
const MARGIN_PARTS: u32 = 10;
/// The bank is to last for this many decisions to come.
const DECISIONS_TO_COME: u32 = 40;
/// The same where a time for each decision is given: it is cut only when the bank is nearly empty.
const LEAST_DECISIONS: u32 = 8;

/// What a search has left.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    playouts: u32,
    /// `None` without a clock.
    time: Option<(Clock, Duration)>,
}

/// Measures what a search has taken.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// By the time that passes.
    Wall { began: Instant },
    /// By a clock of the caller's.
    Other {
        began: Duration,
        now: fn() -> Duration,
    },
}

impl Clock {
    fn elapsed(self) -> Duration {
        match self {
            Self::Wall { began } => began.elapsed(),
            Self::Other { began, now } => now().saturating_sub(began),
        }
    }
}

impl Budget {
    /// What `effort` allows from now on, within the time that is left.
    pub(super) fn new(effort: Effort, left: TimeLeft) -> Self {
        let clock = Clock::Wall {
            began: Instant::now(),
        };
        Self {
            playouts: effort.playouts.unwrap_or(u32::MAX),
            time: Some((clock, left.allows(effort))),
        }
    }

    /// So many playouts, however long they take.
    pub fn of_playouts(playouts: u32) -> Self {
        Self {
            playouts,
            time: None,
        }
    }

    /// So much time by a clock, such as one of the processor: the time since any moment.
    pub fn of_time(time: Duration, now: fn() -> Duration) -> Self {
        let clock = Clock::Other { began: now(), now };
        Self {
            playouts: u32::MAX,
            time: Some((clock, time)),
        }
    }

    /// How many playouts are left after so many. By time it is an estimate.
    pub(super) fn left_after(&self, playouts: u32) -> u32 {
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
        TimeLeft {
            decision: ms(decision),
            bank: ms(bank),
            increment: ms(increment),
        }
    }

    #[test]
    fn without_a_wish_a_decision_takes_a_share_of_the_bank_and_most_of_the_increment() {
        let taken = left(10_000, 60_000, 500).allows(Effort::default());
        assert_eq!(taken, ms(1_900));
    }

    #[test]
    fn a_margin_of_the_time_for_the_decision_is_left_whatever_is_wished() {
        let day = Effort {
            time: Some(ms(86_400_000)),
            playouts: None,
        };
        let playouts = Effort {
            time: None,
            playouts: Some(u32::MAX),
        };
        for effort in [day, playouts] {
            assert_eq!(left(1_000, 1_000_000_000, 0).allows(effort), ms(900));
            assert_eq!(left(100, 1_000_000_000, 0).allows(effort), ms(70));
            assert_eq!(left(20, 20, 0).allows(effort), ms(0));
        }
    }

    #[test]
    fn a_time_for_each_decision_is_cut_when_the_bank_is_nearly_empty() {
        let effort = Effort {
            time: Some(ms(200)),
            playouts: None,
        };
        assert_eq!(left(10_000, 60_000, 0).allows(effort), ms(200));
        assert_eq!(left(800, 800, 0).allows(effort), ms(100));
        assert_eq!(left(800, 800, 50).allows(effort), ms(150));
    }

    #[test]
    fn time_is_that_of_the_clock_that_is_given() {
        thread_local! {
            static NOW: std::cell::Cell<Duration> = const { std::cell::Cell::new(ms(5)) };
        }
        let budget = Budget::of_time(ms(100), || NOW.get());
        NOW.set(ms(45));
        assert_eq!(budget.left_after(80), 120, "two in a millisecond");
        NOW.set(ms(105));
        assert_eq!(budget.left_after(200), 0);
    }

    #[test]
    fn playouts_that_are_left_do_not_depend_on_time_without_a_clock() {
        let budget = Budget::of_playouts(100);
        assert_eq!(budget.left_after(30), 70);
        assert_eq!(budget.left_after(100), 0);
    }
}

//! How much of the processor time that it may use this process uses.

use std::{
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Least time that is measured at once. The first look comes right after the beginning: of so little
/// time it would tell nothing, or that all of it was used.
const LEAST_MEASURED: Duration = Duration::from_millis(500);

/// Looks at it from time to time.
pub(super) struct Load {
    looked_at: Instant,
    used: Option<Duration>,
    /// What was measured last; `None` before that.
    percent: Option<u32>,
}

impl Load {
    pub(super) fn begin() -> Self {
        Self {
            looked_at: Instant::now(),
            used: processor_time(),
            percent: None,
        }
    }

    /// What was used between the last two looks that are far enough apart, in percent of what all
    /// processors that this process may use have; `None` before the second, and where the system
    /// does not tell.
    pub(super) fn percent(&mut self) -> Option<u32> {
        self.looked(Instant::now(), processor_time());
        self.percent
    }

    /// At that moment the process had used so much.
    fn looked(&mut self, at: Instant, used: Option<Duration>) {
        let passed = at.saturating_duration_since(self.looked_at);
        if passed < LEAST_MEASURED {
            return;
        }
        let processors = available_parallelism().map_or(1, usize::from);
        self.percent = used
            .zip(self.used)
            .and_then(|(now, before)| percent(now.saturating_sub(before), passed, processors));
        (self.looked_at, self.used) = (at, used);
    }
}

fn percent(used: Duration, passed: Duration, processors: usize) -> Option<u32> {
    let all = passed.as_micros().checked_mul(processors as u128)?;
    let percent = (used.as_micros() * 100).checked_div(all)?;
    u32::try_from(percent.min(100)).ok()
}

/// Processor time that this process has had.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    use uapi::{
        c::{CLOCK_PROCESS_CPUTIME_ID, timespec},
        clock_gettime,
    };

    let mut time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time).ok()?;
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_a_share_of_all_processors() {
        let second = Duration::from_secs(1);
        assert_eq!(percent(second, second, 4), Some(25));
        assert_eq!(percent(second * 5, second, 4), Some(100));
        assert_eq!(percent(second, Duration::ZERO, 4), None);
    }

    #[test]
    fn no_load_is_told_before_it_was_measured_for_long_enough() {
        let mut load = Load::begin();
        let (begun, used) = (load.looked_at, Duration::from_secs(7));
        load.used = Some(used);
        load.looked(begun, Some(used * 2));
        assert_eq!(load.percent, None, "all of no time");
        let all = LEAST_MEASURED * u32::try_from(available_parallelism().unwrap().get()).unwrap();
        load.looked(begun + LEAST_MEASURED, Some(used + all / 2));
        assert_eq!(load.percent, Some(50));
        // A look that comes too soon changes nothing, and its time counts at the next.
        load.looked(begun + LEAST_MEASURED * 3 / 2, Some(used + all));
        assert_eq!(load.percent, Some(50));
        load.looked(begun + LEAST_MEASURED * 2, Some(used + all * 3 / 2));
        assert_eq!(load.percent, Some(100));
        load.looked(begun + LEAST_MEASURED * 3, None);
        assert_eq!(load.percent, None, "the system does not tell");
    }
}

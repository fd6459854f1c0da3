//! How much of the processor time that it may use this process uses.

use std::{
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Looks at it from time to time.
pub(super) struct Load {
    looked_at: Instant,
    used: Option<Duration>,
}

impl Load {
    pub(super) fn begin() -> Self {
        Self {
            looked_at: Instant::now(),
            used: processor_time(),
        }
    }

    /// What was used since the last look, in percent of what all processors that this process may
    /// use have; `None` where the system does not tell.
    pub(super) fn percent_since_last(&mut self) -> Option<u32> {
        let before = std::mem::replace(self, Self::begin());
        let used = self.used?.saturating_sub(before.used?);
        let passed = self.looked_at.saturating_duration_since(before.looked_at);
        let processors = available_parallelism().map_or(1, usize::from);
        percent(used, passed, processors)
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
}

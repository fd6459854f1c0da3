//! Measures the CPU load of this process. A node publishes its load to the cluster.

use std::{
    thread::available_parallelism,
    time::{Duration, Instant},
};

use bridgemaster_edge::cpu_time::cpu_time;

/// The minimum time between two samples. Over a shorter time, the measured load would often be
/// either zero or full.
const MIN_SAMPLE_TIME: Duration = Duration::from_millis(500);

/// Measures the CPU load between two samples.
pub(super) struct CpuLoad {
    sampled_at: Instant,
    used: Option<Duration>,
    /// The last result; `None` before the second sample.
    percent: Option<u32>,
}

impl CpuLoad {
    pub(super) fn start() -> Self {
        Self { sampled_at: Instant::now(), used: cpu_time(), percent: None }
    }

    /// Returns the CPU time between the last two samples, in percent of all CPUs that this process
    /// is allowed to use. Returns `None` before the second sample, and on systems that do not
    /// report CPU time.
    pub(super) fn percent(&mut self) -> Option<u32> {
        self.sample(Instant::now(), cpu_time());
        self.percent
    }

    /// Takes a sample. `used` is the CPU time that the process had used by `at`.
    fn sample(&mut self, at: Instant, used: Option<Duration>) {
        let passed = at.saturating_duration_since(self.sampled_at);
        if passed < MIN_SAMPLE_TIME {
            return;
        }
        let processors = available_parallelism().map_or(1, usize::from);
        self.percent = used
            .zip(self.used)
            .and_then(|(now, before)| percent(now.saturating_sub(before), passed, processors));
        (self.sampled_at, self.used) = (at, used);
    }
}

fn percent(used: Duration, passed: Duration, processors: usize) -> Option<u32> {
    let all = passed.as_micros().checked_mul(processors as u128)?;
    let percent = (used.as_micros() * 100).checked_div(all)?;
    u32::try_from(percent.min(100)).ok()
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
    fn the_load_is_unknown_before_the_first_full_interval() {
        let mut load = CpuLoad::start();
        let (started, used) = (load.sampled_at, Duration::from_secs(7));
        load.used = Some(used);
        load.sample(started, Some(used * 2));
        assert_eq!(load.percent, None, "all of no time");
        let all = MIN_SAMPLE_TIME * u32::try_from(available_parallelism().unwrap().get()).unwrap();
        load.sample(started + MIN_SAMPLE_TIME, Some(used + all / 2));
        assert_eq!(load.percent, Some(50));
        // A sample that comes too early is skipped, and the next sample covers its time.
        load.sample(started + MIN_SAMPLE_TIME * 3 / 2, Some(used + all));
        assert_eq!(load.percent, Some(50));
        load.sample(started + MIN_SAMPLE_TIME * 2, Some(used + all * 3 / 2));
        assert_eq!(load.percent, Some(100));
        load.sample(started + MIN_SAMPLE_TIME * 3, None);
        assert_eq!(load.percent, None, "not reported by the system");
    }
}

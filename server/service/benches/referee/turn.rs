//! One turn of a load, and its results.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tokio::time::sleep;

/// The results of a turn.
pub(crate) struct Turn {
    done: u64,
    time: Duration,
    /// CPU time of the measured process: the server's, or the only one.
    cpu: Duration,
}

impl Turn {
    /// Measures for a duration of `turn` after a warm-up, while other tasks increment `count`.
    pub(crate) async fn of(
        turn: Duration,
        count: &AtomicU64,
        cpu_time: impl Fn() -> Duration,
    ) -> Self {
        sleep(turn / 4).await;
        let (before, cpu_before) = (count.load(Ordering::Relaxed), cpu_time());
        let start = Instant::now();
        sleep(turn).await;
        Self {
            done: count.load(Ordering::Relaxed) - before,
            time: start.elapsed(),
            cpu: cpu_time().saturating_sub(cpu_before),
        }
    }

    /// Returns the counted events per second.
    pub(crate) fn per_second(&self) -> f64 {
        self.done as f64 / self.time.as_secs_f64()
    }

    /// Returns the CPU time of the process for each event, in µs.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.done.max(1) as f64
    }
}

/// Returns the CPU time of all threads of this process so far, including ended threads.
pub(crate) fn process_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let whole = Duration::from_secs(time.tv_sec.try_into().unwrap());
    whole + Duration::from_nanos(time.tv_nsec.try_into().unwrap())
}

//! One turn of a load: what is done in it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tokio::time::sleep;

/// What was done in a turn.
pub(crate) struct Turn {
    done: u64,
    time: Duration,
    /// CPU time of the process that is looked at: the server's, or the one of all.
    cpu: Duration,
}

impl Turn {
    /// Waits for a `turn` after a warm-up, while others raise `count` by what they do.
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

    /// How much was done a second.
    pub(crate) fn per_second(&self) -> f64 {
        self.done as f64 / self.time.as_secs_f64()
    }

    /// What one of it cost that process, in µs of CPU time.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.done.max(1) as f64
    }
}

/// CPU time of all threads of this process so far, of those that have ended too.
pub(crate) fn process_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let whole = Duration::from_secs(time.tv_sec.try_into().unwrap());
    whole + Duration::from_nanos(time.tv_nsec.try_into().unwrap())
}

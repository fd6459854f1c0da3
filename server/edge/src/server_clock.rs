//! The server's clock, which also measures the lag of the server itself.
//!
//! A task updates the clock at short intervals; each update is called a beat. If a beat is overdue,
//! the runtime did not run a ready task in time, so messages from bots were delayed too. This delay
//! is the referee's lag, which is not charged to bots. The first read of the clock after a lag
//! detects it, so the timestamps of later messages take it into account.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use bridgemaster_match::{MIN_LAG_US, ServerTime};
use bridgemaster_referee::{LAG_MARGIN_MS, Time};
use parking_lot::Mutex;
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::metrics::Metrics;

/// The interval between beats: short compared to decision times, and long enough to use at most
/// 0.1% of a processor.
const BEAT_INTERVAL: Duration = Duration::from_millis(10);
/// The minimum delay of a beat that counts as lag.
const MIN_LAG: Duration = Duration::from_micros(MIN_LAG_US);
/// The minimum lag that is logged as a warning.
const WARN_LAG_THRESHOLD: Duration = Duration::from_millis(100);
/// The value of `last_beat_us` while no task updates the clock, so that no lag is measured.
const UNWATCHED: u64 = u64::MAX;

// The margin covers the part of a lag that is not measured: the time before the beat was due.
const _: () = assert!(BEAT_INTERVAL.as_millis() + MIN_LAG.as_millis() <= LAG_MARGIN_MS as u128);

/// The server's clock, in microseconds. It starts at 0, or at the latest time in the matches that
/// earlier servers started and that continue here.
pub struct ServerClock {
    origin: Instant,
    /// The time at `origin`, in µs.
    base_us: AtomicU64,
    last_beat_us: AtomicU64,
    lag_us: AtomicU64,
    /// The maximum lag since [`ServerClock::take_max_lag`] was last called.
    longest_lag_us: AtomicU64,
    /// Locked while `lag_us` and `longest_lag_us` change.
    lag_lock: Mutex<()>,
    metrics: Arc<Metrics>,
}

impl ServerClock {
    /// Creates a clock that starts now. Lag is measured only while [`watch`](Self::watch) runs.
    pub fn start(metrics: Arc<Metrics>) -> Self {
        Self {
            origin: Instant::now(),
            base_us: AtomicU64::new(0),
            last_beat_us: AtomicU64::new(UNWATCHED),
            lag_us: AtomicU64::new(0),
            longest_lag_us: AtomicU64::new(0),
            lag_lock: Mutex::default(),
            metrics,
        }
    }

    /// Returns the total time during which the server did not lag, in µs.
    pub(crate) fn active_us(&self) -> u64 {
        let ServerTime { time, lag_us } = self.now();
        time.0.saturating_sub(lag_us)
    }

    /// Returns the current time and lag.
    pub fn now(&self) -> ServerTime {
        let now_us = self.elapsed_us();
        if self.overdue_us(now_us) >= as_us(MIN_LAG) {
            let _lag_lock = self.lag_lock.lock();
            self.record_lag(now_us);
        }
        ServerTime {
            time: Time(now_us),
            // The lag is stored before the beat that ends it, so a reader that sees the beat also
            // sees the lag.
            lag_us: self.lag_us.load(Ordering::Relaxed),
        }
    }

    /// Advances the clock to `time`, the latest time of any earlier server. Must be called before
    /// the clock is watched or a match is created.
    pub fn advance_to(&self, time: Time) {
        self.base_us.fetch_max(time.0, Ordering::Relaxed);
    }

    /// Returns the time at this instant, or the creation time of the clock if the instant is
    /// earlier.
    pub fn time_at(&self, instant: Instant) -> Time {
        let since_origin = as_us(instant.saturating_duration_since(self.origin));
        let base_us = self.base_us.load(Ordering::Relaxed);
        Time(base_us.saturating_add(since_origin))
    }

    /// Returns the instant at which the clock shows this time.
    pub fn instant(&self, time: Time) -> tokio::time::Instant {
        let since_origin = time.us_since(Time(self.base_us.load(Ordering::Relaxed)));
        (self.origin + Duration::from_micros(since_origin)).into()
    }

    /// Returns the maximum lag since the last call.
    pub fn take_max_lag(&self) -> Duration {
        Duration::from_micros(self.longest_lag_us.swap(0, Ordering::Relaxed))
    }

    /// Updates the clock at each beat until the future is dropped.
    pub async fn watch(self: Arc<Self>) {
        let watch = WatchGuard(&self);
        loop {
            watch.0.beat();
            sleep(BEAT_INTERVAL).await;
            yield_to_ready_tasks().await;
        }
    }

    fn beat(&self) {
        let _lag_lock = self.lag_lock.lock();
        let now_us = self.elapsed_us();
        self.record_lag(now_us);
        self.last_beat_us.store(now_us, Ordering::Release);
    }

    /// Records the current lag, if there is any.
    fn record_lag(&self, now_us: u64) {
        let lag_us = self.overdue_us(now_us);
        if lag_us < as_us(MIN_LAG) {
            return;
        }
        self.lag_us.fetch_add(lag_us, Ordering::Relaxed);
        self.longest_lag_us.fetch_max(lag_us, Ordering::Relaxed);
        self.last_beat_us.store(now_us, Ordering::Release);
        self.metrics.observe_lag(Duration::from_micros(lag_us));
        let lag_ms = lag_us / 1000;
        if lag_us >= as_us(WARN_LAG_THRESHOLD) {
            warn!(
                lag_ms,
                "the server lagged; add processors or stop other programs on this machine"
            );
        } else {
            debug!(lag_ms, "the server lagged");
        }
    }

    /// Returns how long a beat has been overdue, in µs.
    fn overdue_us(&self, now_us: u64) -> u64 {
        let last_beat_us = self.last_beat_us.load(Ordering::Acquire);
        now_us.saturating_sub(last_beat_us.saturating_add(as_us(BEAT_INTERVAL)))
    }

    /// Returns the current time in µs. Does not measure lag.
    pub fn elapsed_us(&self) -> u64 {
        self.base_us.load(Ordering::Relaxed).saturating_add(as_us(self.origin.elapsed()))
    }
}

/// Yields until all tasks that are ready now have run. A task with a bot's message waits for the
/// same tasks. A task that a timer or [`yield_now`](tokio::task::yield_now) wakes would run before
/// them, and so measure no lag.
async fn yield_to_ready_tasks() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        // Waking itself moves this task to the end of the queue.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Marks the clock as watched until the guard is dropped.
struct WatchGuard<'a>(&'a ServerClock);

impl Drop for WatchGuard<'_> {
    fn drop(&mut self) {
        let clock = self.0;
        let _lag_lock = clock.lag_lock.lock();
        clock.last_beat_us.store(UNWATCHED, Ordering::Release);
    }
}

/// A `u64` of microseconds overflows only after 580,000 years.
const fn as_us(duration: Duration) -> u64 {
    duration.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use std::{hint::spin_loop, thread};

    use tokio::task::JoinSet;

    use super::*;

    /// Occupies the thread.
    fn hog(time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            spin_loop();
        }
    }

    #[tokio::test]
    async fn a_blocked_runtime_is_noticed_by_the_next_reading() {
        let clock = Arc::new(ServerClock::start(Arc::new(Metrics::for_node(None))));
        let watch = tokio::spawn(Arc::clone(&clock).watch());
        tokio::task::yield_now().await;
        let before = clock.now();
        hog(Duration::from_millis(200));
        let after = clock.now();
        let lag_us = after.lag_us - before.lag_us;
        let elapsed_us = after.time.us_since(before.time);
        assert!(lag_us <= elapsed_us, "{lag_us} µs of lag in {elapsed_us} µs");
        assert!(lag_us >= 200_000 - as_us(BEAT_INTERVAL), "{lag_us} µs are nearly all");
        assert!(clock.now().lag_us - after.lag_us < 200_000, "counted once");

        watch.abort();
        assert!(watch.await.is_err_and(|error| error.is_cancelled()));
        let unwatched = clock.now();
        hog(Duration::from_millis(50));
        assert_eq!(clock.now().lag_us, unwatched.lag_us);
    }

    #[test]
    fn a_long_queue_of_quick_tasks_is_noticed() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            // Timers are polled after each task.
            .event_interval(1)
            .build()
            .unwrap();
        let clock = Arc::new(ServerClock::start(Arc::new(Metrics::for_node(None))));
        let max_us = runtime.block_on(async {
            tokio::spawn(Arc::clone(&clock).watch());
            // Spawned on a thread of the runtime, so that all of these tasks are in that thread's
            // queue.
            let spawned = tokio::spawn(async move {
                let mut quick = JoinSet::new();
                for _ in 0..40 {
                    let clock = Arc::clone(&clock);
                    quick.spawn(async move {
                        hog(Duration::from_millis(5));
                        clock.now().lag_us
                    });
                }
                quick.join_all().await.into_iter().max()
            });
            spawned.await.unwrap().unwrap()
        });
        assert!(max_us >= 100_000, "{max_us} of 200,000 µs");
    }

    #[test]
    fn lag_is_counted_once_for_several_readers() {
        let clock = ServerClock::start(Arc::new(Metrics::for_node(None)));
        clock.beat();
        hog(Duration::from_millis(100));
        let readings: Vec<ServerTime> = thread::scope(|scope| {
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(|| clock.now())).collect();
            readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
        });
        assert_eq!(readings.len(), 4);
        for reading in readings {
            assert!(reading.lag_us >= 90_000, "{reading:?}");
            assert!(reading.lag_us <= clock.now().time.0, "{reading:?}");
        }
    }
}

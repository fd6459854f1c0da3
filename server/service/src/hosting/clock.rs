//! The clock of a server, which notices when the server itself lags.
//!
//! A task beats it at short intervals. When a beat is overdue, the runtime had no time for a task
//! that was ready, and so none for what bots had sent: that time is the referee's lag and not the
//! bots'. Whoever reads the clock first notices the lag, so whatever is read from a stream right
//! after it has a moment that knows of it.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use bridgemaster_match::{Ahead, MIN_LAG_US, Moment};
use bridgemaster_referee::{LAG_MARGIN_MS, Time};
use parking_lot::Mutex;
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::metrics::Metrics;

/// Interval of the beats: short against the times of decisions, and long enough to cost a
/// thousandth of a processor at most.
const BEAT: Duration = Duration::from_millis(10);
/// A beat that is overdue by less counts as punctual.
const MIN_LAG: Duration = Duration::from_micros(MIN_LAG_US);
/// Lag from which on an operator should know of it.
const WARN_LAG: Duration = Duration::from_millis(100);
/// As last beat: nobody beats the clock, and no lag can be told.
const UNWATCHED: u64 = u64::MAX;

// The margin covers what of a lag goes unnoticed: its beginning, before the beat was due.
const _: () = assert!(BEAT.as_millis() + MIN_LAG.as_millis() <= LAG_MARGIN_MS as u128);

/// The clock of a server: microseconds since it was made, after those of the servers before it
/// whose matches it goes on with.
pub(crate) struct ServerClock {
    origin: Instant,
    /// What it said at `origin`.
    base_us: AtomicU64,
    last_beat_us: AtomicU64,
    lag_us: AtomicU64,
    /// The longest lag since somebody asked for it.
    longest_lag_us: AtomicU64,
    /// Held to change the two above.
    noticing: Mutex<()>,
    metrics: Arc<Metrics>,
}

impl ServerClock {
    pub(crate) fn start(metrics: Arc<Metrics>) -> Self {
        Self {
            origin: Instant::now(),
            base_us: AtomicU64::new(0),
            last_beat_us: AtomicU64::new(UNWATCHED),
            lag_us: AtomicU64::new(0),
            longest_lag_us: AtomicU64::new(0),
            noticing: Mutex::default(),
            metrics,
        }
    }

    /// What the clock says now.
    pub(super) fn now(&self) -> Moment {
        let now_us = self.elapsed_us();
        if self.overdue_us(now_us) >= as_us(MIN_LAG) {
            let _noticing = self.noticing.lock();
            self.notice(now_us);
        }
        Moment {
            time: Time(now_us),
            // Whoever saw the beat that a lag ended with sees that lag too.
            lag_us: self.lag_us.load(Ordering::Relaxed),
        }
    }

    /// Goes on from `time`, which no clock of an earlier server was beyond. To be called before
    /// the clock is watched or a match made.
    pub(crate) fn go_on_from(&self, time: Time) {
        self.base_us.fetch_max(time.0, Ordering::Relaxed);
    }

    /// What the clock said at a moment; that of its making if the moment was before that.
    fn time_at(&self, instant: Instant) -> Time {
        let since_origin = as_us(instant.saturating_duration_since(self.origin));
        let base_us = self.base_us.load(Ordering::Relaxed);
        Time(base_us.saturating_add(since_origin))
    }

    fn instant(&self, time: Time) -> tokio::time::Instant {
        let since_origin = time.us_since(Time(self.base_us.load(Ordering::Relaxed)));
        (self.origin + Duration::from_micros(since_origin)).into()
    }

    /// The longest lag since this was asked last.
    pub(crate) fn take_longest_lag(&self) -> Duration {
        Duration::from_micros(self.longest_lag_us.swap(0, Ordering::Relaxed))
    }

    /// Beats the clock until it is dropped.
    pub(crate) async fn watch(self: Arc<Self>) {
        let watch = Watch(&self);
        loop {
            watch.0.beat();
            sleep(BEAT).await;
            behind_those_that_wait().await;
        }
    }

    fn beat(&self) {
        let _noticing = self.noticing.lock();
        let now_us = self.elapsed_us();
        self.notice(now_us);
        self.last_beat_us.store(now_us, Ordering::Release);
    }

    /// Counts the lag that there is now, if any.
    fn notice(&self, now_us: u64) {
        let lag_us = self.overdue_us(now_us);
        if lag_us < as_us(MIN_LAG) {
            return;
        }
        self.lag_us.fetch_add(lag_us, Ordering::Relaxed);
        self.longest_lag_us.fetch_max(lag_us, Ordering::Relaxed);
        self.last_beat_us.store(now_us, Ordering::Release);
        self.metrics.lagged(Duration::from_micros(lag_us));
        let lag_ms = lag_us / 1000;
        if lag_us >= as_us(WARN_LAG) {
            warn!(
                lag_ms,
                "the server lagged: it needs more processors, or fewer programs beside it"
            );
        } else {
            debug!(lag_ms, "the server lagged");
        }
    }

    /// For how long a beat has been due, in µs.
    fn overdue_us(&self, now_us: u64) -> u64 {
        let last_beat_us = self.last_beat_us.load(Ordering::Acquire);
        now_us.saturating_sub(last_beat_us.saturating_add(as_us(BEAT)))
    }

    fn elapsed_us(&self) -> u64 {
        self.base_us
            .load(Ordering::Relaxed)
            .saturating_add(as_us(self.origin.elapsed()))
    }
}

/// Waits for its turn behind the tasks that can go on, as a bot's message does. A task that a timer
/// or [`yield_now`](tokio::task::yield_now) wakes would be run before them, and would tell of no lag
/// however long they wait.
async fn behind_those_that_wait() {
    let mut is_behind = false;
    poll_fn(|context| {
        if is_behind {
            return Poll::Ready(());
        }
        is_behind = true;
        // A task that wakes itself while it runs goes to the end of the queue.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The clock of one match: that of its server, ahead of it where the match was played by a server
/// whose clock was, so that no match sees time go back.
#[derive(Clone)]
pub(super) struct MatchClock {
    server: Arc<ServerClock>,
    ahead: Ahead,
}

impl MatchClock {
    /// A clock that goes on from `time`, at which the match was last.
    pub(super) fn going_on_from(server: &Arc<ServerClock>, time: Time) -> Self {
        Self {
            server: Arc::clone(server),
            ahead: Ahead::going_on_from(server.now().time, time),
        }
    }

    /// What the clock says now.
    pub(super) fn now(&self) -> Moment {
        let now = self.server.now();
        Moment {
            time: self.ahead.of_match(now.time),
            ..now
        }
    }

    /// How long ago a moment was.
    pub(super) fn since(&self, moment: Moment) -> Duration {
        let now = self.ahead.of_match(Time(self.server.elapsed_us()));
        Duration::from_micros(now.us_since(moment.time))
    }

    /// What the clock said at a moment.
    pub(super) fn time_at(&self, instant: Instant) -> Time {
        self.ahead.of_match(self.server.time_at(instant))
    }

    pub(super) fn instant(&self, time: Time) -> tokio::time::Instant {
        self.server.instant(self.ahead.of_server(time))
    }
}

/// The clock of a match of this server.
impl From<&Arc<ServerClock>> for MatchClock {
    fn from(server: &Arc<ServerClock>) -> Self {
        Self {
            server: Arc::clone(server),
            ahead: Ahead::default(),
        }
    }
}

/// The time for which a clock is beaten.
struct Watch<'a>(&'a ServerClock);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let clock = self.0;
        let _noticing = clock.noticing.lock();
        clock.last_beat_us.store(UNWATCHED, Ordering::Release);
    }
}

/// A u64 of microseconds lasts half a million years.
pub(super) const fn as_us(duration: Duration) -> u64 {
    duration.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use std::{hint::spin_loop, thread};

    use tokio::task::JoinSet;

    use super::*;

    /// Takes the time from everybody else on the thread.
    fn hog(time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            spin_loop();
        }
    }

    #[tokio::test]
    async fn a_runtime_that_is_held_up_is_noticed_by_the_next_reading() {
        let clock = Arc::new(ServerClock::start(Arc::new(Metrics::new())));
        let watch = tokio::spawn(Arc::clone(&clock).watch());
        tokio::task::yield_now().await;
        let before = clock.now();
        hog(Duration::from_millis(200));
        let after = clock.now();
        let lag_us = after.lag_us - before.lag_us;
        let elapsed_us = after.time.us_since(before.time);
        assert!(
            lag_us <= elapsed_us,
            "{lag_us} µs of lag in {elapsed_us} µs"
        );
        assert!(
            lag_us >= 200_000 - as_us(BEAT),
            "{lag_us} µs are nearly all"
        );
        assert!(clock.now().lag_us - after.lag_us < 200_000, "counted once");

        watch.abort();
        assert!(watch.await.is_err_and(|error| error.is_cancelled()));
        let unwatched = clock.now();
        hog(Duration::from_millis(50));
        assert_eq!(clock.now().lag_us, unwatched.lag_us);
    }

    #[test]
    fn tasks_that_wait_behind_each_other_are_noticed_though_each_is_quick() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            // Timers are looked at after each task.
            .event_interval(1)
            .build()
            .unwrap();
        let clock = Arc::new(ServerClock::start(Arc::new(Metrics::new())));
        let most_us = runtime.block_on(async {
            tokio::spawn(Arc::clone(&clock).watch());
            // From a thread of the runtime, so that all of them are in its queue.
            let at_once = tokio::spawn(async move {
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
            at_once.await.unwrap().unwrap()
        });
        assert!(most_us >= 100_000, "{most_us} of 200,000 µs");
    }

    #[test]
    fn the_clock_of_a_match_goes_on_from_where_it_was_and_as_fast_as_the_servers() {
        let server = Arc::new(ServerClock::start(Arc::new(Metrics::new())));
        let hour = Duration::from_secs(3600);
        let ahead = MatchClock::going_on_from(&server, Time(as_us(hour)));
        let begun = ahead.now();
        assert!(begun.time >= Time(as_us(hour)));
        assert!(ahead.since(begun) < hour, "it is not ahead of itself");
        let deadline = Time(begun.time.0 + 5_000_000);
        let left = ahead.instant(deadline) - tokio::time::Instant::now();
        assert!(left <= Duration::from_secs(5), "{left:?}");
        assert!(ahead.time_at(Instant::now()) >= begun.time);
        // One that was behind is not held back.
        let behind = MatchClock::going_on_from(&server, Time(0));
        assert!(behind.now().time.0 < as_us(hour));
    }

    #[test]
    fn lag_is_counted_once_however_many_notice_it() {
        let clock = ServerClock::start(Arc::new(Metrics::new()));
        clock.beat();
        hog(Duration::from_millis(100));
        let readings: Vec<Moment> = thread::scope(|scope| {
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(|| clock.now())).collect();
            readers
                .into_iter()
                .filter_map(|reader| reader.join().ok())
                .collect()
        });
        assert_eq!(readings.len(), 4);
        for reading in readings {
            assert!(reading.lag_us >= 90_000, "{reading:?}");
            assert!(reading.lag_us <= clock.now().time.0, "{reading:?}");
        }
    }
}

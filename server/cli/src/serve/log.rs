//! The log of a server. A thread of its own writes it, so that a slow disk, or a pipe that nobody
//! reads, holds up no match.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_bots::log_filter;
use bridgemaster_server::LineLimit;
use tokio::time::interval;
use tracing::{level_filters::LevelFilter, warn};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    Layer as _,
    filter::{FilterExt as _, Targets},
    fmt,
    layer::SubscriberExt as _,
    registry,
    util::SubscriberInitExt as _,
};

use super::{flags::LogForm, settings::Settings};
use crate::output;

/// Lines that wait to be written, at most; further ones are lost. What a busy server logs with `-v`
/// in some ten seconds, and a few MiB.
const WAITING_LINES: usize = 10_000;
/// Interval at which the log reports how many lines are missing.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Lines that are missing in the log.
#[derive(Clone)]
pub(super) struct MissingLines {
    limit: LineLimit,
    lost: ErrorCounter,
    /// How many of the lost ones the log has told.
    told: Arc<AtomicUsize>,
}

/// Starts the log, which is rate-limited. The guard, when it is dropped, waits a second at most until
/// the lines are written.
pub(super) fn start(settings: &Settings) -> (MissingLines, WorkerGuard) {
    let (of_others, ours) = match settings.verbose {
        0 => (LevelFilter::WARN, LevelFilter::WARN),
        1 => (LevelFilter::WARN, LevelFilter::INFO),
        _ => (LevelFilter::INFO, LevelFilter::TRACE),
    };
    // The prefix of the names of all our crates, this one included.
    let levels = Targets::new().with_target("bridgemaster", ours);
    let filter = log_filter(levels.with_default(of_others));
    let limit = LineLimit::default();
    let filter = filter.and(limit.clone());
    let writer = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .thread_name("log");
    let (lines, writing) = match settings.log {
        LogForm::Text => writer.finish(output::text_log()),
        LogForm::Json => writer.finish(output::json_log()),
    };
    let missing = MissingLines::new(limit, &lines);
    let log = fmt::layer().with_ansi(output::has_colours());
    let log = log.with_writer(lines);
    match settings.log {
        LogForm::Text => registry().with(log.with_filter(filter)).init(),
        LogForm::Json => registry().with(log.json().with_filter(filter)).init(),
    }
    (missing, writing)
}

impl MissingLines {
    fn new(limit: LineLimit, lines: &NonBlocking) -> Self {
        Self {
            limit,
            lost: lines.error_counter(),
            told: Arc::default(),
        }
    }

    /// Logs how many lines are missing since this was told last.
    pub(super) fn tell(&self) {
        self.limit.tell();
        let lost = self.lost.dropped_lines();
        let lines = lost.saturating_sub(self.told.swap(lost, Ordering::Relaxed));
        if lines > 0 {
            warn!(
                lines,
                "lines were lost: what the log is written to is too slow"
            );
        }
    }

    /// Tells regularly.
    pub(super) async fn tell_on(self) {
        let mut intervals = interval(TELL_EVERY);
        loop {
            intervals.tick().await;
            self.tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io, sync::mpsc};

    use tracing::{info, subscriber::with_default};

    use super::*;

    /// Writes a line when it is asked for one, and says which.
    struct Slow {
        asked: mpsc::Receiver<()>,
        written: mpsc::Sender<String>,
    }

    impl io::Write for Slow {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            // Nobody asks any more at the end of the test.
            let _ = self.asked.recv();
            let _ = self
                .written
                .send(String::from_utf8_lossy(line).into_owned());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_a_slow_writer_has_no_time_for_are_lost_and_told_once() {
        let (ask, asked) = mpsc::channel();
        let (written, lines) = mpsc::channel();
        let (log, writing) = NonBlockingBuilder::default()
            .buffered_lines_limit(3)
            .finish(Slow { asked, written });
        let missing = MissingLines::new(LineLimit::default(), &log);
        let log = fmt::layer().with_ansi(false).with_writer(log);
        with_default(registry().with(log), || {
            missing.tell();
            for number in 0..100 {
                info!(number, "one of many");
            }
            // The writer has one of them at most, and three wait.
            let lost = missing.lost.dropped_lines();
            assert!((96..=97).contains(&lost), "{lost}");
            for _ in 0..100 - lost {
                ask.send(()).unwrap();
                assert!(lines.recv().unwrap().contains("one of many"));
            }
            missing.tell();
            missing.tell();
        });
        drop((ask, writing));
        let told: Vec<String> = lines.iter().collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("lines were lost"), "{told:?}");
    }
}

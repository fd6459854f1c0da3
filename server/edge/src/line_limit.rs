//! Limits the rate of each kind of log line, so that callers can neither fill the server's disk nor
//! bury important lines.
//!
//! Lines from the same call site, in this program or in a library, are of one kind. The limit is a
//! filter on the whole log, so it also covers call sites that are added later.

use std::{
    collections::HashMap,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tracing::{
    Event, Level, Metadata, callsite,
    field::{Field, Visit},
    level_filters::LevelFilter,
    warn,
};
use tracing_subscriber::layer::{Context, Filter};

/// Warnings and errors of one kind: a burst of ten, and then one line every ten seconds. An attack
/// of ten minutes produces 70 lines.
const WARNING_RATE: LineRate = LineRate { burst: 10, interval: Duration::from_secs(10) };
/// Informational lines of one kind: more than a busy server logs, and few enough for a disk.
const INFO_RATE: LineRate = LineRate { burst: 5_000, interval: Duration::from_millis(10) };
/// The number of characters of a suppressed line that a report quotes.
const SAMPLE_CHARS: usize = 80;
/// The log target of the reports on suppressed lines, which are not limited.
const OWN_TARGET: &str = module_path!();

/// The rate limit for one kind of line.
#[derive(Clone, Copy, Debug)]
struct LineRate {
    burst: u32,
    /// The interval at which lines pass after the burst.
    interval: Duration,
}

/// A filter that limits the rate of each kind of line. Warnings and errors are limited to a burst
/// of ten, and then one line every ten seconds; `INFO` lines to a burst of 5,000, and then 100 a
/// second. Other levels are not limited. Suppressed lines are counted, for [`LineLimit::report`],
/// which also reports the largest duration in them: that of the fields whose names end in `_ms`.
///
/// ```
/// use bridgemaster_edge::line_limit::LineLimit;
/// use tracing_subscriber::{Layer as _, layer::SubscriberExt as _};
///
/// let limit = LineLimit::default();
/// let log = tracing_subscriber::fmt::layer().with_filter(limit.clone());
/// let _log = tracing::subscriber::set_default(tracing_subscriber::registry().with(log));
/// for _ in 0..1_000 {
///     tracing::warn!("connection refused");
/// }
/// assert_eq!(limit.suppressed(), 990);
/// limit.report();
/// assert_eq!(limit.suppressed(), 0, "reported");
/// ```
#[derive(Clone, Debug, Default)]
pub struct LineLimit {
    kinds: Arc<Mutex<HashMap<callsite::Identifier, LineKind>>>,
}

/// The state of one kind of line.
#[derive(Debug)]
struct LineKind {
    /// The time at which the full burst is available again.
    full_at: Instant,
    suppressed: u64,
    /// The first suppressed message.
    message: String,
    /// The largest duration in a suppressed line, in ms.
    longest_ms: Option<u64>,
}

impl LineLimit {
    /// The number of suppressed lines that have not been reported yet.
    pub fn suppressed(&self) -> u64 {
        let kinds = self.kinds.lock();
        kinds.values().map(|kind| kind.suppressed).sum()
    }

    /// Logs the number of suppressed lines of each kind since the last report.
    pub fn report(&self) {
        let mut kinds = self.kinds.lock();
        let suppressed: Vec<(String, u64, Option<u64>)> = kinds
            .values_mut()
            .filter(|kind| kind.suppressed > 0)
            .map(|kind| {
                (
                    std::mem::take(&mut kind.message),
                    std::mem::take(&mut kind.suppressed),
                    kind.longest_ms.take(),
                )
            })
            .collect();
        // Unlocks first, since the reports pass through this filter too.
        drop(kinds);
        for (like, lines, longest_ms) in suppressed {
            warn!(target: OWN_TARGET, lines, longest_ms, ?like, "suppressed similar lines");
        }
    }

    /// Counts a line, and returns whether it is within the limit.
    fn admit(&self, event: &Event<'_>, now: Instant) -> bool {
        let metadata = event.metadata();
        let rate = match *metadata.level() {
            Level::ERROR | Level::WARN => WARNING_RATE,
            Level::INFO => INFO_RATE,
            _ => return true,
        };
        if metadata.target() == OWN_TARGET {
            return true;
        }
        let mut kinds = self.kinds.lock();
        let kind = kinds.entry(metadata.callsite()).or_insert_with(|| LineKind {
            full_at: now,
            suppressed: 0,
            message: String::new(),
            longest_ms: None,
        });
        let full_at = kind.full_at.max(now) + rate.interval;
        if full_at.saturating_duration_since(now) <= rate.interval * rate.burst {
            kind.full_at = full_at;
            return true;
        }
        event.record(&mut SuppressedLineVisitor(kind));
        kind.suppressed += 1;
        false
    }
}

impl<S> Filter<S> for LineLimit {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        self.admit(event, Instant::now())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // The level is left to other filters.
        Some(LevelFilter::TRACE)
    }
}

/// Records the first message of a kind of line, and its longest duration.
struct SuppressedLineVisitor<'a>(&'a mut LineKind);

impl Visit for SuppressedLineVisitor<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name().ends_with("_ms") {
            self.0.longest_ms = self.0.longest_ms.max(Some(value));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" && self.0.suppressed == 0 {
            let text = format!("{value:?}");
            self.0.message = text.chars().take(SAMPLE_CHARS).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::{Layer as _, fmt::TestWriter, layer::SubscriberExt as _, registry};

    use super::*;

    #[test]
    fn the_report_of_suppressed_lines_has_the_first_message_and_the_longest_duration() {
        let limit = LineLimit::default();
        let log = tracing_subscriber::fmt::layer().with_writer(TestWriter::new);
        let log = registry().with(log.with_filter(limit.clone()));
        tracing::subscriber::with_default(log, || {
            for commit_ms in (0..30_u64).chain([700, 5]) {
                warn!(commit_ms, retries = 9_000_u64, "the store is slow");
            }
        });
        let kinds = limit.kinds.lock();
        let [kind] = kinds.values().collect::<Vec<_>>()[..] else {
            panic!("{kinds:?}");
        };
        assert_eq!((kind.suppressed, kind.longest_ms), (22, Some(700)));
        assert_eq!(kind.message, "the store is slow");
    }
}

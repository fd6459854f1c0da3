//! Bounds the lines that one kind of event may have in the log: who calls a server must not be
//! able to fill its disk, or to bury what an operator has to see.
//!
//! A kind is a place in the source, of ours or of a library. The bound is a filter over the whole
//! log and not a matter of each place that logs, so no place can forget it.

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

/// Lines of warnings and errors of one kind: ten at once, so that each of a few is told, and then
/// one in ten seconds, so that an attack of ten minutes makes 70 lines of a kind.
const WARNINGS: Lines = Lines {
    at_once: 10,
    every: Duration::from_secs(10),
};
/// Lines of one kind that tell what matches do: more than a busy server has, and little enough
/// for a disk.
const NEWS: Lines = Lines {
    at_once: 5_000,
    every: Duration::from_millis(10),
};
/// Characters of a left-out line that are told.
const TOLD_CHARS: usize = 80;
/// Target of the lines that tell what was left out, which are not limited.
const OWN_TARGET: &str = "bridgemaster_server::line_limit";

/// A bound on lines.
#[derive(Clone, Copy, Debug)]
struct Lines {
    at_once: u32,
    /// After that one in so much time.
    every: Duration,
}

/// A filter that bounds the lines of each kind: warnings and errors to ten at once and one in ten
/// seconds, news of the level `INFO` to 5,000 at once and 100 a second. Debugging is not bounded.
/// What is left out is counted, for [`LineLimit::tell`].
///
/// ```
/// use bridgemaster_server::LineLimit;
/// use tracing_subscriber::{Layer as _, layer::SubscriberExt as _};
///
/// let limit = LineLimit::default();
/// let log = tracing_subscriber::fmt::layer().with_filter(limit.clone());
/// let _log = tracing::subscriber::set_default(tracing_subscriber::registry().with(log));
/// for _ in 0..1_000 {
///     tracing::warn!("somebody knocks");
/// }
/// assert_eq!(limit.left_out(), 990);
/// limit.tell();
/// assert_eq!(limit.left_out(), 0, "it was told");
/// ```
#[derive(Clone, Debug, Default)]
pub struct LineLimit {
    kinds: Arc<Mutex<HashMap<callsite::Identifier, Kind>>>,
}

/// What is kept of one kind.
#[derive(Debug)]
struct Kind {
    /// When it may have its lines at once again.
    rested_at: Instant,
    left_out: u64,
    /// Of what was left out first.
    message: String,
}

impl LineLimit {
    /// Lines that were left out and not told yet.
    pub fn left_out(&self) -> u64 {
        let kinds = self.kinds.lock();
        kinds.values().map(|kind| kind.left_out).sum()
    }

    /// Logs how many lines of each kind were left out since this was told last.
    pub fn tell(&self) {
        let mut kinds = self.kinds.lock();
        let left_out: Vec<(String, u64)> = kinds
            .values_mut()
            .filter(|kind| kind.left_out > 0)
            .map(|kind| {
                (
                    std::mem::take(&mut kind.message),
                    std::mem::take(&mut kind.left_out),
                )
            })
            .collect();
        // The lines come back to this filter.
        drop(kinds);
        for (like, lines) in left_out {
            warn!(target: OWN_TARGET, lines, ?like, "lines of one kind were left out");
        }
    }

    /// Whether a line has room.
    fn has_room(&self, event: &Event<'_>, now: Instant) -> bool {
        let metadata = event.metadata();
        let lines = match *metadata.level() {
            Level::ERROR | Level::WARN => WARNINGS,
            Level::INFO => NEWS,
            _ => return true,
        };
        if metadata.target() == OWN_TARGET {
            return true;
        }
        let mut kinds = self.kinds.lock();
        let kind = kinds.entry(metadata.callsite()).or_insert_with(|| Kind {
            rested_at: now,
            left_out: 0,
            message: String::new(),
        });
        let rested_at = kind.rested_at.max(now) + lines.every;
        if rested_at.saturating_duration_since(now) <= lines.every * lines.at_once {
            kind.rested_at = rested_at;
            return true;
        }
        if kind.left_out == 0 {
            event.record(&mut Message(&mut kind.message));
        }
        kind.left_out += 1;
        false
    }
}

impl<S> Filter<S> for LineLimit {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        self.has_room(event, Instant::now())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // Which levels are logged is for other filters.
        Some(LevelFilter::TRACE)
    }
}

/// Takes the message of a line.
struct Message<'a>(&'a mut String);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            let text = format!("{value:?}");
            *self.0 = text.chars().take(TOLD_CHARS).collect();
        }
    }
}

//! The log of a server, and the export of its spans. A separate thread writes the log, so that a
//! slow disk or a blocked pipe does not delay matches.

use std::{
    env, io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_bots::log_filter;
use bridgemaster_server::{
    LineLimit, VERSION,
    traces::{HEADERS_VARIABLE, Source, SpanRecorder},
};
use bridgemaster_store::NodeName;
use console::colors_enabled_stderr;
use tokio::{task::JoinHandle, time::interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, level_filters::LevelFilter, warn};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    Layer as _,
    filter::{FilterExt as _, Targets},
    fmt,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    failure::misuse,
    output,
    serve::settings::{LogFormat, Settings},
};

/// Maximum number of queued log lines. Further lines are dropped. If writing blocks, a busy server
/// with `-v` fills the queue in about ten seconds. A full queue uses a few MiB.
const QUEUE_LINES: usize = 10_000;
/// Interval at which dropped lines are reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Counts the lines that were dropped, and reports them in the log.
#[derive(Clone)]
pub(super) struct MissingLines {
    limit: LineLimit,
    dropped: ErrorCounter,
    /// Number of dropped lines that have already been reported.
    reported: Arc<AtomicUsize>,
}

/// Starts the log with a limited rate. When the guard is dropped, it waits at most one second for
/// the queue to be written.
pub(super) fn start(settings: &Settings) -> (MissingLines, WorkerGuard) {
    let (other_level, own_level) = match settings.verbose {
        0 => (LevelFilter::WARN, LevelFilter::WARN),
        1 => (LevelFilter::WARN, LevelFilter::INFO),
        _ => (LevelFilter::INFO, LevelFilter::TRACE),
    };
    // The names of all crates in this workspace begin with this prefix.
    let levels = Targets::new().with_target("bridgemaster", own_level);
    let filter = log_filter(levels.with_default(other_level));
    let limit = LineLimit::default();
    let filter = filter.and(limit.clone());
    let node = settings.node.as_ref().map(NodeName::as_str);
    let is_json = settings.log == Some(LogFormat::Json);
    let lines = if is_json {
        NamedLines::json(output::json_log(), node)
    } else {
        NamedLines::text(output::text_log(), node)
    };
    let writer = NonBlockingBuilder::default().buffered_lines_limit(QUEUE_LINES).thread_name("log");
    let (lines, writing) = writer.finish(lines);
    let missing = MissingLines::new(limit, &lines);
    let log = fmt::layer().with_ansi(colors_enabled_stderr()).with_writer(lines);
    let registry = tracing_subscriber::registry();
    if is_json {
        registry.with(log.json().with_filter(filter)).init();
    } else {
        registry.with(log.with_filter(filter)).init();
    }
    (missing, writing)
}

/// Begins each line with the name of the node, if it has one.
struct NamedLines<W> {
    prefix: String,
    /// The start of a line that the prefix replaces.
    replaced: &'static [u8],
    into: W,
}

impl<W> NamedLines<W> {
    fn text(into: W, node: Option<&str>) -> Self {
        let prefix = node.map(|node| format!("{node} "));
        Self { prefix: prefix.unwrap_or_default(), replaced: b"", into }
    }

    fn json(into: W, node: Option<&str>) -> Self {
        let prefix = node.map(|node| format!("{{\"node\":{},", serde_json::json!(node)));
        Self { prefix: prefix.unwrap_or_else(|| "{".to_owned()), replaced: b"{", into }
    }
}

/// Each write has one line.
impl<W: io::Write> io::Write for NamedLines<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let rest = line.strip_prefix(self.replaced).unwrap_or(line);
        self.into.write_all(&[self.prefix.as_bytes(), rest].concat())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

impl MissingLines {
    fn new(limit: LineLimit, lines: &NonBlocking) -> Self {
        Self { limit, dropped: lines.error_counter(), reported: Arc::default() }
    }

    /// Logs the number of lines that were dropped since the last report.
    pub(super) fn report(&self) {
        self.limit.report();
        let dropped = self.dropped.dropped_lines();
        let lines = dropped.saturating_sub(self.reported.swap(dropped, Ordering::Relaxed));
        if lines > 0 {
            warn!(lines, "log lines dropped because log output is too slow");
        }
    }

    /// Reports dropped lines every 60 s. Never returns.
    pub(super) async fn report_periodically(self) {
        let mut intervals = interval(REPORT_INTERVAL);
        loop {
            intervals.tick().await;
            self.report();
        }
    }
}

/// The task that exports spans, if a collector is configured.
pub(super) struct SpanExport {
    task: Option<JoinHandle<()>>,
    stop: CancellationToken,
}

/// Starts exporting spans, if a collector is configured.
pub(super) fn start_export(settings: &Settings) -> anyhow::Result<(SpanRecorder, SpanExport)> {
    let stop = CancellationToken::new();
    let Some(collector) = &settings.otlp else {
        return Ok((SpanRecorder::disabled(), SpanExport { task: None, stop }));
    };
    let headers = env::var(HEADERS_VARIABLE).unwrap_or_default();
    let collector = collector.clone().with_headers(&headers);
    let collector = collector.map_err(|error| misuse(error.to_string()))?;
    let name = settings.node.as_ref().map(NodeName::as_str);
    let (span_recorder, exporter) = SpanRecorder::new(&collector, Source::server(VERSION, name));
    info!(collector = collector.address(), "exporting spans");
    let task = Some(tokio::spawn(exporter.run(stop.clone())));
    Ok((span_recorder, SpanExport { task, stop }))
}

impl SpanExport {
    /// Exports the remaining spans.
    pub(super) async fn finish(self) {
        self.stop.cancel();
        if let Some(task) = self.task {
            // The panic was already logged.
            let _ = task.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io, sync::mpsc};

    use tracing::{info, subscriber::with_default};

    use super::*;

    /// A writer that waits for a request of the test before each line, and then sends the line to
    /// it.
    struct SlowWriter {
        requests: mpsc::Receiver<()>,
        written: mpsc::Sender<String>,
    }

    impl io::Write for SlowWriter {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            // Fails at the end of the test, when the sender is dropped.
            let _ = self.requests.recv();
            let _ = self.written.send(String::from_utf8_lossy(line).into_owned());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_dropped_by_a_slow_writer_are_reported_once() {
        let (request, requests) = mpsc::channel();
        let (written, lines) = mpsc::channel();
        let (log, writing) = NonBlockingBuilder::default()
            .buffered_lines_limit(3)
            .finish(SlowWriter { requests, written });
        let missing = MissingLines::new(LineLimit::default(), &log);
        let log = fmt::layer().with_ansi(false).with_writer(log);
        with_default(tracing_subscriber::registry().with(log), || {
            missing.report();
            for number in 0..100 {
                info!(number, "one of many");
            }
            // At most one of the lines is in the writer, and three are in the queue.
            let lost = missing.dropped.dropped_lines();
            assert!((96..=97).contains(&lost), "{lost}");
            for _ in 0..100 - lost {
                request.send(()).unwrap();
                assert!(lines.recv().unwrap().contains("one of many"));
            }
            missing.report();
            missing.report();
        });
        drop((request, writing));
        let reports: Vec<String> = lines.iter().collect();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].contains("log lines dropped"), "{reports:?}");
    }
}

//! The queue of spans, and the task that exports them.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use tokio::{
    select,
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use tracing::{info, warn};

use crate::{Collector, Source, Span, collector::CollectorClient};

/// Maximum number of queued spans: the spans of one second on a busy server.
pub const MAX_QUEUED_SPANS: usize = 8192;
/// Maximum total memory of the queued spans and the batch that is being sent, in bytes. A span
/// takes about 700 bytes.
pub const MAX_QUEUE_BYTES: u64 = (MAX_QUEUED_SPANS + 4 * MAX_BATCH_SPANS) as u64 * 1024;
/// Maximum number of spans in a batch, the same as in OpenTelemetry's own exporters. Such a batch
/// takes about 200 KiB.
const MAX_BATCH_SPANS: usize = 512;
/// Maximum time for which a span waits until its batch is full. Spans become visible with this
/// delay.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);
/// First and maximum delay before a batch is sent again. Each delay is twice the previous one.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// Maximum time to export the queued spans when the server stops.
pub const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// A handle for recording spans. Clones share one queue.
#[derive(Clone, Debug, Default)]
pub struct SpanRecorder {
    /// The queue; `None` if tracing is disabled.
    queue: Option<Queue>,
}

#[derive(Clone, Debug)]
struct Queue {
    spans: mpsc::Sender<Span>,
    lost: Arc<AtomicU64>,
}

impl SpanRecorder {
    /// Creates a handle that drops all spans.
    pub fn disabled() -> Self {
        Self::default()
    }

    /// Creates a handle that records spans for a collector, and the exporter that sends them.
    pub fn new(collector: &Collector, source: Source) -> (Self, Exporter) {
        let (sender, spans) = mpsc::channel(MAX_QUEUED_SPANS);
        let lost = Arc::<AtomicU64>::default();
        let exporter = Exporter {
            source,
            address: collector.address(),
            client: collector.client(),
            spans,
            lost: Arc::clone(&lost),
            is_failing: false,
        };
        let queue = Queue { spans: sender, lost };
        (Self { queue: Some(queue) }, exporter)
    }

    /// Returns whether spans are recorded.
    pub fn is_enabled(&self) -> bool {
        self.queue.is_some()
    }

    /// Records a span that has ended. `span` creates the span, and is called only if tracing is
    /// enabled. Never blocks: if the queue is full, the span is dropped and counted.
    pub fn record(&self, span: impl FnOnce() -> Span) {
        let Some(queue) = &self.queue else {
            return;
        };
        match queue.spans.try_reserve() {
            Ok(place) => place.send(span()),
            Err(TrySendError::Full(()) | TrySendError::Closed(())) => {
                queue.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// The task that sends spans to a collector.
pub struct Exporter {
    source: Source,
    address: String,
    client: CollectorClient,
    spans: mpsc::Receiver<Span>,
    /// The number of dropped spans that have not been logged yet.
    lost: Arc<AtomicU64>,
    /// Whether the last export failed, and the failure was logged.
    is_failing: bool,
}

impl Exporter {
    /// Exports spans until `stop` is cancelled, and then exports the remaining queue, for at most
    /// [`FLUSH_TIMEOUT`].
    pub async fn run(mut self, stop: CancellationToken) {
        let mut batch = Vec::with_capacity(MAX_BATCH_SPANS);
        let mut expired = pin!(async {
            stop.cancelled().await;
            sleep(FLUSH_TIMEOUT).await;
        });
        while self.gather(&mut batch, &stop).await
            && self.send(&batch, &stop, expired.as_mut()).await
        {
            batch.clear();
        }
        self.spans.close();
        self.count_lost(self.spans.len());
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            warn!(lost, "spans were not exported");
        }
    }

    /// Collects spans for a batch. Once `stop` is cancelled, collects only spans that are already
    /// queued. Returns whether there are any.
    async fn gather(&mut self, batch: &mut Vec<Span>, stop: &CancellationToken) -> bool {
        if let Some(first) = stop.run_until_cancelled(self.spans.recv()).await {
            batch.extend(first);
        }
        let until = Instant::now() + BATCH_INTERVAL;
        while batch.len() < MAX_BATCH_SPANS {
            let free = MAX_BATCH_SPANS - batch.len();
            let more = timeout_at(until, self.spans.recv_many(batch, free));
            match stop.run_until_cancelled(more).await {
                Some(Ok(1..)) => {}
                Some(_) => break,
                None => {
                    // No more spans are accepted.
                    self.spans.close();
                    match self.spans.try_recv() {
                        Ok(span) => batch.push(span),
                        Err(_) => break,
                    }
                }
            }
        }
        !batch.is_empty()
    }

    /// Exports a batch. Until `stop` is cancelled, retries while the collector is unreachable; new
    /// spans stay in the queue in the meantime. Returns whether the collector responded before the
    /// time to stop has `expired`.
    async fn send(
        &mut self,
        batch: &[Span],
        stop: &CancellationToken,
        mut expired: Pin<&mut impl Future<Output = ()>>,
    ) -> bool {
        let (mut delay, max_delay) = RETRY_DELAYS;
        loop {
            let request = self.source.request(batch);
            let sent = select! {
                sent = self.client.export(request) => sent,
                () = &mut expired => break,
            };
            let status = match sent {
                Ok(response) => {
                    self.handle_response(response.into_inner());
                    return true;
                }
                Err(status) => status,
            };
            self.log_failure_once(&format!("{}: {}", status.code(), status.message()));
            if !is_retryable(&status) {
                self.count_lost(batch.len());
                return true;
            }
            if stop.run_until_cancelled(sleep(delay)).await.is_none() {
                break;
            }
            delay = (2 * delay).min(max_delay);
        }
        self.count_lost(batch.len());
        false
    }

    /// Handles a response from the collector.
    fn handle_response(&mut self, response: ExportTraceServiceResponse) {
        let partly = response.partial_success.unwrap_or_default();
        match usize::try_from(partly.rejected_spans) {
            Ok(rejected) if rejected > 0 => {
                self.count_lost(rejected);
                self.log_failure_once(&partly.error_message);
            }
            _ if std::mem::take(&mut self.is_failing) => {
                let lost = self.lost.swap(0, Ordering::Relaxed);
                info!(collector = self.address, lost, "span export has recovered");
            }
            _ => {}
        }
    }

    /// Logs a failure. Further failures are not logged until an export has succeeded.
    fn log_failure_once(&mut self, detail: &str) {
        if !std::mem::replace(&mut self.is_failing, true) {
            warn!(
                collector = self.address,
                detail, "cannot export spans; matches are not affected"
            );
        }
    }

    fn count_lost(&self, spans: usize) {
        let spans = u64::try_from(spans).unwrap_or(u64::MAX);
        self.lost.fetch_add(spans, Ordering::Relaxed);
    }
}

/// Returns whether the OTLP specification allows a retry after this status.
fn is_retryable(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Cancelled
            | Code::DeadlineExceeded
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unavailable
            | Code::DataLoss
    )
}

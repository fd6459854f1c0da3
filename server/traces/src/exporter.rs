//! The queue of spans, and the task that sends them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    select,
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use tracing::{info, warn};

use crate::{
    Collector, Source, Span,
    collector::Connection,
    messages::{ExportTraceServiceRequest, ExportTraceServiceResponse},
};

/// Most spans that wait to be sent: a second of a busy server.
pub const QUEUED_SPANS: usize = 8192;
/// Most bytes that they take, with those of the message that is sent: a span has about 700.
pub const QUEUE_BYTES: u64 = (QUEUED_SPANS + 4 * BATCH_SPANS) as u64 * 1024;
/// Most spans in one message: as many as OpenTelemetry's own exporters send, some 200 KiB.
const BATCH_SPANS: usize = 512;
/// Longest time for which a span waits for others: so soon is a match seen.
const LINGER: Duration = Duration::from_secs(1);
/// Pauses before a batch is tried again, from the first to the longest, each twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// Time for what is queued when the server stops.
pub const FLUSH_TIME: Duration = Duration::from_secs(3);

/// Takes spans. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// `None` where nobody wants them.
    queue: Option<Queue>,
}

#[derive(Clone, Debug)]
struct Queue {
    spans: mpsc::Sender<Span>,
    lost: Arc<AtomicU64>,
}

impl Traces {
    /// Takes nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Takes spans for a collector. They are sent by the exporter that is given with it.
    pub fn to(collector: &Collector, source: Source) -> (Self, Exporter) {
        let (sender, spans) = mpsc::channel(QUEUED_SPANS);
        let lost = Arc::<AtomicU64>::default();
        let exporter = Exporter {
            source,
            address: collector.address(),
            connection: collector.connect(),
            spans,
            lost: Arc::clone(&lost),
            is_failing: false,
        };
        let queue = Queue {
            spans: sender,
            lost,
        };
        (Self { queue: Some(queue) }, exporter)
    }

    /// Whether spans are wanted.
    pub fn is_on(&self) -> bool {
        self.queue.is_some()
    }

    /// Takes a span that has ended, which is made only if it is wanted. It never waits: a span for
    /// which there is no room is lost, and counted.
    pub fn ended(&self, span: impl FnOnce() -> Span) {
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

/// Sends spans to a collector.
pub struct Exporter {
    source: Source,
    address: String,
    connection: Connection,
    spans: mpsc::Receiver<Span>,
    /// Spans that were not sent, and that nobody was told of.
    lost: Arc<AtomicU64>,
    /// The last message was not taken, and the log says so.
    is_failing: bool,
}

impl Exporter {
    /// Sends spans as they come, until `stop` is cancelled; then what is queued, for at most
    /// [`FLUSH_TIME`].
    pub async fn run(mut self, stop: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH_SPANS);
        let mut is_answered = true;
        while is_answered && self.gather(&mut batch, &stop).await {
            is_answered = self.send_for_certain(&batch, &stop).await;
            batch.clear();
        }
        self.spans.close();
        if is_answered {
            self.flush(batch).await;
        }
        let left = u64::try_from(self.spans.len()).unwrap_or(u64::MAX);
        let lost = self.lost.swap(0, Ordering::Relaxed).saturating_add(left);
        if lost > 0 {
            warn!(lost, "spans were not exported");
        }
    }

    /// Sends these spans and all that are queued, each batch once.
    async fn flush(&mut self, mut batch: Vec<Span>) {
        let deadline = Instant::now() + FLUSH_TIME;
        loop {
            while batch.len() < BATCH_SPANS
                && let Ok(span) = self.spans.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            let message = ExportTraceServiceRequest::of(&self.source, &batch);
            match timeout_at(deadline, self.connection.export(message)).await {
                Ok(Ok(response)) => self.taken(response),
                Ok(Err(_)) | Err(_) => return self.not_sent(batch.len()),
            }
            batch.clear();
        }
    }

    /// Gathers spans for a message. Whether to go on; if not, there may be some.
    async fn gather(&mut self, batch: &mut Vec<Span>, stop: &CancellationToken) -> bool {
        let first = select! {
            biased;
            () = stop.cancelled() => return false,
            first = self.spans.recv() => first,
        };
        let Some(first) = first else {
            return false;
        };
        batch.push(first);
        let until = Instant::now() + LINGER;
        while batch.len() < BATCH_SPANS {
            let room = BATCH_SPANS - batch.len();
            let more = timeout_at(until, self.spans.recv_many(batch, room));
            let more = select! {
                biased;
                () = stop.cancelled() => return false,
                more = more => more,
            };
            match more {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        true
    }

    /// Sends a batch, again and again while the collector is away. Meanwhile others wait, as many as
    /// the queue has room for. Whether the collector has answered before the end.
    async fn send_for_certain(&mut self, batch: &[Span], stop: &CancellationToken) -> bool {
        let (mut pause, longest) = PAUSES;
        loop {
            let message = ExportTraceServiceRequest::of(&self.source, batch);
            let sent = select! {
                sent = self.connection.export(message) => sent,
                () = time_after(stop) => {
                    self.not_sent(batch.len());
                    return false;
                }
            };
            match sent {
                Ok(response) => {
                    self.taken(response);
                    return true;
                }
                Err(status) => {
                    self.fails(&status);
                    if !can_be_repeated(&status) {
                        self.not_sent(batch.len());
                        return true;
                    }
                }
            }
            select! {
                () = sleep(pause) => {}
                () = stop.cancelled() => {
                    self.not_sent(batch.len());
                    return false;
                }
            }
            pause = (2 * pause).min(longest);
        }
    }

    /// The collector has answered.
    fn taken(&mut self, response: ExportTraceServiceResponse) {
        let partly = response.partial_success.unwrap_or_default();
        match usize::try_from(partly.rejected_spans) {
            Ok(rejected) if rejected > 0 => {
                self.not_sent(rejected);
                self.says_that_it_fails(&partly.error_message);
            }
            _ if std::mem::take(&mut self.is_failing) => {
                let lost = self.lost.swap(0, Ordering::Relaxed);
                info!(collector = self.address, lost, "spans are exported again");
            }
            _ => {}
        }
    }

    fn fails(&mut self, status: &Status) {
        let detail = format!("{}: {}", status.code(), status.message());
        self.says_that_it_fails(&detail);
    }

    /// Says so once, until a message is taken again.
    fn says_that_it_fails(&mut self, detail: &str) {
        if !std::mem::replace(&mut self.is_failing, true) {
            warn!(
                collector = self.address,
                detail, "spans cannot be exported; matches go on"
            );
        }
    }

    fn not_sent(&self, spans: usize) {
        let spans = u64::try_from(spans).unwrap_or(u64::MAX);
        self.lost.fetch_add(spans, Ordering::Relaxed);
    }
}

/// Completes [`FLUSH_TIME`] after the stop.
async fn time_after(stop: &CancellationToken) {
    stop.cancelled().await;
    sleep(FLUSH_TIME).await;
}

/// Whether the collector may take the same message later, by the specification of OTLP.
fn can_be_repeated(status: &Status) -> bool {
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

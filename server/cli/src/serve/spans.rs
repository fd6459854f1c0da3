//! Exports spans to the `--otlp` collector.

use bridgemaster_server::{
    VERSION,
    traces::{Source, Traces},
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::settings::Settings;

/// The task that exports spans, if a collector is configured.
pub(super) struct SpanExport {
    task: Option<JoinHandle<()>>,
    stop: CancellationToken,
}

/// Starts exporting spans, if a collector is configured.
pub(super) fn start(settings: &Settings) -> (Traces, SpanExport) {
    let stop = CancellationToken::new();
    let Some(collector) = &settings.otlp else {
        return (Traces::disabled(), SpanExport { task: None, stop });
    };
    let node = &settings.node;
    let name = node.address.as_ref().map(|_| node.name.as_str());
    let (traces, exporter) = Traces::new(collector, Source::server(VERSION, name));
    info!(collector = collector.address(), "exporting spans");
    let task = Some(tokio::spawn(exporter.run(stop.clone())));
    (traces, SpanExport { task, stop })
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

//! Spans for the collector of `--otlp`.

use bridgemaster_server::{
    VERSION,
    traces::{Source, Traces},
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::settings::Settings;

/// The task that exports spans, if there is a collector for them.
pub(super) struct Exporting {
    task: Option<JoinHandle<()>>,
    stop: CancellationToken,
}

/// Begins to export spans, if that is asked for.
pub(super) fn begin(settings: &Settings) -> (Traces, Exporting) {
    let stop = CancellationToken::new();
    let Some(collector) = &settings.otlp else {
        return (Traces::off(), Exporting { task: None, stop });
    };
    let node = &settings.node;
    let name = node.address.as_ref().map(|_| node.name.as_str());
    let (traces, exporter) = Traces::to(collector, Source::server(VERSION, name));
    info!(collector = collector.address(), "spans are exported");
    let task = Some(tokio::spawn(exporter.run(stop.clone())));
    (traces, Exporting { task, stop })
}

impl Exporting {
    /// Exports what is left.
    pub(super) async fn finish(self) {
        self.stop.cancel();
        if let Some(task) = self.task {
            // A panic would be a defect; it has been logged.
            let _ = task.await;
        }
    }
}

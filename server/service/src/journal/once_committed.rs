//! Trace spans that are emitted once the entry they describe is committed.

use bridgemaster_traces::{Span, Traces};

use super::Gate;

/// Emits a span once the entry that it describes is committed, or immediately without a gate.
pub(crate) fn emit_once_committed(
    traces: &Traces,
    gate: Option<&Gate>,
    span: impl FnOnce() -> Span,
) {
    if !traces.is_enabled() {
        return;
    }
    let Some(gate) = gate.cloned() else {
        return traces.record(span);
    };
    let (traces, span) = (traces.clone(), span());
    tokio::spawn(async move {
        if gate.wait().await.is_ok() {
            traces.record(|| span);
        }
    });
}

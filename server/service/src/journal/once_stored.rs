//! Spans that wait for what they tell of.

use bridgemaster_traces::{Span, Traces};

use super::Gate;

/// Gives a span once what it tells of is stored.
pub(crate) fn once_stored(traces: &Traces, gate: Option<&Gate>, span: impl FnOnce() -> Span) {
    if !traces.is_on() {
        return;
    }
    let Some(gate) = gate.cloned() else {
        return traces.ended(span);
    };
    let (traces, span) = (traces.clone(), span());
    tokio::spawn(async move {
        if gate.wait().await.is_ok() {
            traces.ended(|| span);
        }
    });
}

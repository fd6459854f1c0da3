//! The trace span of a seat's stream, which is exported when the stream ends.

use std::time::SystemTime;

use bridgemaster_traces::{SpanKind, Traces};

use crate::{
    live::SeatHandle,
    refusal::{Refusal, reason_name},
    spans,
};

/// A seat stream, whose span ends when this is dropped.
pub(super) struct StreamSpan {
    traces: Traces,
    handle: SeatHandle,
    resumed: bool,
    started: SystemTime,
    refused: Option<&'static str>,
}

impl StreamSpan {
    /// Starts the span of the stream of this handle, which now holds the seat.
    pub(super) fn begin(traces: &Traces, handle: SeatHandle, resumed: bool) -> Self {
        Self {
            traces: traces.clone(),
            handle,
            resumed,
            started: SystemTime::now(),
            refused: None,
        }
    }

    /// Records the refusal that ends the stream.
    pub(super) fn record_refusal(&mut self, refusal: &Refusal) {
        self.refused = Some(reason_name(refusal.reason()));
    }
}

impl Drop for StreamSpan {
    fn drop(&mut self) {
        self.traces.record(|| {
            let mut span = self.handle.span_since(self.started, "seat stream");
            span.kind = SpanKind::Server;
            let span = span.with("bridgemaster.stream.resumed", self.resumed);
            match self.refused {
                Some(reason) => span.with(spans::ERROR, reason),
                None => span,
            }
        });
    }
}

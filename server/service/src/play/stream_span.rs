//! The span of a stream.

use std::time::SystemTime;

use bridgemaster_traces::{SpanKind, Traces};

use crate::{
    hosting::SeatVoice,
    refusal::{Refusal, reason_name},
    spans,
};

/// A stream of a seat, whose span ends when this is dropped.
pub(super) struct StreamSpan {
    traces: Traces,
    voice: SeatVoice,
    resumed: bool,
    begun: SystemTime,
    refused: Option<&'static str>,
}

impl StreamSpan {
    /// That of the stream of this voice, which has the seat from now on.
    pub(super) fn begin(traces: &Traces, voice: SeatVoice, resumed: bool) -> Self {
        Self {
            traces: traces.clone(),
            voice,
            resumed,
            begun: SystemTime::now(),
            refused: None,
        }
    }

    /// The stream ends with this.
    pub(super) fn is_refused(&mut self, refusal: &Refusal) {
        self.refused = Some(reason_name(refusal.reason()));
    }
}

impl Drop for StreamSpan {
    fn drop(&mut self) {
        self.traces.ended(|| {
            let mut span = self.voice.span(self.begun, "seat stream");
            span.kind = SpanKind::Server;
            let span = span.with("bridgemaster.stream.resumed", self.resumed);
            match self.refused {
                Some(reason) => span.with(spans::ERROR, reason),
                None => span,
            }
        });
    }
}

//! A server's trace spans, exported to a collector over OTLP/gRPC (OpenTelemetry).
//!
//! A [`Span`] is recorded with [`SpanRecorder`] once it has ended. Recording never blocks: the span
//! is added to a bounded queue, or dropped if the queue is full. One task ([`Exporter`]) sends the
//! queued spans in batches.
//!
//! The messages and the client are those of `opentelemetry-proto`. The OpenTelemetry SDK is
//! designed for spans that follow the calls within one process, but here a span can begin on one
//! server and end on another.

#![forbid(unsafe_code)]

mod collector;
mod export_request;
mod exporter;
mod span;

pub use collector::{Collector, HEADERS_VARIABLE, InvalidCollectorAddress, InvalidHeaders};
pub use export_request::Source;
pub use exporter::{Exporter, FLUSH_TIMEOUT, MAX_QUEUE_BYTES, MAX_QUEUED_SPANS, SpanRecorder};
pub use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
pub use span::{Span, SpanContext, SpanId, TraceId, Value};

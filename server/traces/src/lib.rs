//! A server's trace spans, exported to a collector over OTLP/gRPC (OpenTelemetry).
//!
//! A [`Span`] is recorded with [`Traces`] once it has ended. Recording never blocks: the span is
//! added to a bounded queue, or dropped if the queue is full. One task ([`Exporter`]) sends the
//! queued spans in batches.
//!
//! The exporter uses the server's own gRPC library. The OpenTelemetry crates would add second
//! versions of several dependencies. Those crates are designed for spans that follow the calls
//! within one process, but here a span can begin on one server and end on another.

#![forbid(unsafe_code)]

mod collector;
mod exporter;
mod ids;
mod messages;
mod source;
mod span;

pub use collector::{Collector, InvalidCollectorAddress};
pub use exporter::{Exporter, FLUSH_TIMEOUT, MAX_QUEUE_BYTES, MAX_QUEUED_SPANS, Traces};
pub use ids::{SpanContext, SpanId, TraceId};
pub use source::Source;
pub use span::{Span, SpanKind, Value};

//! Spans of what a server does, exported to a collector over OTLP/gRPC (OpenTelemetry).
//!
//! A [`Span`] is given to [`Traces`] when it has ended, and never waits: it goes into a queue of
//! bounded length, or is lost. One task ([`Exporter`]) sends what is queued, some spans at once.
//!
//! The protocol is spoken with the gRPC library that the server has anyway. OpenTelemetry's own
//! crates would bring second versions of others, and what they offer is for programs whose spans
//! follow their calls: here a span may begin on one server and end on another.

#![forbid(unsafe_code)]

mod collector;
mod exporter;
mod ids;
mod messages;
mod source;
mod span;

pub use collector::{Collector, InvalidCollector};
pub use exporter::{Exporter, FLUSH_TIME, QUEUE_BYTES, QUEUED_SPANS, Traces};
pub use ids::{SpanContext, SpanId, TraceId};
pub use source::Source;
pub use span::{Span, SpanKind, Value};

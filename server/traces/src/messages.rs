//! The subset of the OTLP 1.x messages that the exporter uses. Field numbers are from
//! `opentelemetry/proto/collector/trace/v1/trace_service.proto`.

use std::time::{SystemTime, UNIX_EPOCH};

use prost::{Enumeration, Message, Oneof};

use crate::{Source, Span, SpanContext, Value};

/// Name of the instrumentation scope.
const SCOPE: &str = "bridgemaster";

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExportTraceServiceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) partial_success: Option<ExportTracePartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExportTracePartialSuccess {
    #[prost(int64, tag = "1")]
    pub(crate) rejected_spans: i64,
    #[prost(string, tag = "2")]
    pub(crate) error_message: String,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<InstrumentationScope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<SpanMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct InstrumentationScope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct SpanMessage {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(enumeration = "SpanKind", tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "13")]
    links: Vec<Link>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
enum SpanKind {
    Unspecified = 0,
    Internal = 1,
    Server = 2,
    Client = 3,
}

#[derive(Clone, PartialEq, Message)]
struct Link {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(enumeration = "StatusCode", tag = "3")]
    code: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
enum StatusCode {
    Unset = 0,
    Error = 2,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Any", tags = "1, 2, 3")]
    value: Option<Any>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Any {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Number(i64),
}

impl ExportTraceServiceRequest {
    /// Builds the request that exports one process's spans.
    pub(crate) fn of(source: &Source, spans: &[Span]) -> Self {
        let attributes = [
            ("service.name", source.name.clone()),
            ("service.version", source.version.clone()),
            ("service.instance.id", source.instance.clone()),
        ];
        let attributes = attributes.map(|(key, text)| key_value(key, &text.into()));
        let scope_spans = ScopeSpans {
            scope: Some(InstrumentationScope {
                name: SCOPE.to_owned(),
                version: source.version.clone(),
            }),
            spans: spans.iter().map(message).collect(),
        };
        Self {
            resource_spans: vec![ResourceSpans {
                resource: Some(Resource {
                    attributes: attributes.into(),
                }),
                scope_spans: vec![scope_spans],
            }],
        }
    }
}

fn message(span: &Span) -> SpanMessage {
    let attributes = span.attributes.iter();
    let kind = match span.kind {
        crate::SpanKind::Internal => SpanKind::Internal,
        crate::SpanKind::Server => SpanKind::Server,
        crate::SpanKind::Client => SpanKind::Client,
    };
    SpanMessage {
        trace_id: span.context.trace.0.into(),
        span_id: span.context.span.0.into(),
        parent_span_id: span
            .parent
            .map(|parent| parent.0.into())
            .unwrap_or_default(),
        name: span.name.to_owned(),
        kind: kind.into(),
        start_time_unix_nano: unix_nanos(span.started),
        // If the clock was set back during the span, its end would be before its start.
        end_time_unix_nano: unix_nanos(span.ended.max(span.started)),
        attributes: attributes
            .map(|(key, value)| key_value(key, value))
            .collect(),
        links: span.links.iter().map(link).collect(),
        status: span.failed.then(|| Status {
            code: StatusCode::Error.into(),
        }),
    }
}

fn link(to: &SpanContext) -> Link {
    Link {
        trace_id: to.trace.0.into(),
        span_id: to.span.0.into(),
    }
}

fn key_value(key: &str, value: &Value) -> KeyValue {
    let value = match value {
        Value::Text(text) => Any::Text(text.clone().into_owned()),
        Value::Number(number) => Any::Number(*number),
        Value::Flag(flag) => Any::Flag(*flag),
    };
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
    }
}

/// Returns the time in nanoseconds since the Unix epoch; 0 for a time before the epoch.
fn unix_nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

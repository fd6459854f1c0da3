//! The request that exports spans, in OpenTelemetry's own messages.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value},
    resource::v1::Resource,
    trace::v1::{self, ResourceSpans, ScopeSpans, Status, span::Link, status::StatusCode},
};

use crate::{Span, SpanContext, SpanId, Value};

/// Name of the instrumentation scope.
const SCOPE: &str = "bridgemaster";

/// The process that emits the spans. OpenTelemetry calls its properties resource attributes.
#[derive(Clone, Debug)]
pub struct Source {
    /// The `service.name` attribute.
    pub name: String,
    /// The `service.version` attribute.
    pub version: String,
    /// The `service.instance.id` attribute.
    pub instance: String,
}

impl Source {
    /// Describes a server with this version. `instance` is the node's name or, without a node, a
    /// random identifier that differs for each start.
    pub fn server(version: &str, node: Option<&str>) -> Self {
        let drawn = || format!("{:016x}", u64::from_be_bytes(SpanId::generate().0));
        Self {
            name: "bridgemaster".to_owned(),
            version: version.to_owned(),
            instance: node.map_or_else(drawn, str::to_owned),
        }
    }

    /// Builds the request that exports spans of this process.
    pub(crate) fn request(&self, spans: &[Span]) -> ExportTraceServiceRequest {
        let attributes = [
            ("service.name", self.name.clone()),
            ("service.version", self.version.clone()),
            ("service.instance.id", self.instance.clone()),
        ];
        let attributes = attributes.map(|(key, text)| key_value(key, &text.into()));
        ExportTraceServiceRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(Resource { attributes: attributes.into(), ..Resource::default() }),
                scope_spans: vec![ScopeSpans {
                    scope: Some(InstrumentationScope {
                        name: SCOPE.to_owned(),
                        version: self.version.clone(),
                        ..InstrumentationScope::default()
                    }),
                    spans: spans.iter().map(message).collect(),
                    ..ScopeSpans::default()
                }],
                ..ResourceSpans::default()
            }],
        }
    }
}

fn message(span: &Span) -> v1::Span {
    let attributes = span.attributes.iter();
    v1::Span {
        trace_id: span.context.trace.0.into(),
        span_id: span.context.span.0.into(),
        parent_span_id: span.parent.map(|parent| parent.0.into()).unwrap_or_default(),
        name: span.name.to_owned(),
        kind: span.kind.into(),
        start_time_unix_nano: unix_nanos(span.started),
        // If the clock was set back during the span, its end would be before its start.
        end_time_unix_nano: unix_nanos(span.ended.max(span.started)),
        attributes: attributes.map(|(key, value)| key_value(key, value)).collect(),
        links: span.links.iter().map(link).collect(),
        status: span.failed.then(|| Status { code: StatusCode::Error.into(), ..Status::default() }),
        ..v1::Span::default()
    }
}

fn link(to: &SpanContext) -> Link {
    Link { trace_id: to.trace.0.into(), span_id: to.span.0.into(), ..Link::default() }
}

fn key_value(key: &str, value: &Value) -> KeyValue {
    let value = match value {
        Value::Text(text) => any_value::Value::StringValue(text.clone().into_owned()),
        Value::Number(number) => any_value::Value::IntValue(*number),
        Value::Flag(flag) => any_value::Value::BoolValue(*flag),
    };
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

/// Returns the time in nanoseconds since the Unix epoch; 0 for a time before the epoch.
fn unix_nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

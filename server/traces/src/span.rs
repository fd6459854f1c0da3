//! Spans: timed operations with attributes, and their identifiers.

use std::{borrow::Cow, time::SystemTime};

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use sha2::{Digest as _, Sha256};

/// An operation that has ended.
#[derive(Clone, Debug)]
pub struct Span {
    /// Identifiers of the trace and the span.
    pub context: SpanContext,
    /// The enclosing span in the same trace.
    pub parent: Option<SpanId>,
    /// Name of the operation. Only a few different names are used, so that traces can be grouped by
    /// name.
    pub name: &'static str,
    /// Role of the span in a remote call.
    pub kind: SpanKind,
    /// Wall-clock time at which the operation started.
    pub started: SystemTime,
    /// Wall-clock time at which the operation ended.
    pub ended: SystemTime,
    /// Attributes, named by the OpenTelemetry conventions.
    pub attributes: Vec<(&'static str, Value)>,
    /// Related spans in other traces.
    pub links: Vec<SpanContext>,
    /// Whether the operation failed.
    pub failed: bool,
}

impl Span {
    /// Creates a span that started at `started` and ends now.
    pub fn since(started: SystemTime, name: &'static str, context: SpanContext) -> Self {
        Self {
            context,
            parent: None,
            name,
            kind: SpanKind::Internal,
            started,
            ended: SystemTime::now(),
            attributes: Vec::new(),
            links: Vec::new(),
            failed: false,
        }
    }

    /// Creates a child of `parent` that started at `started` and ends now.
    pub fn within(parent: SpanContext, started: SystemTime, name: &'static str) -> Self {
        let context = SpanContext { trace: parent.trace, span: SpanId::generate() };
        Self { parent: Some(parent.span), ..Self::since(started, name, context) }
    }

    /// Adds an attribute to the span.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An attribute of type string.
    Text(Cow<'static, str>),
    /// An attribute of type int.
    Number(i64),
    /// An attribute of type bool.
    Flag(bool),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// Identifier of a trace, random or derived from a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub [u8; 16]);

/// Identifier of a span within its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(pub [u8; 8]);

/// Reference to a span in any trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanContext {
    /// Identifier of the trace.
    pub trace: TraceId,
    /// Identifier of the span within the trace.
    pub span: SpanId,
}

impl SpanContext {
    /// Derives the root span of a trace from a name. The first 16 bytes of the name's SHA-256 are
    /// the trace id, and the next 8 bytes are the span id. So servers that share only the name
    /// contribute to the same trace.
    pub fn from_name(name: &str) -> Self {
        let hash = Sha256::digest(name.as_bytes());
        let (mut trace, mut span) = ([0; 16], [0; 8]);
        trace.copy_from_slice(&hash[..16]);
        span.copy_from_slice(&hash[16..24]);
        Self { trace: TraceId(trace), span: SpanId(span) }
    }

    /// Generates the root span of a new trace.
    pub fn generate() -> Self {
        Self { trace: TraceId(nonzero(rand::random)), span: SpanId::generate() }
    }
}

impl SpanId {
    /// Generates a random identifier.
    pub fn generate() -> Self {
        Self(nonzero(rand::random))
    }
}

/// Generates values until one is not all zeros, since a zero value means that there is no
/// identifier.
fn nonzero<const N: usize>(draw: impl Fn() -> [u8; N]) -> [u8; N] {
    loop {
        let drawn = draw();
        if drawn != [0; N] {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_of_a_name_is_a_prefix_of_its_sha_256() {
        // These values were computed with `printf %s m1 | sha256sum`.
        let first = SpanContext::from_name("m1");
        assert_eq!(first, SpanContext::from_name("m1"));
        let hash = Sha256::digest(b"m1");
        assert_eq!((&first.trace.0[..], &first.span.0[..]), (&hash[..16], &hash[16..24]));
        assert_ne!(first.trace, SpanContext::from_name("m2").trace);
    }

    #[test]
    fn a_generated_identifier_is_never_all_zeros() {
        let draws = std::cell::Cell::new(0_u8);
        let drawn = nonzero(|| {
            draws.set(draws.get() + 1);
            [draws.get() / 3; 8]
        });
        assert_eq!((drawn, draws.get()), ([1; 8], 3));
    }
}

//! Spans: timed operations with attributes.

use std::{borrow::Cow, time::SystemTime};

use crate::{SpanContext, SpanId};

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
        let context = SpanContext {
            trace: parent.trace,
            span: SpanId::generate(),
        };
        Self {
            parent: Some(parent.span),
            ..Self::since(started, name, context)
        }
    }

    /// Adds an attribute to the span.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }
}

/// The role of a span in a remote call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// The span is not part of a remote call.
    Internal,
    /// The span is the server side of a remote call.
    Server,
    /// The span is the client side of a remote call.
    Client,
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

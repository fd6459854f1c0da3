//! What is told of something that took a while.

use std::{borrow::Cow, time::SystemTime};

use crate::{SpanContext, SpanId};

/// Something that took a while and has ended.
#[derive(Clone, Debug)]
pub struct Span {
    /// Its trace, and itself.
    pub context: SpanContext,
    /// The span that it is part of, in the same trace.
    pub parent: Option<SpanId>,
    /// What it is: one of few names.
    pub name: &'static str,
    /// Its side of a call.
    pub kind: SpanKind,
    /// When it began, by the clock of the machine.
    pub begun: SystemTime,
    /// When it ended, by the same clock.
    pub ended: SystemTime,
    /// What else is told of it, by names as OpenTelemetry has them.
    pub attributes: Vec<(&'static str, Value)>,
    /// Spans of other traces that it has to do with.
    pub links: Vec<SpanContext>,
    /// Whether it failed.
    pub failed: bool,
}

impl Span {
    /// A span that ends now and began at `begun`.
    pub fn since(begun: SystemTime, name: &'static str, context: SpanContext) -> Self {
        Self {
            context,
            parent: None,
            name,
            kind: SpanKind::Internal,
            begun,
            ended: SystemTime::now(),
            attributes: Vec::new(),
            links: Vec::new(),
            failed: false,
        }
    }

    /// A span within `parent` that ends now and began at `begun`.
    pub fn within(parent: SpanContext, begun: SystemTime, name: &'static str) -> Self {
        let context = SpanContext {
            trace: parent.trace,
            span: SpanId::draw(),
        };
        Self {
            parent: Some(parent.span),
            ..Self::since(begun, name, context)
        }
    }

    /// With one attribute more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }
}

/// The side of a call that a span is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// None.
    Internal,
    /// The one that is called.
    Server,
    /// The one that calls.
    Client,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(Cow<'static, str>),
    /// A number.
    Number(i64),
    /// Whether something is so.
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

//! A wrapper that polls a stream within a tracing span, so that its log lines name the match and
//! the seat.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio_stream::Stream;
use tracing::Span;

/// Polls a stream within a span.
pub(crate) struct InSpan<S> {
    span: Span,
    stream: S,
}

impl<S> InSpan<S> {
    pub(super) fn new(span: Span, stream: S) -> Self {
        Self { span, stream }
    }
}

impl<S: Stream + Unpin> Stream for InSpan<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let Self { span, stream } = &mut *self;
        let _in = span.enter();
        Pin::new(stream).poll_next(context)
    }
}

//! Identifiers of traces and spans.

use sha2::{Digest as _, Sha256};

/// Identifier of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub [u8; 16]);

/// Identifier of a span within its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(pub [u8; 8]);

/// Names a span from anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanContext {
    /// Its trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
}

impl SpanContext {
    /// The first span of the trace of something that has this name everywhere: of its SHA-256 the
    /// first 16 bytes are the trace and the next 8 the span. So servers that know nothing of each
    /// other but the name put their spans into one trace.
    pub fn named(name: &str) -> Self {
        let hash = Sha256::digest(name.as_bytes());
        let (mut trace, mut span) = ([0; 16], [0; 8]);
        trace.copy_from_slice(&hash[..16]);
        span.copy_from_slice(&hash[16..24]);
        Self {
            trace: TraceId(trace),
            span: SpanId(span),
        }
    }

    /// The first span of a trace of its own.
    pub fn draw() -> Self {
        Self {
            trace: TraceId(not_zero(rand::random)),
            span: SpanId::draw(),
        }
    }
}

impl SpanId {
    /// One that no other span has.
    pub fn draw() -> Self {
        Self(not_zero(rand::random))
    }
}

/// Draws until it is not all zeros, which stands for no identifier.
fn not_zero<const N: usize>(draw: impl Fn() -> [u8; N]) -> [u8; N] {
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
    fn what_has_a_name_has_the_trace_that_its_sha_256_begins_with() {
        // printf %s m1 | sha256sum
        let first = SpanContext::named("m1");
        assert_eq!(first, SpanContext::named("m1"));
        let hash = Sha256::digest(b"m1");
        assert_eq!(
            (&first.trace.0[..], &first.span.0[..]),
            (&hash[..16], &hash[16..24])
        );
        assert_ne!(first.trace, SpanContext::named("m2").trace);
    }

    #[test]
    fn a_drawn_identifier_is_never_the_one_that_means_none() {
        let draws = std::cell::Cell::new(0_u8);
        let drawn = not_zero(|| {
            draws.set(draws.get() + 1);
            [draws.get() / 3; 8]
        });
        assert_eq!((drawn, draws.get()), ([1; 8], 3));
    }
}

//! Buffers a request body, so that it can be sent to several servers in turn.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bridgemaster_edge::{
    limits::CALL_BUFFER_BYTES,
    transport::{Call, RequestBytes},
};
use http_body::Frame;
use parking_lot::Mutex;
use tonic::{Status, body::Body, codegen::Bytes};

/// A request body that keeps the bytes that were read, for as long as it may have to be sent again.
pub(super) struct ReplayableBody {
    shared: Arc<Mutex<SharedBody>>,
}

struct SharedBody {
    body: Body,
    is_complete: bool,
    /// The bytes that were read; `None` once they are no longer needed, or exceed the limit.
    buffered: Option<BufferedBytes>,
    /// The number of readers that were created. Only the latest one may read.
    readers: u32,
}

struct BufferedBytes {
    parts: Vec<Bytes>,
    /// The number of bytes that may still be buffered before buffered bytes count against the limit
    /// on unfinished requests. Starts at [`CALL_BUFFER_BYTES`].
    free_bytes: usize,
    counted: Option<RequestBytes>,
    call: Option<Arc<Call>>,
}

/// One reader of the body.
struct BodyReader {
    shared: Arc<Mutex<SharedBody>>,
    number: u32,
    /// The number of buffered chunks that this reader has returned.
    read: usize,
}

impl ReplayableBody {
    /// Wraps the body of the current call's request.
    pub(super) fn new(body: Body) -> Self {
        let buffered = BufferedBytes {
            parts: Vec::new(),
            free_bytes: CALL_BUFFER_BYTES,
            counted: None,
            call: Call::current(),
        };
        Self {
            shared: Arc::new(Mutex::new(SharedBody {
                body,
                is_complete: false,
                buffered: Some(buffered),
                readers: 0,
            })),
        }
    }

    /// Returns a reader from the start of the body, which invalidates earlier readers. Returns
    /// `None` if the start was not buffered because it exceeded the limit.
    pub(super) fn reader(&self) -> Option<Body> {
        let mut shared = self.shared.lock();
        shared.buffered.as_ref()?;
        shared.readers += 1;
        Some(Body::new(BodyReader {
            shared: Arc::clone(&self.shared),
            number: shared.readers,
            read: 0,
        }))
    }

    /// Stops buffering. The current reader becomes the last one.
    pub(super) fn stop_buffering(&self) {
        self.shared.lock().buffered = None;
    }
}

impl BufferedBytes {
    /// Buffers bytes, and returns `false` if they exceed the limit.
    fn push(&mut self, bytes: &Bytes) -> bool {
        let beyond = bytes.len().saturating_sub(self.free_bytes);
        self.free_bytes = self.free_bytes.saturating_sub(bytes.len());
        let has_capacity = match (beyond, &mut self.counted, &self.call) {
            (0, ..) => true,
            (_, Some(counted), _) => counted.grow(beyond).is_ok(),
            (_, None, Some(call)) => {
                self.counted = call.request_bytes(beyond).ok();
                self.counted.is_some()
            }
            (_, None, None) => false,
        };
        if has_capacity {
            self.parts.push(bytes.clone());
        }
        has_capacity
    }
}

impl http_body::Body for BodyReader {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        let shared = &mut *this.shared.lock();
        if shared.readers != this.number {
            return Poll::Ready(Some(Err(Status::cancelled(
                "the request body was already forwarded to another server",
            ))));
        }
        let part = shared.buffered.as_ref().and_then(|buffered| buffered.parts.get(this.read));
        if let Some(part) = part {
            this.read += 1;
            return Poll::Ready(Some(Ok(Frame::data(part.clone()))));
        }
        if shared.is_complete {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut shared.body).poll_frame(context));
        match &frame {
            None => shared.is_complete = true,
            Some(Ok(frame)) => {
                if let (Some(bytes), Some(buffered)) = (frame.data_ref(), &mut shared.buffered) {
                    this.read += 1;
                    if !buffered.push(bytes) {
                        shared.buffered = None;
                    }
                }
            }
            // After an error, the body cannot be read to its end again.
            Some(Err(_)) => shared.buffered = None,
        }
        Poll::Ready(frame)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use http_body::Body as _;

    use super::*;

    /// Creates a body with these parts.
    fn body(parts: &[&'static [u8]]) -> Body {
        struct Parts(std::collections::VecDeque<Bytes>);
        impl http_body::Body for Parts {
            type Data = Bytes;
            type Error = Status;
            fn poll_frame(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
                Poll::Ready(self.0.pop_front().map(|part| Ok(Frame::data(part))))
            }
        }
        let parts = parts.iter().copied().map(Bytes::from_static);
        Body::new(Parts(parts.collect()))
    }

    async fn next(body: &mut Body) -> Option<Result<Bytes, Status>> {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        frame.map(|frame| frame.map(|frame| frame.into_data().unwrap()))
    }

    async fn all(mut body: Body) -> Vec<Bytes> {
        let mut parts = Vec::new();
        while let Some(part) = next(&mut body).await {
            parts.push(part.unwrap());
        }
        parts
    }

    #[tokio::test]
    async fn a_new_reader_starts_over_and_invalidates_earlier_ones() {
        let request = ReplayableBody::new(body(&[b"a", b"b", b"c"]));
        let mut first = request.reader().unwrap();
        assert_eq!(next(&mut first).await.unwrap().unwrap(), "a");
        let mut second = request.reader().unwrap();
        assert!(next(&mut first).await.unwrap().is_err());
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "a");
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "b");
        assert_eq!(all(request.reader().unwrap()).await, ["a", "b", "c"]);
        assert_eq!(all(request.reader().unwrap()).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn without_buffering_the_reader_continues_and_no_other_is_created() {
        let request = ReplayableBody::new(body(&[b"a", b"b"]));
        let mut reader = request.reader().unwrap();
        assert_eq!(next(&mut reader).await.unwrap().unwrap(), "a");
        request.stop_buffering();
        assert!(request.reader().is_none());
        assert_eq!(all(reader).await, ["b"]);
    }

    #[tokio::test]
    async fn a_request_beyond_the_limit_is_read_once() {
        const LARGE: &[u8] = &[0; CALL_BUFFER_BYTES];
        // Outside of a call no memory can be reserved, so only the free bytes are buffered.
        let request = ReplayableBody::new(body(&[LARGE, b"b", b"c"]));
        let mut first = request.reader().unwrap();
        assert_eq!(next(&mut first).await.unwrap().unwrap().len(), LARGE.len());
        assert!(request.reader().is_some());
        let mut second = request.reader().unwrap();
        assert_eq!(next(&mut second).await.unwrap().unwrap().len(), LARGE.len());
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "b");
        assert!(request.reader().is_none());
        assert_eq!(all(second).await, ["c"]);
    }
}

//! The body of a request that may have to be given to one server after the other.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use http_body::Frame;
use parking_lot::Mutex;
use tonic::{Status, body::Body, codegen::Bytes};

use crate::{
    limits::CALL_BUFFER_BYTES,
    transport::{Call, RequestBytes},
};

/// A request, of which what was read is kept until somebody has taken it.
pub(super) struct Repeatable {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    body: Body,
    is_whole: bool,
    /// What was read; `None` once it needs not be given again, or cannot be.
    kept: Option<Kept>,
    /// Counts those to whom it was given: only the last reads on.
    given: u32,
}

struct Kept {
    parts: Vec<Bytes>,
    /// Bytes that may still come and need not be counted, as every call has room for them.
    room: usize,
    counted: Option<RequestBytes>,
    call: Option<Arc<Call>>,
}

/// The request, as one of those reads it to whom it is given.
struct Given {
    shared: Arc<Mutex<Shared>>,
    number: u32,
    /// Parts of what is kept that it has read.
    read: usize,
}

impl Repeatable {
    /// The body of the request of the call that this task is for.
    pub(super) fn new(body: Body) -> Self {
        let kept = Kept {
            parts: Vec::new(),
            room: CALL_BUFFER_BYTES,
            counted: None,
            call: Call::current(),
        };
        Self {
            shared: Arc::new(Mutex::new(Shared {
                body,
                is_whole: false,
                kept: Some(kept),
                given: 0,
            })),
        }
    }

    /// The request from its beginning. Whoever had it before reads no more of it. `None` when its
    /// beginning is gone, because there was no room for it.
    pub(super) fn give(&self) -> Option<Body> {
        let mut shared = self.shared.lock();
        shared.kept.as_ref()?;
        shared.given += 1;
        Some(Body::new(Given {
            shared: Arc::clone(&self.shared),
            number: shared.given,
            read: 0,
        }))
    }

    /// Whoever has it now has taken it.
    pub(super) fn is_taken(&self) {
        self.shared.lock().kept = None;
    }
}

impl Kept {
    /// Keeps bytes that came, if there is room for them.
    fn keep(&mut self, bytes: &Bytes) -> bool {
        let beyond = bytes.len().saturating_sub(self.room);
        self.room = self.room.saturating_sub(bytes.len());
        let has_room = match (beyond, &mut self.counted, &self.call) {
            (0, ..) => true,
            (_, Some(counted), _) => counted.grow(beyond).is_ok(),
            (_, None, Some(call)) => {
                self.counted = call.request_bytes(beyond).ok();
                self.counted.is_some()
            }
            (_, None, None) => false,
        };
        if has_room {
            self.parts.push(bytes.clone());
        }
        has_room
    }
}

impl http_body::Body for Given {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        let shared = &mut *this.shared.lock();
        if shared.given != this.number {
            return Poll::Ready(Some(Err(Status::cancelled("another server has the call"))));
        }
        let part = shared
            .kept
            .as_ref()
            .and_then(|kept| kept.parts.get(this.read));
        if let Some(part) = part {
            this.read += 1;
            return Poll::Ready(Some(Ok(Frame::data(part.clone()))));
        }
        if shared.is_whole {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut shared.body).poll_frame(context));
        match &frame {
            None => shared.is_whole = true,
            Some(Ok(frame)) => {
                if let (Some(bytes), Some(kept)) = (frame.data_ref(), &mut shared.kept) {
                    this.read += 1;
                    if !kept.keep(bytes) {
                        shared.kept = None;
                    }
                }
            }
            // Nobody gets it whole any more.
            Some(Err(_)) => shared.kept = None,
        }
        Poll::Ready(frame)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use http_body::Body as _;

    use super::*;

    /// A body of these parts.
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
    async fn who_is_given_a_request_reads_it_from_its_beginning_and_nobody_else_on() {
        let request = Repeatable::new(body(&[b"a", b"b", b"c"]));
        let mut first = request.give().unwrap();
        assert_eq!(next(&mut first).await.unwrap().unwrap(), "a");
        let mut second = request.give().unwrap();
        assert!(next(&mut first).await.unwrap().is_err());
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "a");
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "b");
        assert_eq!(all(request.give().unwrap()).await, ["a", "b", "c"]);
        assert_eq!(all(request.give().unwrap()).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_request_that_is_taken_is_read_to_its_end_and_not_given_again() {
        let request = Repeatable::new(body(&[b"a", b"b"]));
        let mut taken = request.give().unwrap();
        assert_eq!(next(&mut taken).await.unwrap().unwrap(), "a");
        request.is_taken();
        assert!(request.give().is_none());
        assert_eq!(all(taken).await, ["b"]);
    }

    #[tokio::test]
    async fn a_request_for_which_there_is_no_room_is_read_once() {
        const LARGE: &[u8] = &[0; CALL_BUFFER_BYTES];
        // Outside of a call nothing is counted, and nothing beyond the room kept.
        let request = Repeatable::new(body(&[LARGE, b"b", b"c"]));
        let mut first = request.give().unwrap();
        assert_eq!(next(&mut first).await.unwrap().unwrap().len(), LARGE.len());
        assert!(request.give().is_some());
        let mut second = request.give().unwrap();
        assert_eq!(next(&mut second).await.unwrap().unwrap().len(), LARGE.len());
        assert_eq!(next(&mut second).await.unwrap().unwrap(), "b");
        assert!(request.give().is_none());
        assert_eq!(all(second).await, ["c"]);
    }
}

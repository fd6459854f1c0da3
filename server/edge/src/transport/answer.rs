//! The body of a response, which is split into small frames.
//!
//! HTTP/2 flow control lets the peer limit how much is sent. But the transport takes a whole frame
//! as soon as the peer accepts its first byte, and buffers the rest. So a large message is passed
//! to the transport as its header of five bytes and then in small pieces. The bytes that were not
//! passed on stay in this body, which can drop them.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Instant,
};

use http_body::{Body as _, Frame};
use parking_lot::{Mutex, MutexGuard};
use tonic::{
    Status,
    body::Body,
    codegen::{Bytes, http::HeaderMap},
};

use crate::limits::SEND_BUFFER_BYTES;

/// The length of a gRPC message's header: the compression flag and the message length.
const MESSAGE_HEADER_BYTES: usize = 5;

/// A call's response, including the bytes that the client has not read.
#[derive(Default)]
pub(super) struct Answer {
    state: Mutex<AnswerState>,
    handed: Arc<UnsentBytes>,
}

#[derive(Default)]
struct AnswerState {
    /// `None` before there is a body, and after the body was dropped.
    body: Option<Body>,
    /// The part of a large frame that was not passed to the transport yet.
    rest: Bytes,
    trailers: Option<HeaderMap>,
    is_over: bool,
}

/// Bytes that were handed to the transport and are not on the wire yet.
#[derive(Default)]
struct UnsentBytes {
    state: Mutex<UnsentBytesState>,
}

#[derive(Default)]
struct UnsentBytesState {
    bytes: usize,
    /// The time since which the client has read nothing: when the first of these bytes was handed
    /// over, or when earlier bytes were last sent.
    since: Option<Instant>,
    waker: Option<Waker>,
}

/// A piece of a response. The transport drops it once the bytes are sent, or can no longer be sent.
struct UnsentPiece {
    bytes: Bytes,
    handed: Arc<UnsentBytes>,
}

impl Answer {
    /// The time since which the client has read nothing; `None` while nothing is unread.
    pub(super) fn unread_since(&self) -> Option<Instant> {
        let handed = self.handed.lock();
        handed.since.filter(|_| handed.bytes > 0)
    }

    /// Drops all bytes that were not handed over. A client that continues to read receives
    /// `status`, with a new time limit for reading it.
    pub(super) fn abort(&self, status: Status) {
        self.handed.lock().since = Some(Instant::now());
        let mut state = self.state();
        let (body, rest) = (state.body.take(), std::mem::take(&mut state.rest));
        state.is_over = true;
        let mut trailers = HeaderMap::new();
        state.trailers = status.add_header(&mut trailers).ok().map(|()| trailers);
        drop(state);
        // Dropped outside the lock, since dropping a stream can notify its match.
        drop((body, rest));
    }

    /// Sets the body to send from now on.
    pub(super) fn set_body(&self, body: Body) {
        self.state().body = Some(body);
    }

    /// Polls the next frame for the transport. `reserve` is called for each frame of the body with
    /// the number of bytes that it uses.
    pub(super) fn poll_frame(
        &self,
        context: &mut Context<'_>,
        reserve: impl Fn(usize),
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut state = self.state();
        loop {
            if !state.rest.is_empty() {
                let len = state.rest.len().min(SEND_BUFFER_BYTES);
                return self.hand_over(state.rest.split_to(len));
            }
            if state.is_over {
                // The end is returned only once the bytes are on the wire. Otherwise the transport
                // would treat the call as complete, and would keep the bytes until the client reads
                // them.
                if self.handed.poll_sent(context).is_pending() {
                    return Poll::Pending;
                }
                let trailers = state.trailers.take();
                return Poll::Ready(trailers.map(|trailers| Ok(Frame::trailers(trailers))));
            }
            let frame = match &mut state.body {
                Some(body) => ready!(Pin::new(body).poll_frame(context)),
                None => None,
            };
            match frame.transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => {
                    // The buffer that contains the frame may be twice as large as the frame.
                    reserve(2 * data.len());
                    state.rest = data;
                    if state.rest.len() > SEND_BUFFER_BYTES {
                        return self.hand_over(state.rest.split_to(MESSAGE_HEADER_BYTES));
                    }
                }
                Some(Err(frame)) => {
                    state.trailers = frame.into_trailers().ok();
                    state.is_over = true;
                }
                None => state.is_over = true,
            }
        }
    }

    /// Returns whether no more frames follow.
    pub(super) fn is_end_stream(&self) -> bool {
        let state = self.state();
        let is_ended = |body: &Body| body.is_end_stream();
        !state.is_over
            && state.rest.is_empty()
            && state.body.as_ref().is_none_or(is_ended)
            && self.handed.lock().bytes == 0
    }

    fn state(&self) -> MutexGuard<'_, AnswerState> {
        self.state.lock()
    }

    fn hand_over(&self, bytes: Bytes) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut handed = self.handed.lock();
        if handed.bytes == 0 {
            handed.since = Some(Instant::now());
        }
        handed.bytes += bytes.len();
        drop(handed);
        let handed = Arc::clone(&self.handed);
        let piece = Bytes::from_owner(UnsentPiece { bytes, handed });
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl UnsentBytes {
    /// Completes when all handed-over bytes are on the wire.
    fn poll_sent(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.bytes == 0 {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, UnsentBytesState> {
        self.state.lock()
    }
}

impl AsRef<[u8]> for UnsentPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for UnsentPiece {
    fn drop(&mut self) {
        let mut state = self.handed.lock();
        state.bytes = state.bytes.saturating_sub(self.bytes.len());
        let waker = if state.bytes == 0 {
            state.waker.take()
        } else {
            state.since = Some(Instant::now());
            None
        };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

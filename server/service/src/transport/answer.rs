//! The answer of one call on its way to the peer, in pieces of a bounded size.
//!
//! HTTP/2 lets the peer say how much it will take. The transport takes a frame from here, waits
//! until the peer has room for the first byte of it, and then keeps the rest in its own buffer. So
//! a large message is handed over as its head of five bytes and then in small pieces; what is not
//! handed over stays here, where it can be let go of.

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

/// Bytes before each gRPC message: whether it is compressed, and its length.
const MESSAGE_HEAD_BYTES: usize = 5;

/// The answer of a call.
#[derive(Default)]
pub(super) struct Answer {
    state: Mutex<State>,
    handed: Arc<Handed>,
}

#[derive(Default)]
struct State {
    /// `None` before there is one, and when it was let go of.
    body: Option<Body>,
    /// Of a large frame, what the transport has not been handed.
    rest: Bytes,
    trailers: Option<HeaderMap>,
    is_over: bool,
}

/// Bytes that the transport was handed and has not put on the wire.
#[derive(Default)]
struct Handed {
    state: Mutex<HandedState>,
}

#[derive(Default)]
struct HandedState {
    bytes: usize,
    /// When the first of them was handed over, or the last before them went out.
    since: Option<Instant>,
    waker: Option<Waker>,
}

/// Some of these bytes; the transport drops them when they are on the wire, or never will be.
struct Piece {
    bytes: Bytes,
    handed: Arc<Handed>,
}

impl Answer {
    /// Since when the peer has taken nothing of what it was handed; `None` while there is nothing.
    pub(super) fn unread_since(&self) -> Option<Instant> {
        let handed = self.handed.state();
        handed.since.filter(|_| handed.bytes > 0)
    }

    /// Lets go of what was not handed over; the peer is told `status` if it reads on, for which it
    /// has as much time again.
    pub(super) fn give_up(&self, status: Status) {
        self.handed.state().since = Some(Instant::now());
        let mut state = self.state();
        let (body, rest) = (state.body.take(), std::mem::take(&mut state.rest));
        state.is_over = true;
        let mut trailers = HeaderMap::new();
        state.trailers = status.add_header(&mut trailers).ok().map(|()| trailers);
        drop(state);
        // Outside of the lock, since a stream may have to tell its match.
        drop((body, rest));
    }

    /// What is sent from now on.
    pub(super) fn set_body(&self, body: Body) {
        self.state().body = Some(body);
    }

    /// The next frame for the transport. `needs_room` is told, for each frame of the body, how many
    /// bytes it takes.
    pub(super) fn poll_frame(
        &self,
        context: &mut Context<'_>,
        needs_room: impl Fn(usize),
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut state = self.state();
        loop {
            if !state.rest.is_empty() {
                let len = state.rest.len().min(SEND_BUFFER_BYTES);
                return self.hand_over(state.rest.split_to(len));
            }
            if state.is_over {
                // Not before the bytes are on the wire: the transport would take the call for
                // done, and keep them for as long as the peer likes.
                if !self.handed.are_out(context) {
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
                    // The buffer that it was written into is at most twice as large.
                    needs_room(2 * data.len());
                    state.rest = data;
                    if state.rest.len() > SEND_BUFFER_BYTES {
                        return self.hand_over(state.rest.split_to(MESSAGE_HEAD_BYTES));
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

    /// Whether no frame is left.
    pub(super) fn is_end_stream(&self) -> bool {
        let state = self.state();
        let is_ended = |body: &Body| body.is_end_stream();
        !state.is_over
            && state.rest.is_empty()
            && state.body.as_ref().is_none_or(is_ended)
            && self.handed.state().bytes == 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn hand_over(&self, bytes: Bytes) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut handed = self.handed.state();
        if handed.bytes == 0 {
            handed.since = Some(Instant::now());
        }
        handed.bytes += bytes.len();
        drop(handed);
        let handed = Arc::clone(&self.handed);
        let piece = Bytes::from_owner(Piece { bytes, handed });
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl Handed {
    /// Whether nothing is handed over that is not on the wire; else the task is woken then.
    fn are_out(&self, context: &Context<'_>) -> bool {
        let mut state = self.state();
        if state.bytes > 0 {
            state.waker = Some(context.waker().clone());
        }
        state.bytes == 0
    }

    fn state(&self) -> MutexGuard<'_, HandedState> {
        self.state.lock()
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut state = self.handed.state();
        state.bytes = state.bytes.saturating_sub(self.bytes.len());
        let waker = match state.bytes {
            0 => state.waker.take(),
            _ => {
                state.since = Some(Instant::now());
                None
            }
        };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

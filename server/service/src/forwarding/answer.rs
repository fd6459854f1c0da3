//! The answer of another server on its way to the caller.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http_body::Frame;
use tonic::{
    Status,
    body::Body,
    codegen::{Bytes, http::HeaderMap},
};

use crate::{metrics::Counted, refusal::Refusal};

/// Bytes before each gRPC message: whether it is compressed, and its length.
const HEAD_BYTES: usize = 5;

/// Completes when the answer has to end, with the reason.
pub(super) type Ends = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// The answer of another server. When that is lost, or this one stops, it ends with a refusal.
pub(super) struct PassedOn {
    body: Body,
    ends: Ends,
    /// How the answer ends when the other server is lost.
    lost: fn() -> Refusal,
    place: Place,
    is_over: bool,
    _counted: Option<Counted>,
}

impl PassedOn {
    pub(super) fn new(
        body: Body,
        ends: Ends,
        lost: fn() -> Refusal,
        counted: Option<Counted>,
    ) -> Self {
        Self {
            body,
            ends,
            lost,
            place: Place::default(),
            is_over: false,
            _counted: counted,
        }
    }

    /// Ends with a refusal: as trailers between two messages, and else as a stream that is lost, since
    /// trailers in the middle of a message would be taken for a defect.
    fn end(&mut self, refusal: Refusal) -> Option<Result<Frame<Bytes>, Status>> {
        self.is_over = true;
        let status = Status::from(refusal);
        if !self.place.is_between_messages() {
            return Some(Err(status));
        }
        let mut trailers = HeaderMap::new();
        let added = status.add_header(&mut trailers);
        Some(added.map(|()| Frame::trailers(trailers)))
    }
}

impl http_body::Body for PassedOn {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            return Poll::Ready(match frame {
                Some(Err(_)) => this.end((this.lost)()),
                frame => {
                    if let Some(Ok(frame)) = &frame
                        && let Some(data) = frame.data_ref()
                    {
                        this.place.pass(data);
                    }
                    frame
                }
            });
        }
        match this.ends.as_mut().poll(context) {
            Poll::Ready(refusal) => Poll::Ready(this.end(refusal)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || self.body.is_end_stream()
    }
}

/// How far a stream of gRPC messages has come.
#[derive(Default)]
struct Place {
    head: Vec<u8>,
    /// Of the message that is under way.
    bytes_left: usize,
}

impl Place {
    fn is_between_messages(&self) -> bool {
        self.head.is_empty() && self.bytes_left == 0
    }

    fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.bytes_left > 0 {
                let passed = self.bytes_left.min(bytes.len());
                self.bytes_left -= passed;
                bytes = &bytes[passed..];
                continue;
            }
            let missing = (HEAD_BYTES - self.head.len()).min(bytes.len());
            self.head.extend(&bytes[..missing]);
            bytes = &bytes[missing..];
            if let [_, a, b, c, d] = self.head[..] {
                let length = u32::from_be_bytes([a, b, c, d]);
                self.bytes_left = usize::try_from(length).unwrap_or(usize::MAX);
                self.head.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_between_messages_is_known_however_they_are_cut() {
        let messages = [0, 0, 0, 0, 3, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7];
        let ends = [8, 13, 19];
        for step in 1..=messages.len() {
            let mut place = Place::default();
            let mut passed = 0;
            for part in messages.chunks(step) {
                place.pass(part);
                passed += part.len();
                let is_between = ends.contains(&passed);
                assert_eq!(
                    place.is_between_messages(),
                    is_between,
                    "{passed} by {step}"
                );
            }
        }
    }
}

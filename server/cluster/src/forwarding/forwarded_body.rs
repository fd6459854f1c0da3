//! Forwards the response body of another server to the caller.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_edge::{metrics::GaugeGuard, refusal::Refusal};
use http_body::Frame;
use tonic::{
    Status,
    body::Body,
    codegen::{Bytes, http::HeaderMap},
};

use super::heartbeat_sender::HeartbeatSender;

/// Length of the prefix of a gRPC message: the compression flag and the message length.
const HEADER_BYTES: usize = 5;

/// A future that completes, with the reason, when the response has to end early.
pub(super) type StopReason = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// The response body of another server. If that server is lost or this one stops, the body ends
/// with a refusal.
pub(super) struct ForwardedBody {
    body: Body,
    stop: StopReason,
    position: MessagePosition,
    is_over: bool,
    _counted: GaugeGuard,
    /// Sends beats to the other server as long as the response lasts.
    _beats: Option<Arc<HeartbeatSender>>,
}

impl ForwardedBody {
    pub(super) fn new(
        body: Body,
        stop: StopReason,
        counted: GaugeGuard,
        beats: Option<Arc<HeartbeatSender>>,
    ) -> Self {
        Self {
            body,
            stop,
            position: MessagePosition::default(),
            is_over: false,
            _counted: counted,
            _beats: beats,
        }
    }

    /// Ends the response with a refusal. Between two messages, the refusal is sent as trailers.
    /// Within a message, the stream is aborted instead, since clients report trailers there as a
    /// protocol error.
    fn end_with_refusal(&mut self, refusal: Refusal) -> Option<Result<Frame<Bytes>, Status>> {
        self.is_over = true;
        let status = Status::from(refusal);
        if !self.position.is_between_messages() {
            return Some(Err(status));
        }
        let mut trailers = HeaderMap::new();
        let added = status.add_header(&mut trailers);
        Some(added.map(|()| Frame::trailers(trailers)))
    }
}

impl http_body::Body for ForwardedBody {
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
                Some(Err(_)) => this.end_with_refusal(Refusal::node_lost()),
                frame => {
                    if let Some(Ok(frame)) = &frame
                        && let Some(data) = frame.data_ref()
                    {
                        this.position.advance(data);
                    }
                    frame
                }
            });
        }
        match this.stop.as_mut().poll(context) {
            Poll::Ready(refusal) => Poll::Ready(this.end_with_refusal(refusal)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || self.body.is_end_stream()
    }
}

/// The position in a stream of gRPC messages.
#[derive(Default)]
struct MessagePosition {
    head: Vec<u8>,
    /// Bytes of the current message that have not been forwarded yet.
    bytes_left: usize,
}

impl MessagePosition {
    fn is_between_messages(&self) -> bool {
        self.head.is_empty() && self.bytes_left == 0
    }

    fn advance(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.bytes_left > 0 {
                let skipped = self.bytes_left.min(bytes.len());
                self.bytes_left -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            let missing = (HEADER_BYTES - self.head.len()).min(bytes.len());
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
    fn message_boundaries_are_found_in_any_chunking() {
        let messages = [0, 0, 0, 0, 3, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7];
        let ends = [8, 13, 19];
        for step in 1..=messages.len() {
            let mut position = MessagePosition::default();
            let mut skipped = 0;
            for part in messages.chunks(step) {
                position.advance(part);
                skipped += part.len();
                let is_between = ends.contains(&skipped);
                assert_eq!(position.is_between_messages(), is_between, "{skipped} by {step}");
            }
        }
    }
}

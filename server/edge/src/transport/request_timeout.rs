//! Ends calls whose requests do not arrive in time.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bridgemaster_proto::v1::RefusalReason;
use http_body::Frame;
use tokio::time::{Sleep, sleep};
use tonic::{
    Status,
    body::Body,
    codegen::{Bytes, http},
};
use tower::ServiceExt as _;

use super::{Call, RequestBytes, calls::Calls};
use crate::{limits::CALL_BUFFER_BYTES, refusal::Refusal};

/// The services and methods that receive streams of requests, which arrive one by one.
const REQUEST_STREAMS: [&str; 3] = [
    "/bridgemaster.v1.PlayService/",
    "/bridgemaster.v1.RulesService/OpenSession",
    "/bridgemaster.internal.v1.ForwardingService/",
];

/// Limits the time in which the whole request of a call has to arrive. An unfinished request
/// occupies a stream and counts against the limit on unfinished requests, so it must not stay
/// unfinished forever.
pub fn with_arrival_timeout<S: Calls>(services: S, limit: Duration) -> impl Calls {
    services.map_request(move |request: http::Request<Body>| {
        if REQUEST_STREAMS.iter().any(|path| request.uri().path().starts_with(path)) {
            return request;
        }
        request.map(|body| awaited_body(body, limit))
    })
}

/// Limits the time in which a request body has to arrive, and counts its bytes against the limit on
/// unfinished requests until the returned body is dropped.
pub fn awaited_body(body: Body, limit: Duration) -> Body {
    Body::new(AwaitedBody {
        body,
        until: Box::pin(sleep(limit)),
        limit,
        uncounted: CALL_BUFFER_BYTES,
        counted: None,
    })
}

/// A request body that must be complete within a time limit.
struct AwaitedBody {
    body: Body,
    until: Pin<Box<Sleep>>,
    limit: Duration,
    /// The number of bytes that can still arrive without counting against the limit on unfinished
    /// requests.
    uncounted: usize,
    /// The permit for further bytes.
    counted: Option<RequestBytes>,
}

impl AwaitedBody {
    fn count_bytes(&mut self, bytes: usize) -> Result<(), Refusal> {
        let beyond = bytes.saturating_sub(self.uncounted);
        self.uncounted = self.uncounted.saturating_sub(bytes);
        if beyond == 0 {
            return Ok(());
        }
        match (&mut self.counted, Call::current()) {
            (Some(counted), _) => counted.grow(beyond),
            (None, Some(call)) => {
                self.counted = Some(call.request_bytes(beyond)?);
                Ok(())
            }
            // Without a call, which happens only in tests, no bytes are counted.
            (None, None) => Ok(()),
        }
    }
}

impl http_body::Body for AwaitedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if frame.is_pending() && self.until.as_mut().poll(context).is_ready() {
            let time_ms = self.limit.as_millis();
            let late = Refusal::new(
                RefusalReason::LimitReached,
                format!("the request was incomplete after {time_ms} ms (limit hello_time); send it again"),
            )
            .with("limit", "hello_time")
            .with("value", time_ms.to_string());
            return Poll::Ready(Some(Err(late.into())));
        }
        if let Poll::Ready(None) = &frame
            && let Some(call) = Call::current()
        {
            call.mark_request_complete();
        }
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(refusal) = self.count_bytes(data.len())
        {
            return Poll::Ready(Some(Err(refusal.into())));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

//! Ends calls whose request does not arrive in time.

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
    codegen::{Bytes, Service, http},
    server::NamedService,
};

use crate::{
    limits::CALL_BUFFER_BYTES,
    refusal::Refusal,
    transport::{Call, RequestBytes},
};

/// The one method here whose request is a stream.
const OPEN_SESSION: &str = "/bridgemaster.v1.RulesService/OpenSession";

/// A middleware: the whole request of a call must arrive within a time limit, and its bytes count
/// until then. Otherwise a caller could announce a request, never send all of it, and hold a stream
/// and its bytes for ever.
#[derive(Clone, Debug)]
pub(crate) struct RequestTimeout<S> {
    service: S,
    time: Duration,
}

impl<S> RequestTimeout<S> {
    /// `service` with this time limit for requests.
    pub(crate) fn new(service: S, time: Duration) -> Self {
        Self { service, time }
    }
}

impl<S: NamedService> NamedService for RequestTimeout<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<http::Request<Body>>> Service<http::Request<Body>> for RequestTimeout<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> S::Future {
        let time = self.time;
        // Its requests come one by one; each is answered before the next is read.
        if request.uri().path() == OPEN_SESSION {
            return self.service.call(request);
        }
        self.service.call(request.map(|body| {
            Body::new(AwaitedBody {
                body,
                until: Box::pin(sleep(time)),
                time,
                room: CALL_BUFFER_BYTES,
                counted: None,
            })
        }))
    }
}

/// The body of a request that has to be there in time.
struct AwaitedBody {
    body: Body,
    until: Pin<Box<Sleep>>,
    time: Duration,
    /// Bytes that may still come and need not be counted.
    room: usize,
    /// The others.
    counted: Option<RequestBytes>,
}

impl AwaitedBody {
    /// Counts bytes that came.
    fn count(&mut self, bytes: usize) -> Result<(), Refusal> {
        let beyond = bytes.saturating_sub(self.room);
        self.room = self.room.saturating_sub(bytes);
        if beyond == 0 {
            return Ok(());
        }
        match (&mut self.counted, Call::current()) {
            (Some(counted), _) => counted.grow(beyond),
            (None, Some(call)) => {
                self.counted = Some(call.request_bytes(beyond)?);
                Ok(())
            }
            // A task that serves no call is one of a test.
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
            let time_ms = self.time.as_millis();
            let late = Refusal::new(
                RefusalReason::LimitReached,
                format!("the request was not there within {time_ms} ms, the limit hello_time"),
            )
            .with("limit", "hello_time")
            .with("value", time_ms.to_string());
            return Poll::Ready(Some(Err(late.into())));
        }
        if let Poll::Ready(None) = &frame
            && let Some(call) = Call::current()
        {
            call.request_is_whole();
        }
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(refusal) = self.count(data.len())
        {
            return Poll::Ready(Some(Err(refusal.into())));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

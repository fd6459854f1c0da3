//! Ends calls whose request does not come.

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

use crate::refusal::Refusal;

/// A service whose requests have to be there in full within a certain time. Without it a caller
/// that announces a request and never sends it would hold a stream for ever.
#[derive(Clone, Debug)]
pub(crate) struct PromptRequests<S> {
    service: S,
    time: Duration,
}

impl<S> PromptRequests<S> {
    /// `service`, whose requests have this time.
    pub(crate) fn new(service: S, time: Duration) -> Self {
        Self { service, time }
    }
}

impl<S: NamedService> NamedService for PromptRequests<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<http::Request<Body>>> Service<http::Request<Body>> for PromptRequests<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> S::Future {
        let time = self.time;
        self.service.call(request.map(|body| {
            Body::new(AwaitedBody {
                body,
                until: Box::pin(sleep(time)),
                time,
            })
        }))
    }
}

/// The body of a request that has to be there in time.
struct AwaitedBody {
    body: Body,
    until: Pin<Box<Sleep>>,
    time: Duration,
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
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

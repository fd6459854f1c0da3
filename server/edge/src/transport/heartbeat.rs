//! Heartbeats on streams of updates. Proxies close a response that is silent for a minute, so an
//! empty message is sent instead of silence.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use http_body::Frame;
use tokio::time::{Instant, Sleep, sleep};
use tonic::{
    Status,
    body::Body,
    codegen::{Bytes, http},
};
use tower::service_fn;

use super::{calls::Calls, serving::is_update_stream};

/// An empty gRPC message: its header, which states no compression and a length of 0.
const HEARTBEAT: &[u8] = &[0; 5];

/// Sends a heartbeat whenever a stream of updates was silent for `interval`. Other streams have
/// their own messages for this purpose, such as Ping.
pub fn with_heartbeats<S: Calls>(services: S, interval: Duration) -> impl Calls {
    service_fn(move |request: http::Request<Body>| {
        let is_stream = is_update_stream(request.uri().path());
        let answering = services.clone().call(request);
        async move {
            let response = answering.await?;
            // A refusal has its status in the headers, and no body.
            if !is_stream || response.headers().contains_key(Status::GRPC_STATUS) {
                return Ok(response);
            }
            let timer = Box::pin(sleep(interval));
            let body = |body| Body::new(HeartbeatBody { body, timer, interval });
            Ok::<_, Infallible>(response.map(body))
        }
    })
}

/// A response body whose frames are whole messages, with heartbeats between them.
struct HeartbeatBody {
    body: Body,
    timer: Pin<Box<Sleep>>,
    interval: Duration,
}

impl http_body::Body for HeartbeatBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => {
                ready!(self.timer.as_mut().poll(context));
                Some(Ok(Frame::data(Bytes::from_static(HEARTBEAT))))
            }
            Poll::Ready(frame) => frame,
        };
        let due = Instant::now() + self.interval;
        self.timer.as_mut().reset(due);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use http_body::Body as _;

    use super::*;

    #[tokio::test]
    async fn a_silent_body_sends_an_empty_message_each_interval() {
        let interval = Duration::from_millis(1);
        let update = Bytes::from_static(b"\0\0\0\0\x01a");
        let silent = async_stream::stream! {
            yield Ok::<_, Status>(update.clone());
            std::future::pending::<()>().await;
        };
        let body = Body::new(axum::body::Body::from_stream(silent));
        let mut body = HeartbeatBody { body, timer: Box::pin(sleep(interval)), interval };
        let mut sent = Vec::new();
        while sent.len() < 3 {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            sent.push(frame.unwrap().unwrap().into_data().unwrap());
        }
        let expected: [&[u8]; 3] = [b"\0\0\0\0\x01a", HEARTBEAT, HEARTBEAT];
        assert_eq!(sent, expected);
    }
}

//! Heartbeats on streams of updates. Proxies close a response that is silent for a minute, so an
//! empty message is sent instead of silence.

use std::{convert::Infallible, time::Duration};

use async_stream::stream;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use tokio::time::timeout;
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
            Ok::<_, Infallible>(response.map(|body| body_with_heartbeats(body, interval)))
        }
    })
}

/// Adds heartbeats to a response body whose frames are whole messages.
fn body_with_heartbeats(mut body: Body, interval: Duration) -> Body {
    Body::new(StreamBody::new(stream! {
        loop {
            match timeout(interval, body.frame()).await {
                Ok(Some(frame)) => yield frame,
                Ok(None) => return,
                Err(_) => yield Ok::<_, Status>(Frame::data(Bytes::from_static(HEARTBEAT))),
            }
        }
    }))
}

#[cfg(test)]
mod tests {
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
        let mut body = body_with_heartbeats(body, interval);
        let mut sent = Vec::new();
        while sent.len() < 3 {
            let frame = body.frame().await.unwrap();
            sent.push(frame.unwrap().into_data().unwrap());
        }
        let expected: [&[u8]; 3] = [b"\0\0\0\0\x01a", HEARTBEAT, HEARTBEAT];
        assert_eq!(sent, expected);
    }
}

//! Sends heartbeats ("beats") to the nodes to which this node forwards bot streams.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use async_stream::stream;
use bridgemaster_edge::transport::BEAT_INTERVAL;
use http_body::Frame;
use http_body_util::StreamBody;
use parking_lot::Mutex;
use tokio::{select, task::yield_now, time::sleep};
use tokio_util::sync::CancellationToken;
use tonic::{
    Status,
    body::Body,
    codegen::{
        Bytes,
        http::{self, HeaderMap, header},
    },
    transport::Channel,
};
use tower::ServiceExt as _;
use tracing::debug;

use super::heartbeat_service::SEND_BEATS;

/// An empty gRPC message.
const BEAT: &[u8] = &[0; 5];
/// The pause before a failed call is retried.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// The time for which beats continue after the last stream has ended. They prove to the other node
/// that this node still runs, and therefore that the bot ended the stream.
const LINGER_TIME: Duration = Duration::from_secs(2);
/// The time for which the sender waits for the other node to read the end of the beats.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The nodes to which beats are sent, by address.
#[derive(Default)]
pub(super) struct HeartbeatSenders {
    by_address: Mutex<HashMap<String, Weak<HeartbeatSender>>>,
}

/// Sends beats to a node until the last clone is dropped.
pub(super) struct HeartbeatSender {
    unused: CancellationToken,
}

impl HeartbeatSenders {
    /// Returns the sender of beats to the node at `address`, and starts one over `channel` if there
    /// is none. `metadata` authenticates this node. Cancelling `stopping` ends the beats early,
    /// because all streams end then.
    pub(super) fn get_or_start(
        &self,
        address: &str,
        channel: impl FnOnce() -> Option<Channel>,
        metadata: HeaderMap,
        stopping: CancellationToken,
    ) -> Option<Arc<HeartbeatSender>> {
        let mut by_address = self.by_address.lock();
        if let Some(sender) = by_address.get(address).and_then(Weak::upgrade) {
            return Some(sender);
        }
        let sender = Arc::new(HeartbeatSender { unused: CancellationToken::new() });
        let (channel, unused) = (channel()?, sender.unused.clone());
        tokio::spawn(async move {
            let ended = CancellationToken::new();
            let end = async {
                unused.cancelled().await;
                sleep(LINGER_TIME).await;
                ended.cancel();
                sleep(END_TIMEOUT).await;
            };
            select! {
                () = send_beats(channel, metadata, &ended) => {}
                () = end => {}
                () = stopping.cancelled() => {}
            }
        });
        by_address.retain(|_, sender| sender.strong_count() > 0);
        by_address.insert(address.to_owned(), Arc::downgrade(&sender));
        Some(sender)
    }
}

impl Drop for HeartbeatSender {
    fn drop(&mut self) {
        self.unused.cancel();
    }
}

/// Sends beats until `ended` completes. If the call ends earlier, it is retried.
async fn send_beats(channel: Channel, mut metadata: HeaderMap, ended: &CancellationToken) {
    let value = http::HeaderValue::from_static;
    metadata.insert(header::CONTENT_TYPE, value("application/grpc"));
    metadata.insert(header::TE, value("trailers"));
    while !ended.is_cancelled() {
        let mut request = http::Request::new(heartbeat_body(ended.clone()));
        *request.method_mut() = http::Method::POST;
        *request.version_mut() = http::Version::HTTP_2;
        *request.uri_mut() = http::Uri::from_static(SEND_BEATS);
        request.headers_mut().clone_from(&metadata);
        match channel.clone().oneshot(request).await {
            Ok(response) => {
                let status = Status::from_header_map(response.headers());
                debug!(?status, "another node ended the heartbeat stream");
            }
            Err(error) => debug!(%error, "cannot send heartbeats to another node"),
        }
        sleep(RETRY_PAUSE).await;
    }
}

/// Returns the request body of a heartbeat call: beats until `ended` is cancelled.
fn heartbeat_body(ended: CancellationToken) -> Body {
    Body::new(StreamBody::new(stream! {
        let mut due_in = Duration::ZERO;
        while ended.run_until_cancelled(sleep(due_in)).await.is_some() {
            // A bot's message waits for all tasks that are ready, so a beat has to wait for them
            // too.
            yield_now().await;
            due_in = BEAT_INTERVAL;
            yield Ok::<_, Status>(Frame::data(Bytes::from_static(BEAT)));
        }
    }))
}

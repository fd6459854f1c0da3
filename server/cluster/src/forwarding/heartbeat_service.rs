//! Receives the beats of nodes that forward calls to this one. An internal service, which only
//! nodes of the cluster can call.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bridgemaster_edge::{
    lifecycle::Lifecycle,
    transport::{Call, ConnectionInfo, ConnectionSlots},
};
use http_body_util::BodyExt as _;
use tokio::select;
use tonic::{
    Status,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::NamedService,
};
use tracing::warn;

/// The path of the method. The request is a stream of empty messages, one per beat.
pub(super) const SEND_BEATS: &str = "/bridgemaster.internal.v1.ForwardingService/SendBeats";
/// The minimum delay of a beat that is logged as a warning.
const WARN_LAG_THRESHOLD: Duration = Duration::from_millis(100);

/// The service that receives beats.
#[derive(Clone)]
pub struct HeartbeatService {
    lifecycle: Arc<Lifecycle>,
    slots: Arc<ConnectionSlots>,
}

impl HeartbeatService {
    /// Creates a service whose streams end with the server's `lifecycle`. Connections that carry
    /// beats are not evicted from `slots`.
    pub fn new(lifecycle: Arc<Lifecycle>, slots: Arc<ConnectionSlots>) -> Self {
        Self { lifecycle, slots }
    }

    /// Receives beats until the sender ends the call or this server stops. Returns the status of
    /// the call.
    async fn receive(self, request: http::Request<Body>) -> Status {
        let connection = request.extensions().get::<ConnectionInfo>();
        let node = connection.and_then(|connection| connection.forwarding_node.clone());
        let (Some(node), Some(connection), SEND_BEATS) = (node, connection, request.uri().path())
        else {
            return Status::unimplemented("unknown method");
        };
        let peer = connection.peer;
        // The connection is not evicted, since a lost connection would look like a dead node.
        let _protection = self.slots.protect(peer, node.protection_mark(), None);
        if let Some(call) = Call::current() {
            // Beats are received even if the server has no free slot for another stream.
            let _ = call.mark_bot_stream();
        }
        let stopping = self.lifecycle.stop_token();
        let mut beats = request.into_body();
        loop {
            select! {
                () = stopping.cancelled() => return self.lifecycle.stop_refusal().into(),
                () = node.until_lost() => return Status::unavailable("the node was silent"),
                beat = beats.frame() => match beat {
                    Some(Ok(_)) => {
                        let lag = node.record_beat();
                        if lag >= WARN_LAG_THRESHOLD {
                            let lag_ms = lag.as_millis() as u64;
                            warn!(%peer, lag_ms, "a heartbeat from a forwarding node was late");
                        }
                    }
                    Some(Err(status)) => return status,
                    None => {
                        node.record_rest();
                        return Status::ok("");
                    }
                },
            }
        }
    }
}

impl NamedService for HeartbeatService {
    const NAME: &'static str = "bridgemaster.internal.v1.ForwardingService";
}

impl Service<http::Request<Body>> for HeartbeatService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let receiving = self.clone().receive(request);
        Box::pin(async move { Ok(receiving.await.into_http()) })
    }
}

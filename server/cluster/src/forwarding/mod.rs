//! Forwards calls to the node that can answer them, so that callers can use any node.
//!
//! A call is first answered locally. If the refusal names another node, the call is forwarded to
//! that node with the same metadata and body, and the response is returned to the caller. Messages
//! are neither decoded nor encoded. A server never forwards a call that was forwarded to it, so
//! calls cannot loop.
//!
//! While a server forwards bot streams, it also sends heartbeats ("beats") to the other server.
//! Late beats show that the forwarding is slow, not the bot.

mod forwarded_body;
mod heartbeat_sender;
mod heartbeat_service;
mod node_credential;
mod peer_check;
mod remote_lists;
mod replayable_body;

use std::{
    convert::Infallible,
    net::Ipv4Addr,
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_edge::{
    lifecycle::Lifecycle,
    limits::{FORWARD_WINDOW_BYTES, Limits, MAX_METADATA_BYTES},
    metrics::Metrics,
    random::system_bytes,
    refusal::{FORWARD_TO_HEADER, Refusal},
    transport::{Call, ConnectionInfo},
};
use tonic::{
    Status,
    body::Body,
    codegen::{
        BoxFuture, Service,
        http::{self, HeaderMap, HeaderValue, Version, header, request::Parts},
    },
    transport::{Channel, Endpoint},
};
use tower::ServiceExt as _;
use tracing::{debug, warn};

pub use heartbeat_service::HeartbeatService;
pub(crate) use node_credential::FORWARDED_HEADER;
pub use node_credential::NodeCredential;
pub use remote_lists::ListCaller;

use self::{
    forwarded_body::ForwardedBody,
    heartbeat_sender::{HeartbeatSender, HeartbeatSenders},
    node_credential::FORWARDING_NODE_HEADER,
    replayable_body::ReplayableBody,
};
use crate::Cluster;

/// The maximum number of nodes that are tried for one call. Two are needed if a match moves to
/// another node while the call is forwarded.
const MAX_FORWARD_HOPS: usize = 3;
/// The method that opens a seat stream. The stream counts as an ordinary call until its ticket is
/// known.
const WATCH_SEAT_PATH: &str = "/bridgemaster.v1.SeatService/WatchSeat";
/// The methods whose streams carry decision requests, which have deadlines.
const BOT_STREAMS: [&str; 3] =
    ["/bridgemaster.v1.PlayService/Play", WATCH_SEAT_PATH, "/bridgemaster.v1.LobbyService/Attend"];

/// Creates the endpoint of a node from its address `HOST:PORT`, with TLS if the cluster uses it.
pub type NodeConnector = Arc<dyn Fn(&str) -> Result<Endpoint, String> + Send + Sync>;

/// Forwards calls to other servers.
pub struct Forwarder {
    connector: NodeConnector,
    credential: Arc<NodeCredential>,
    limits: Limits,
    metrics: Arc<Metrics>,
    lifecycle: Arc<Lifecycle>,
    cluster: Arc<Cluster>,
    /// Random identifier of this process, sent with forwarded calls.
    id: HeaderValue,
    beats: HeartbeatSenders,
}

/// Middleware that forwards refused calls to the nodes that the refusals name.
#[derive(Clone)]
pub struct Forwarding<S> {
    services: S,
    /// `None` if there are no other nodes.
    forwarder: Option<Arc<Forwarder>>,
}

impl<S> Forwarding<S> {
    /// Wraps `services`, and forwards the calls that they refuse with the name of another node.
    pub fn new(services: S, forwarder: Option<Arc<Forwarder>>) -> Self {
        Self { services, forwarder }
    }
}

impl<S> Service<http::Request<Body>> for Forwarding<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.services.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let connection = request.extensions().get::<ConnectionInfo>();
        let of_caller = connection.filter(|connection| !connection.is_forwarded).cloned();
        let Some((forwarder, connection)) = self.forwarder.clone().zip(of_caller) else {
            return Box::pin(self.services.call(request));
        };
        let (parts, body) = request.into_parts();
        let request = ReplayableBody::new(body);
        // No part of the body has been read yet.
        let reader = request.reader().unwrap_or_default();
        let local = self.services.call(http::Request::from_parts(parts.clone(), reader));
        Box::pin(async move {
            let response = local.await?;
            match forward_to(response.headers()) {
                None => {
                    request.stop_buffering();
                    Ok(response)
                }
                Some(address) => Ok(forwarder.forward(address, parts, request, connection).await),
            }
        })
    }
}

impl Forwarder {
    /// Creates a forwarder that connects with `connector` and authenticates with the credential of
    /// the cluster. Forwarded streams end with the server's `lifecycle`.
    pub fn new(
        connector: NodeConnector,
        credential: Arc<NodeCredential>,
        cluster: Arc<Cluster>,
        limits: Limits,
        metrics: Arc<Metrics>,
        lifecycle: Arc<Lifecycle>,
    ) -> Self {
        Self {
            connector,
            credential,
            limits,
            metrics,
            lifecycle,
            cluster,
            id: u64::from_be_bytes(system_bytes()).into(),
            beats: HeartbeatSenders::default(),
        }
    }

    /// Returns the credential with which the nodes of the cluster authenticate each other.
    pub fn credential(&self) -> &Arc<NodeCredential> {
        &self.credential
    }

    /// Forwards a call to the node at `address`. If that node refuses the call and names another
    /// node, the call is forwarded there, up to [`MAX_FORWARD_HOPS`] nodes in all.
    async fn forward(
        &self,
        mut address: String,
        parts: Parts,
        request: ReplayableBody,
        connection: ConnectionInfo,
    ) -> http::Response<Body> {
        if let Err(refusal) = count_as_seat_stream(&parts) {
            return Status::from(refusal).into_http();
        }
        let is_bot_stream = BOT_STREAMS.contains(&parts.uri.path());
        // A draining server opens no forwarded stream: the stream would end when this server stops,
        // and the bot would have to reconnect.
        if is_bot_stream && self.lifecycle.is_draining() {
            return Status::from(Refusal::stopping()).into_http();
        }
        let Some(mut head) = self.forwarded_head(parts, &connection) else {
            return Status::from(Refusal::node_lost()).into_http();
        };
        if is_bot_stream {
            let id = self.id.clone();
            head.headers.insert(FORWARDING_NODE_HEADER, id);
        }
        for _ in 0..MAX_FORWARD_HOPS {
            let beats = if is_bot_stream { self.beats_to(&address) } else { None };
            let response = match (self.channel(&address, &connection), request.reader()) {
                (Some(channel), Some(body)) => {
                    self.send_request(
                        channel,
                        http::Request::from_parts(head.clone(), body),
                        &address,
                    )
                    .await
                }
                _ => None,
            };
            let Some(response) = response else {
                return Status::from(Refusal::node_lost()).into_http();
            };
            match forward_to(response.headers()) {
                Some(next) => address = next,
                None => {
                    request.stop_buffering();
                    return self.forwarded_response(response, beats);
                }
            }
        }
        Status::from(Refusal::node_lost()).into_http()
    }

    /// Returns the request head to send to another server.
    fn forwarded_head(&self, mut parts: Parts, connection: &ConnectionInfo) -> Option<Parts> {
        let address = connection.peer.ip().to_canonical();
        let value = self.credential.header_value(address, connection.round_trip.reported_us())?;
        parts.headers.insert(FORWARDED_HEADER, value);
        // Only this server may set its identifier.
        parts.headers.remove(FORWARDING_NODE_HEADER);
        // A call of a browser can arrive over HTTP/1.1, which sends the address as a header.
        parts.headers.remove(header::HOST);
        parts.version = Version::HTTP_2;
        parts.extensions = http::Extensions::new();
        Some(parts)
    }

    /// Returns the channel to a server for this caller's connection.
    fn channel(&self, address: &str, connection: &ConnectionInfo) -> Option<Channel> {
        let open = || (self.connector)(address).map(|endpoint| self.connect_lazily(endpoint));
        let channel = connection.forward_channels.get_or_open(address, open);
        channel
            .inspect_err(|problem| warn!(address, problem, "cannot connect to another node"))
            .ok()
    }

    fn connect_lazily(&self, endpoint: Endpoint) -> Channel {
        let limits = &self.limits;
        // A caller that does not read its response must not block other callers on the same
        // connection.
        let windows = limits
            .streams_per_connection
            .saturating_mul(FORWARD_WINDOW_BYTES)
            .clamp(FORWARD_WINDOW_BYTES, i32::MAX.unsigned_abs());
        endpoint
            .connect_timeout(limits.hello_time)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(limits.keepalive)
            .keep_alive_timeout(limits.keepalive)
            .initial_stream_window_size(FORWARD_WINDOW_BYTES)
            .initial_connection_window_size(windows)
            .http2_max_header_list_size(MAX_METADATA_BYTES)
            .connect_lazy()
    }

    /// Sends a request. Returns the response, or `None` if the connection to the server is lost.
    async fn send_request(
        &self,
        channel: Channel,
        request: http::Request<Body>,
        address: &str,
    ) -> Option<http::Response<Body>> {
        let response = channel.oneshot(request).await;
        response.inspect_err(|error| debug!(%error, address, "another node did not answer")).ok()
    }

    /// Returns the sender of beats to a server.
    fn beats_to(&self, address: &str) -> Option<Arc<HeartbeatSender>> {
        let channel = || {
            let endpoint = (self.connector)(address).ok()?;
            Some(self.connect_lazily(endpoint))
        };
        let mut metadata = HeaderMap::new();
        // Beats belong to no caller, so they share one address.
        let caller = Ipv4Addr::UNSPECIFIED.into();
        let credential = self.credential.header_value(caller, None)?;
        metadata.insert(FORWARDED_HEADER, credential);
        metadata.insert(FORWARDING_NODE_HEADER, self.id.clone());
        let stopping = self.lifecycle.stop_token();
        self.beats.get_or_start(address, channel, metadata, stopping)
    }

    fn forwarded_response(
        &self,
        response: http::Response<Body>,
        beats: Option<Arc<HeartbeatSender>>,
    ) -> http::Response<Body> {
        let lifecycle = Arc::clone(&self.lifecycle);
        let stopping = lifecycle.stop_token();
        let counted = self.metrics.forwarded_call();
        let stop = Box::pin(async move {
            stopping.cancelled().await;
            lifecycle.stop_refusal()
        });
        response.map(|body| Body::new(ForwardedBody::new(body, stop, counted, beats)))
    }
}

/// Counts a forwarded seat stream as a bot stream on this server too.
fn count_as_seat_stream(parts: &Parts) -> Result<(), Refusal> {
    match Call::current() {
        Some(call) if parts.uri.path() == WATCH_SEAT_PATH => call.mark_bot_stream(),
        _ => Ok(()),
    }
}

/// Returns the address of the node that a refusal names.
fn forward_to(head: &HeaderMap) -> Option<String> {
    let address = head.get(FORWARD_TO_HEADER)?;
    address.to_str().ok().map(str::to_owned)
}

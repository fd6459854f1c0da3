//! Calls that another server has the answer to are passed on to it, where callers cannot reach it
//! themselves.
//!
//! A call is first answered here. Where the answer is `MOVED`, the call goes to the server that it
//! names, with its metadata and all its bytes as they came, and the answer comes back the same way.
//! No message is read or written anew. The other server answers a call that was passed on by itself
//! alone, so that calls do not go round in circles.

mod answer;
mod node_pass;
mod repeatable;

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_proto::v1::RefusalReason;
use tonic::{
    Status,
    body::Body,
    codegen::{
        BoxFuture, Service,
        http::{self, HeaderMap, Version, header, request::Parts},
    },
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;
use tracing::{debug, warn};

pub(crate) use node_pass::{NodePass, PASSED_ON};

use self::{answer::PassedOn, repeatable::Repeatable};
use crate::{
    hosting::Matches,
    limits::{FORWARD_WINDOW_BYTES, MAX_METADATA_BYTES},
    refusal::{Refusal, reason_name},
    transport::{Call, ConnectionInfo},
};

/// Most servers that a call is passed on to: a match may move meanwhile, and the next one knows better.
const MOST_SERVERS: usize = 3;
/// A stream of a seat that counts as a call until its ticket is known.
const WATCH_SEAT: &str = "/bridgemaster.v1.SeatService/WatchSeat";

/// How a server is reached: its address HOST:PORT as an endpoint, with TLS where that is used.
pub type Dial = Arc<dyn Fn(&str) -> Result<Endpoint, String> + Send + Sync>;

/// The way to other servers.
pub(crate) struct ToOthers {
    dial: Dial,
    pass: Arc<NodePass>,
    matches: Arc<Matches>,
}

/// A middleware: passes calls on to the servers that their answers name.
#[derive(Clone)]
pub(crate) struct Forwarding<S> {
    services: S,
    /// `None` where callers go there themselves.
    to_others: Option<Arc<ToOthers>>,
}

impl<S> Forwarding<S> {
    pub(crate) fn new(services: S, to_others: Option<Arc<ToOthers>>) -> Self {
        Self {
            services,
            to_others,
        }
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
        let of_caller = connection
            .filter(|connection| !connection.is_passed_on)
            .cloned();
        let Some((to_others, connection)) = self.to_others.clone().zip(of_caller) else {
            return Box::pin(self.services.call(request));
        };
        let (parts, body) = request.into_parts();
        let request = Repeatable::new(body);
        // Nothing of it was read.
        let given = request.give().unwrap_or_default();
        let here = self
            .services
            .call(http::Request::from_parts(parts.clone(), given));
        Box::pin(async move {
            let answered = here.await?;
            match moved_to(answered.headers()) {
                None => {
                    request.is_taken();
                    Ok(answered)
                }
                Some(address) => Ok(to_others.follow(address, parts, request, connection).await),
            }
        })
    }
}

impl ToOthers {
    /// The way to the servers that are reached so.
    pub(crate) fn new(dial: Dial, pass: Arc<NodePass>, matches: Arc<Matches>) -> Self {
        Self {
            dial,
            pass,
            matches,
        }
    }

    /// Passes a call on to the server at `address`, and to where that sends it.
    async fn follow(
        &self,
        mut address: String,
        parts: Parts,
        request: Repeatable,
        connection: ConnectionInfo,
    ) -> http::Response<Body> {
        if let Err(refusal) = counted_as_seat(&parts) {
            return Status::from(refusal).into_http();
        }
        let Some(head) = self.head(parts, &connection) else {
            return Status::from(lost()).into_http();
        };
        for _ in 0..MOST_SERVERS {
            let answered = match (self.line(&address, &connection), request.give()) {
                (Some(line), Some(body)) => {
                    self.ask(
                        line,
                        http::Request::from_parts(head.clone(), body),
                        &address,
                    )
                    .await
                }
                _ => None,
            };
            let Some(answered) = answered else {
                return Status::from(lost()).into_http();
            };
            match moved_to(answered.headers()) {
                Some(next) => address = next,
                None => {
                    request.is_taken();
                    return self.passed_on(answered);
                }
            }
        }
        Status::from(lost()).into_http()
    }

    /// The head of a call for another server.
    fn head(&self, mut parts: Parts, connection: &ConnectionInfo) -> Option<Parts> {
        let address = connection.peer.ip().to_canonical();
        let told = self.pass.told(address, &connection.round_trip)?;
        parts.headers.insert(PASSED_ON, told);
        // A browser's call may have come over HTTP/1.1, in which the address is metadata.
        parts.headers.remove(header::HOST);
        parts.version = Version::HTTP_2;
        parts.extensions = http::Extensions::new();
        Some(parts)
    }

    /// The connection to a server that belongs to the caller's.
    fn line(&self, address: &str, connection: &ConnectionInfo) -> Option<Channel> {
        let open = || (self.dial)(address).map(|endpoint| self.opened(endpoint));
        let line = connection.lines.to(address, open);
        line.inspect_err(|problem| warn!(address, problem, "a server cannot be called"))
            .ok()
    }

    fn opened(&self, endpoint: Endpoint) -> Channel {
        let limits = self.matches.limits();
        // What one caller does not read must not keep the others of the connection from reading.
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

    /// The answer of a server; `None` if it is lost.
    async fn ask(
        &self,
        mut line: Channel,
        request: http::Request<Body>,
        address: &str,
    ) -> Option<http::Response<Body>> {
        let answered = async {
            std::future::poll_fn(|context| line.poll_ready(context)).await?;
            line.call(request).await
        };
        let answered = answered.await;
        answered
            .inspect_err(|error| debug!(%error, address, "a server did not answer"))
            .ok()
    }

    fn passed_on(&self, answered: http::Response<Body>) -> http::Response<Body> {
        let matches = Arc::clone(&self.matches);
        let stopping = matches.lifecycle().stopping();
        let counted = matches.metrics().forwarded_call();
        let ends = Box::pin(async move {
            stopping.cancelled().await;
            matches.stop_refusal()
        });
        answered.map(|body| Body::new(PassedOn::new(body, ends, lost, counted)))
    }
}

/// Has a stream of a seat counted as the stream of a bot here too.
fn counted_as_seat(parts: &Parts) -> Result<(), Refusal> {
    match Call::current() {
        Some(call) if parts.uri.path() == WATCH_SEAT => call.is_stream_of_known_caller(),
        _ => Ok(()),
    }
}

/// Where a refusal sends the caller.
fn moved_to(head: &HeaderMap) -> Option<String> {
    // Before all details are read: most answers have no status in their heads.
    head.get(Status::GRPC_STATUS)?;
    let status = Status::from_header_map(head)?;
    let mut info = status.get_details_error_info()?;
    (info.reason == reason_name(RefusalReason::Moved))
        .then(|| info.metadata.remove("address"))
        .flatten()
}

/// The refusal of what a server has that is not there.
fn lost() -> Refusal {
    Refusal::new(
        RefusalReason::NodeSuperseded,
        "the server that has this is gone or does not answer, and another one takes over; try again",
    )
}

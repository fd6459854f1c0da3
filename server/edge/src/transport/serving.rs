//! Serves HTTP/2 on connections, and dispatches each call to the services.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::{Arc, Once},
    task::{Context, Poll, ready},
    time::Instant,
};

use bridgemaster_proto::v1::{
    ladder_service_server, lobby_service_server, match_service_server, play_service_server,
    rules_service_server, seat_service_server,
};
use bridgemaster_store::KeyId;
use http_body::Frame;
use hyper::{body::Incoming, rt::Executor, server::conn::http2};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    select,
    time::{Sleep, sleep_until},
};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{
    Status,
    body::Body,
    codegen::{
        Bytes, Service,
        http::{HeaderMap, Request, Response},
    },
    transport::server::Connected as _,
};
use tower::ServiceExt as _;
use tracing::debug;

use super::{
    call::{CURRENT_CALL, Call, CallKind, ConnectionContext},
    connection::{Connection, ConnectionInfo},
    connection_slots::ConnectionSlots,
    fair_queue::QueuePlace,
    forwarding_node::ReadForwardedCall,
    quotas::Quotas,
};
use crate::limits::{Limits, MAX_METADATA_BYTES, SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES};

/// Reads the API key from a call's metadata, if the key is one of the server's.
pub(crate) type ReadKey = Arc<dyn Fn(&HeaderMap) -> Option<KeyId> + Send + Sync>;

/// Functions that read a call's metadata before any memory is allocated for the call.
#[derive(Clone)]
pub struct MetadataReaders {
    /// Reads the key of a caller.
    pub key: ReadKey,
    /// Reads the origin of a forwarded call.
    pub forwarded_call: ReadForwardedCall,
}

/// Serves the calls of `connections` until `stopped` completes and all calls in progress have
/// ended.
pub async fn serve<S, B>(
    connections: impl Stream<Item = Connection>,
    services: S,
    readers: MetadataReaders,
    quotas: Arc<Quotas>,
    stopped: impl Future<Output = ()>,
) where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes, Error = Status> + Send + 'static,
{
    let limits = &quotas.limits;
    let graceful = GracefulShutdown::new();
    {
        let mut connections = pin!(connections);
        let mut stopped = pin!(stopped);
        loop {
            let mut connection = select! {
                biased;
                () = &mut stopped => break,
                accepted = connections.next() => match accepted {
                    Some(connection) => connection,
                    None => break,
                },
            };
            let info = connection.connect_info();
            let context = ConnectionContext::new(&quotas, connection.origin());
            connection.coalesce_for(Arc::clone(context.open_calls()));
            let calls = ConnectionCalls {
                services: services.clone(),
                readers: readers.clone(),
                info,
                slots: Arc::clone(connection.slots()),
                caller_known: Once::new(),
            };
            let served =
                http2_builder(limits, context).serve_connection(TokioIo::new(connection), calls);
            let served = graceful.watch(served);
            tokio::spawn(async move {
                if let Err(error) = served.await {
                    debug!(%error, "connection failed");
                }
            });
        }
    }
    graceful.shutdown().await;
}

/// Configures HTTP/2 for one connection.
fn http2_builder(limits: &Limits, context: Arc<ConnectionContext>) -> http2::Builder<CallTasks> {
    let mut builder = http2::Builder::new(CallTasks::new(context));
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(limits.connection_window_bytes())
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_header_list_size(MAX_METADATA_BYTES)
        .max_concurrent_streams(limits.streams_per_connection)
        .keep_alive_interval(limits.keepalive)
        .keep_alive_timeout(limits.keepalive);
    builder
}

struct ConnectionCalls<S> {
    services: S,
    readers: MetadataReaders,
    info: ConnectionInfo,
    slots: Arc<ConnectionSlots>,
    /// Executed at the first forwarded call. A node forwards the calls of only one caller on each
    /// connection.
    caller_known: Once,
}

impl<S, B> hyper::service::Service<Request<Incoming>> for ConnectionCalls<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes, Error = Status> + Send + 'static,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let services = self.services.clone();
        let key = (self.readers.key)(request.headers());
        let forwarded_call = (self.readers.forwarded_call)(request.headers());
        let mut info = self.info.clone();
        if let Some(forwarded_call) = forwarded_call {
            info = info.forwarded(forwarded_call);
            let (peer, origin) = (info.peer, info.origin);
            self.caller_known.call_once(|| self.slots.count_for(peer, origin));
        }
        let (origin, is_forwarded) = (info.origin, info.is_forwarded);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(info);
        // The code below runs in the call's task, which starts after this function returns.
        Box::pin(async move {
            let call = CURRENT_CALL.get();
            if is_forwarded {
                call.set_origin(origin);
            }
            let response = match call.start(call_kind(request.uri().path()), key) {
                Ok(()) => services.oneshot(request).await?.map(Body::new),
                Err(refusal) => Status::from(refusal).into_http(),
            };
            call.mark_request_complete();
            Ok(response.map(|body| AnswerBody::new(call, body)))
        })
    }
}

/// Returns a call's kind, which its path determines.
pub(super) fn call_kind(path: &str) -> CallKind {
    let mut parts = path.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some(play_service_server::SERVICE_NAME), Some("Play")) => CallKind::BotStream,
        (Some(rules_service_server::SERVICE_NAME), Some("OpenSession"))
        // `WatchSeat` counts as an ordinary call until its ticket is known.
        | (Some(seat_service_server::SERVICE_NAME), Some("WatchSeat")) => CallKind::Watch,
        _ if is_update_stream(path) => CallKind::Watch,
        _ => CallKind::Other,
    }
}

/// Returns whether the response of a method is a stream of updates.
pub(super) fn is_update_stream(path: &str) -> bool {
    let mut parts = path.split('/').skip(1);
    matches!(
        (parts.next(), parts.next()),
        (
            Some(match_service_server::SERVICE_NAME),
            Some("WatchMatch" | "WatchMatches" | "WatchPositions")
        ) | (Some(lobby_service_server::SERVICE_NAME), Some("Attend" | "WatchQueue"))
            | (Some(ladder_service_server::SERVICE_NAME), Some("WatchLadder"))
    )
}

/// Spawns a task for each of a connection's calls.
#[derive(Clone)]
pub(super) struct CallTasks {
    context: Arc<ConnectionContext>,
}

impl CallTasks {
    /// Creates an executor for one connection's calls.
    pub(super) fn new(context: Arc<ConnectionContext>) -> Self {
        Self { context }
    }
}

impl<F> Executor<F> for CallTasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, exchange: F) {
        let call = Call::new(Arc::clone(&self.context));
        let task = CallTask {
            exchange: Box::pin(exchange),
            call: Arc::clone(&call),
            place: self.context.queue_place(),
            timer: None,
            is_aborted: false,
        };
        let running = tokio::spawn(CURRENT_CALL.scope(Arc::clone(&call), task));
        call.set_task(running.abort_handle());
    }
}

/// One exchange of request and response. A response that is not read in time is aborted. If the
/// client does not read the error either, the exchange is dropped, which resets the stream.
struct CallTask<F> {
    exchange: Pin<Box<F>>,
    call: Arc<Call>,
    place: QueuePlace,
    /// The timer for unread bytes. It is not stopped when the bytes are read, so it can fire once
    /// without effect.
    timer: Option<Pin<Box<Sleep>>>,
    is_aborted: bool,
}

impl<F: Future<Output = ()>> Future for CallTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let _permit =
            if this.call.is_bot_stream() { None } else { Some(ready!(this.place.poll(context))) };
        if this.exchange.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        loop {
            let timer = match &mut this.timer {
                Some(timer) => timer,
                None => match this.call.read_deadline() {
                    Some(due) => this.timer.insert(Box::pin(sleep_until(due.into()))),
                    None => return Poll::Pending,
                },
            };
            ready!(timer.as_mut().poll(context));
            this.timer = None;
            if this.call.read_deadline().is_none_or(|due| due > Instant::now()) {
                continue;
            }
            if this.is_aborted {
                return Poll::Ready(());
            }
            this.is_aborted = true;
            this.call.abort_unread();
            // The exchange is polled so that it finds out that its response was aborted.
            if this.exchange.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
        }
    }
}

/// A call's response, which releases the call's permits that the response does not need.
pub(super) struct AnswerBody {
    call: Arc<Call>,
}

impl AnswerBody {
    pub(super) fn new(call: Arc<Call>, body: Body) -> Self {
        call.answer.set_body(body);
        Self { call }
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let call = &self.call;
        call.answer.poll_frame(context, |bytes| call.shrink_answer(bytes))
    }

    fn is_end_stream(&self) -> bool {
        self.call.answer.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_updates_belong_to_spectators() {
        for path in [
            "/bridgemaster.v1.MatchService/WatchMatch",
            "/bridgemaster.v1.MatchService/WatchMatches",
            "/bridgemaster.v1.MatchService/WatchPositions",
            "/bridgemaster.v1.LobbyService/Attend",
            "/bridgemaster.v1.LobbyService/WatchQueue",
            "/bridgemaster.v1.LadderService/WatchLadder",
        ] {
            assert_eq!(call_kind(path), CallKind::Watch, "{path}");
        }
        assert_eq!(call_kind("/bridgemaster.v1.LadderService/GetLadder"), CallKind::Other);
        assert_eq!(call_kind("/bridgemaster.v1.PlayService/Play"), CallKind::BotStream);
    }
}

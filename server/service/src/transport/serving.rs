//! Speaks HTTP/2 on connections, and hands each call to the services.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use bridgemaster_proto::v1::{
    ladder_service_server, lobby_service_server, match_service_server, play_service_server,
    rules_service_server, seat_service_server,
};
use bridgemaster_store::KeyId;
use hyper::{body::Incoming, rt::Executor, server::conn::http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    select,
    time::{Sleep, sleep_until},
};
use tokio_stream::{Stream, StreamExt as _};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{
    Status,
    body::Body,
    codegen::{
        Bytes, Service,
        http::{HeaderMap, Request, Response},
    },
    transport::server::Connected as _,
};
use tracing::debug;

use super::{
    allowances::Allowances,
    answer_body::AnswerBody,
    call::{CURRENT, Call, CallKind, ConnectionShare},
    connection::{Connection, ConnectionInfo},
    hop::ShownHop,
    turns::InLine,
};
use crate::limits::{Limits, MAX_METADATA_BYTES, SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES};

/// Tells the key that a call shows in its metadata, if it is one of the server's.
pub(crate) type ShownKey = Arc<dyn Fn(&HeaderMap) -> Option<KeyId> + Send + Sync>;

/// What is told by the metadata of a call before anything is kept for it.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) key: ShownKey,
    pub(crate) hop: ShownHop,
}

/// Serves the calls of connections until `stopped` completes, and then until those in progress
/// have ended.
pub(crate) async fn serve<S, B>(
    connections: impl Stream<Item = Connection>,
    services: S,
    shown: Shown,
    allowances: Arc<Allowances>,
    stopped: impl Future<Output = ()>,
) where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes, Error = Status> + Send + 'static,
{
    let limits = &allowances.limits;
    let stopping = CancellationToken::new();
    let serving = TaskTracker::new();
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
            let share = ConnectionShare::new(&allowances, connection.origin());
            connection.gathers_for(Arc::clone(share.open_calls()));
            let caller = ConnectionCalls {
                services: services.clone(),
                shown: shown.clone(),
                info,
            };
            let served = builder(limits, share).serve_connection(TokioIo::new(connection), caller);
            let stopping = stopping.clone();
            serving.spawn(async move {
                let mut served = pin!(served);
                let ended = select! {
                    ended = &mut served => ended,
                    () = stopping.cancelled() => {
                        served.as_mut().graceful_shutdown();
                        served.await
                    }
                };
                if let Err(error) = ended {
                    debug!(%error, "a connection failed");
                }
            });
        }
    }
    stopping.cancel();
    serving.close();
    serving.wait().await;
}

/// How HTTP/2 is spoken on one connection.
fn builder(limits: &Limits, share: Arc<ConnectionShare>) -> http2::Builder<CallTasks> {
    let mut builder = http2::Builder::new(CallTasks::new(share));
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
    shown: Shown,
    info: ConnectionInfo,
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
        let key = (self.shown.key)(request.headers());
        let hop = (self.shown.hop)(request.headers());
        let mut info = self.info.clone();
        if let Some(hop) = hop {
            info = info.passed_on(hop);
        }
        let origin = info.origin;
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(info);
        // The task of the call, in which all of this runs, is begun only after this returns.
        Box::pin(async move {
            let call = CURRENT.get();
            if hop.is_some() {
                call.comes_from(origin);
            }
            let response = match call.begin(kind(request.uri().path()), key) {
                Ok(()) => call_ready(services, request).await?.map(Body::new),
                Err(refusal) => Status::from(refusal).into_http(),
            };
            call.request_is_whole();
            Ok(response.map(|body| AnswerBody::new(call, body)))
        })
    }
}

pub(super) async fn call_ready<S, R>(
    mut services: S,
    request: Request<Body>,
) -> Result<R, Infallible>
where
    S: Service<Request<Body>, Response = R, Error = Infallible>,
{
    std::future::poll_fn(|context| services.poll_ready(context)).await?;
    services.call(request).await
}

/// What a call of this path is for.
pub(super) fn kind(path: &str) -> CallKind {
    let mut parts = path.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some(play_service_server::SERVICE_NAME), Some("Play")) => CallKind::BotStream,
        (Some(match_service_server::SERVICE_NAME), Some("WatchMatch" | "WatchPositions"))
        | (Some(lobby_service_server::SERVICE_NAME), Some("Attend" | "WatchQueue"))
        | (Some(ladder_service_server::SERVICE_NAME), Some("WatchLadder"))
        | (Some(rules_service_server::SERVICE_NAME), Some("OpenSession"))
        // Until its ticket is known.
        | (Some(seat_service_server::SERVICE_NAME), Some("WatchSeat")) => {
            CallKind::Watch
        }
        _ => CallKind::Other,
    }
}

/// Starts the task of each call of a connection.
#[derive(Clone)]
pub(super) struct CallTasks {
    share: Arc<ConnectionShare>,
}

impl CallTasks {
    /// For calls that share a connection.
    pub(super) fn new(share: Arc<ConnectionShare>) -> Self {
        Self { share }
    }
}

impl<F> Executor<F> for CallTasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, exchange: F) {
        let call = Call::new(Arc::clone(&self.share));
        let task = CallTask {
            exchange: Box::pin(exchange),
            call: Arc::clone(&call),
            in_line: self.share.in_line(),
            timer: None,
            is_given_up: false,
        };
        let running = tokio::spawn(CURRENT.scope(Arc::clone(&call), task));
        call.is_done_by(running.abort_handle());
    }
}

/// One exchange of request and answer. When the answer is not read in time it is let go of, and
/// when even the reason is not read the stream is reset, which dropping the exchange does.
struct CallTask<F> {
    exchange: Pin<Box<F>>,
    call: Arc<Call>,
    in_line: InLine,
    /// Runs while something is unread, and until then for a while.
    timer: Option<Pin<Box<Sleep>>>,
    is_given_up: bool,
}

impl<F: Future<Output = ()>> Future for CallTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let _turn = match this.call.is_of_bot() {
            true => None,
            false => Some(ready!(this.in_line.poll(context))),
        };
        if this.exchange.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        loop {
            let timer = match &mut this.timer {
                Some(timer) => timer,
                None => match this.call.read_by() {
                    Some(due) => this.timer.insert(Box::pin(sleep_until(due.into()))),
                    None => return Poll::Pending,
                },
            };
            ready!(timer.as_mut().poll(context));
            this.timer = None;
            if this.call.read_by().is_none_or(|due| due > Instant::now()) {
                continue;
            }
            if this.is_given_up {
                return Poll::Ready(());
            }
            this.is_given_up = true;
            this.call.give_up();
            // It takes note that the answer is another one.
            if this.exchange.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_news_is_one_of_a_spectator() {
        for path in [
            "/bridgemaster.v1.MatchService/WatchMatch",
            "/bridgemaster.v1.MatchService/WatchPositions",
            "/bridgemaster.v1.LobbyService/Attend",
            "/bridgemaster.v1.LobbyService/WatchQueue",
            "/bridgemaster.v1.LadderService/WatchLadder",
        ] {
            assert_eq!(kind(path), CallKind::Watch, "{path}");
        }
        assert_eq!(
            kind("/bridgemaster.v1.LadderService/GetLadder"),
            CallKind::Other
        );
        assert_eq!(
            kind("/bridgemaster.v1.PlayService/Play"),
            CallKind::BotStream
        );
    }
}

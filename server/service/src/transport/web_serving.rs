//! Speaks HTTP/1.1 and HTTP/2 on connections of browsers. Each request is a call that counts as one
//! of the server's own port does.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::{Arc, OnceLock},
};

use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{select, task::AbortHandle};
use tokio_stream::{Stream, StreamExt as _};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{
    Status,
    body::Body,
    codegen::{
        Service,
        http::{HeaderValue, Request, Response, header},
    },
    transport::server::Connected as _,
};
use tracing::debug;

use super::{
    allowances::Allowances,
    answer_body::AnswerBody,
    call::{CURRENT, Call, ConnectionShare},
    connection::{Connection, ConnectionInfo},
    serving::{CallTasks, ShownKey, call_ready, kind},
    turns::InTurns,
};
use crate::limits::{
    Limits, MAX_METADATA_BYTES, PAGE_BUFFER_BYTES, SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES,
};

/// The type of a refusal of a call, as gRPC-Web has it.
const GRPC_WEB: HeaderValue = HeaderValue::from_static("application/grpc-web+proto");

/// Serves the requests of connections until `stopped` is cancelled, and then until those in progress
/// are answered.
pub(crate) async fn serve_web<S>(
    connections: impl Stream<Item = Connection>,
    page: S,
    shown_key: ShownKey,
    allowances: Arc<Allowances>,
    stopped: CancellationToken,
) where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    let serving = TaskTracker::new();
    let mut connections = pin!(connections);
    while let Some(Some(connection)) = stopped.run_until_cancelled(connections.next()).await {
        let share = ConnectionShare::new(&allowances, connection.origin());
        let task = Arc::new(OnceLock::new());
        let requests = WebRequests {
            page: page.clone(),
            shown_key: Arc::clone(&shown_key),
            info: connection.connect_info(),
            share: Arc::clone(&share),
            task: Arc::clone(&task),
        };
        let in_line = share.in_line();
        let builder = builder(&allowances.limits, share);
        let stopped = stopped.clone();
        let serve = async move {
            let served = builder.serve_connection(TokioIo::new(connection), requests);
            let mut served = pin!(served);
            let ended = select! {
                ended = &mut served => ended,
                () = stopped.cancelled() => {
                    served.as_mut().graceful_shutdown();
                    served.await
                }
            };
            if let Err(error) = ended {
                debug!(error, "a connection of a browser failed");
            }
        };
        let served = serving.spawn(InTurns::new(in_line, serve));
        // Set once, here.
        let _ = task.set(served.abort_handle());
    }
    serving.close();
    serving.wait().await;
}

/// How HTTP is spoken on one connection.
fn builder(limits: &Limits, share: Arc<ConnectionShare>) -> auto::Builder<CallTasks> {
    let mut builder = auto::Builder::new(CallTasks::new(share));
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.hello_time)
        .max_buf_size(PAGE_BUFFER_BYTES);
    builder
        .http2()
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

struct WebRequests<S> {
    page: S,
    shown_key: ShownKey,
    info: ConnectionInfo,
    share: Arc<ConnectionShare>,
    /// The task of the connection.
    task: Arc<OnceLock<AbortHandle>>,
}

impl<S> WebRequests<S> {
    /// The call that a request is: with HTTP/2 that of its task, and else one of the connection,
    /// which has one at a time and ends with it.
    fn call_of_request(&self) -> Arc<Call> {
        Call::current().unwrap_or_else(|| {
            let call = Call::new(Arc::clone(&self.share));
            if let Some(task) = self.task.get() {
                call.is_done_by(task.clone());
            }
            call
        })
    }
}

impl<S> hyper::service::Service<Request<Incoming>> for WebRequests<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let page = self.page.clone();
        let call = self.call_of_request();
        let key = (self.shown_key)(request.headers());
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(self.info.clone());
        let kind = kind(request.uri().path());
        let answering = async move {
            let call = CURRENT.get();
            let response = match call.begin(kind, key) {
                Ok(()) => call_ready(page, request).await?,
                Err(refusal) => {
                    let mut refused = Status::from(refusal).into_http();
                    refused.headers_mut().insert(header::CONTENT_TYPE, GRPC_WEB);
                    refused
                }
            };
            call.request_is_whole();
            Ok(response.map(|body| AnswerBody::new(call, body)))
        };
        Box::pin(CURRENT.scope(call, answering))
    }
}

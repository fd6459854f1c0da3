//! Serves HTTP/1.1 and HTTP/2 on connections of browsers. Each request is a call, with the same
//! quotas as on the server's own port.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::{Arc, OnceLock},
};

use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use tokio::task::AbortHandle;
use tokio_stream::{Stream, StreamExt as _};
use tokio_util::sync::CancellationToken;
use tonic::{
    Status,
    body::Body,
    codegen::http::{HeaderValue, Request, Response, header},
    transport::server::Connected as _,
};
use tower::ServiceExt as _;
use tracing::debug;

use super::{
    call::{CURRENT_CALL, Call, ConnectionContext},
    calls::Calls,
    connection::{Connection, ConnectionInfo},
    fair_queue::FairlyPolled,
    quotas::Quotas,
    serving::{AnswerBody, CallTasks, ReadKey, call_kind},
};
use crate::limits::{
    Limits, MAX_METADATA_BYTES, PAGE_BUFFER_BYTES, SEND_BUFFER_BYTES, STREAM_WINDOW_BYTES,
};

/// The content type of a gRPC-Web refusal.
const GRPC_WEB_CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/grpc-web+proto");

/// Serves the requests of `connections` until `stopped` is cancelled and all requests in progress
/// have ended.
pub async fn serve_web(
    connections: impl Stream<Item = Connection>,
    page: impl Calls,
    read_key: ReadKey,
    quotas: Arc<Quotas>,
    stopped: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    let mut connections = pin!(connections);
    while let Some(Some(connection)) = stopped.run_until_cancelled(connections.next()).await {
        let context = ConnectionContext::new(&quotas, connection.origin());
        let task = Arc::new(OnceLock::new());
        let requests = WebRequests {
            page: page.clone(),
            read_key: Arc::clone(&read_key),
            info: connection.connect_info(),
            context: Arc::clone(&context),
            task: Arc::clone(&task),
        };
        let place = context.queue_place();
        let builder = http_builder(&quotas.limits, context);
        let served = builder.serve_connection(TokioIo::new(connection), requests);
        let served = graceful.watch(served.into_owned());
        let serve = async move {
            if let Err(error) = served.await {
                debug!(error, "browser connection failed");
            }
        };
        let served = tokio::spawn(FairlyPolled::new(place, serve));
        // Setting the handle cannot fail, since it is set only here.
        let _ = task.set(served.abort_handle());
    }
    graceful.shutdown().await;
}

/// Configures HTTP for one connection.
fn http_builder(limits: &Limits, context: Arc<ConnectionContext>) -> auto::Builder<CallTasks> {
    let mut builder = auto::Builder::new(CallTasks::new(context));
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
    read_key: ReadKey,
    info: ConnectionInfo,
    context: Arc<ConnectionContext>,
    /// The connection's task.
    task: Arc<OnceLock<AbortHandle>>,
}

impl<S> WebRequests<S> {
    /// Returns the call to which a request belongs. With HTTP/2 this is the call of the current
    /// task. With HTTP/1.1 a new call is created; its task is that of the connection, which serves
    /// one request at a time.
    fn call_of_request(&self) -> Arc<Call> {
        Call::current().unwrap_or_else(|| {
            let call = Call::new(Arc::clone(&self.context));
            if let Some(task) = self.task.get() {
                call.set_task(task.clone());
            }
            call
        })
    }
}

impl<S: Calls> hyper::service::Service<Request<Incoming>> for WebRequests<S> {
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let page = self.page.clone();
        let call = self.call_of_request();
        let key = (self.read_key)(request.headers());
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(self.info.clone());
        let kind = call_kind(request.uri().path());
        let answering = async move {
            let call = CURRENT_CALL.get();
            let response = match call.start(kind, key) {
                Ok(()) => page.oneshot(request).await?,
                Err(refusal) => {
                    let mut refused = Status::from(refusal).into_http();
                    refused.headers_mut().insert(header::CONTENT_TYPE, GRPC_WEB_CONTENT_TYPE);
                    refused
                }
            };
            call.mark_request_complete();
            Ok(response.map(|body| AnswerBody::new(call, body)))
        };
        Box::pin(CURRENT_CALL.scope(call, answering))
    }
}

//! The web page, which has a separate listener. The listener serves static files, gRPC-Web calls
//! from browsers, and uploads of replay files, all from one origin. Requests from other origins are
//! refused.

mod access;
mod local;
mod reply;
mod upload;

use std::{convert::Infallible, sync::Arc, time::Instant};

use bridgemaster_edge::{
    identity::Authenticator,
    limits::Limits,
    transport::{Call, CallerId, Calls, ConnectionInfo, Origin, TokenBuckets},
};
use bridgemaster_proto::v1::play_service_server;
use tonic::{
    Status,
    body::Body,
    codegen::{
        Bytes, Service,
        http::{Method, Request, Response, StatusCode, header},
    },
};
use tonic_web::GrpcWebLayer;
use tower::{Layer as _, service_fn};

use self::{
    access::{add_organiser_key, follow_link},
    reply::{file_response, text_response, unbuffered, with_security_headers},
};
use crate::services::ReplayVerifier;

pub(crate) use access::OriginGuard;
pub use local::{LocalPage, LocalPages, LocalServer, PageError};

/// The common prefix of gRPC-Web content types.
const GRPC_WEB_CONTENT_TYPE: &str = "application/grpc-web";
/// The path prefixes of all methods: those of the protocol, and those of the health service.
const METHOD_PREFIXES: [&str; 2] = ["/bridgemaster.", "/grpc.health.v1.Health/"];
/// The path to which replay files are uploaded.
const OPEN_REPLAY_PATH: &str = "/open-replay";

/// The kind of a request.
enum RequestKind {
    /// A call that the protocol defines.
    Call,
    /// An upload of a replay file.
    OpenReplay,
    /// A read of a file.
    File,
}

impl RequestKind {
    /// Classifies a request, or returns the status and the text of an error response.
    fn classify(request: &Request<Body>) -> Result<Self, (StatusCode, &'static str)> {
        let (method, path) = (request.method(), request.uri().path());
        let refused = |status, why| Err((status, why));
        let type_of = request.headers().get(header::CONTENT_TYPE);
        let is_web = type_of
            .is_some_and(|value| value.as_bytes().starts_with(GRPC_WEB_CONTENT_TYPE.as_bytes()));
        let is_post = *method == Method::POST;
        if METHOD_PREFIXES.iter().any(|prefix| path.starts_with(prefix)) {
            return match (is_post, is_web, is_play(path)) {
                (true, true, false) => Ok(Self::Call),
                (true, true, true) => refused(
                    StatusCode::NOT_FOUND,
                    "PlayService needs bidirectional streams; bots must use the server's own port",
                ),
                (true, false, _) => refused(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "this port accepts gRPC-Web only; use the server's own port for gRPC",
                ),
                (false, ..) => refused(StatusCode::METHOD_NOT_ALLOWED, "calls must use POST"),
            };
        }
        match (path, is_post) {
            (OPEN_REPLAY_PATH, true) => Ok(Self::OpenReplay),
            (OPEN_REPLAY_PATH, false) => {
                refused(StatusCode::METHOD_NOT_ALLOWED, "uploads must use POST")
            }
            _ if [Method::GET, Method::HEAD].contains(method) => Ok(Self::File),
            _ => refused(StatusCode::METHOD_NOT_ALLOWED, "files support only GET and HEAD"),
        }
    }
}

fn is_play(path: &str) -> bool {
    let service = path.split('/').nth(1);
    service == Some(play_service_server::SERVICE_NAME)
}

/// Returns the page, which forwards calls to the server's services.
pub(crate) fn page<S, B>(services: S, context: PageContext) -> impl Calls
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: http_body::Body<Data = Bytes, Error = Status> + Send + 'static,
{
    let (services, context) = (GrpcWebLayer::new().layer(services), Arc::new(context));
    service_fn(move |request| {
        let (services, context) = (services.clone(), Arc::clone(&context));
        async move {
            let response = context.answer(services, request).await?;
            Ok::<_, Infallible>(with_security_headers(response))
        }
    })
}

const KEY_RATE_EXCEEDED: &str = "the server's limit calls_per_key is reached; retry in a moment";
const ADDRESS_RATE_EXCEEDED: &str =
    "the server's limit calls_per_address is reached; retry in a moment";

/// State that all requests to the page share.
pub(crate) struct PageContext {
    /// Checks the host and the origin of requests.
    pub(crate) guard: OriginGuard,
    pub(crate) authenticator: Authenticator,
    pub(crate) replays: Arc<ReplayVerifier>,
    /// The limit on each address's call rate.
    pub(crate) calls: Arc<TokenBuckets<Option<Origin>>>,
    pub(crate) limits: Limits,
}

impl PageContext {
    async fn answer<S>(
        &self,
        mut services: S,
        mut request: Request<Body>,
    ) -> Result<Response<Body>, Infallible>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        if let Err(why) = self.guard.check(&request) {
            return Ok(text_response(StatusCode::FORBIDDEN, &why.to_string()));
        }
        if let Some(private) = self.authenticator.private_access() {
            if let Some(entered) = follow_link(private, &request) {
                return Ok(entered);
            }
            add_organiser_key(private, &mut request);
        }
        Ok(match RequestKind::classify(&request) {
            Err((status, why)) => text_response(status, why),
            // Calls are rate-limited by the services.
            Ok(RequestKind::Call) => unbuffered(services.call(request).await?),
            Ok(kind) => match (self.debit(&request), kind) {
                (Err(why), _) => text_response(StatusCode::TOO_MANY_REQUESTS, why),
                (Ok(()), RequestKind::OpenReplay) => unbuffered(self.open_replay(request).await),
                (Ok(()), RequestKind::File | RequestKind::Call) => file_response(&request),
            },
        })
    }

    /// Debits a request from its key's rate limit; without a valid key, from its address's rate
    /// limit. Returns the text of the response if the limit is reached.
    fn debit(&self, request: &Request<Body>) -> Result<(), &'static str> {
        let caller = Call::current().map(|call| call.caller_id());
        if let Some(CallerId::Key(key)) = caller {
            let debited = self.authenticator.debit_call(&key);
            return debited.map_err(|_| KEY_RATE_EXCEEDED);
        }
        let connection: Option<&ConnectionInfo> = request.extensions().get();
        let origin = connection.map(|connection| connection.origin);
        let debited = self.calls.debit(origin, Instant::now());
        debited.map_err(|_| ADDRESS_RATE_EXCEEDED)
    }
}

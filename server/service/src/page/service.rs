//! The page as a service: what a request asks for, and who answers it.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
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
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower_layer::Layer as _;

use super::{
    desk::Desk,
    reply::{Refused, file, guarded, text},
};

/// What the types of all forms of gRPC-Web begin with.
const GRPC_WEB: &str = "application/grpc-web";
/// What the paths of all calls of the protocol begin with.
const CALLS: &str = "/bridgemaster.";
/// Where a replay file is opened.
const OPEN_REPLAY: &str = "/open-replay";

/// The page, over the services of the server.
#[derive(Clone)]
pub(crate) struct Page<S> {
    services: GrpcWebService<S>,
    desk: Arc<Desk>,
}

impl<S> Page<S> {
    pub(crate) fn new(services: S, desk: Desk) -> Self {
        Self {
            services: GrpcWebLayer::new().layer(services),
            desk: Arc::new(desk),
        }
    }
}

/// What a request asks for.
enum Asked {
    /// A call of the protocol.
    Call,
    /// To open a replay file.
    OpenReplay,
    /// A file.
    File,
}

impl Asked {
    /// What a request asks for, or why it asks for nothing that there is.
    fn of(request: &Request<Body>) -> Result<Self, Refused> {
        let (method, path) = (request.method(), request.uri().path());
        let refused = |status, why| Err(Refused(status, why));
        let type_of = request.headers().get(header::CONTENT_TYPE);
        let is_web = type_of.is_some_and(|value| value.as_bytes().starts_with(GRPC_WEB.as_bytes()));
        let is_post = *method == Method::POST;
        if path.starts_with(CALLS) {
            return match (is_post, is_web, is_play(path)) {
                (true, true, false) => Ok(Self::Call),
                (true, true, true) => refused(
                    StatusCode::NOT_FOUND,
                    "PlayService needs streams in both directions; bots call the server's own port",
                ),
                (true, false, _) => refused(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "this port takes calls as gRPC-Web alone; other gRPC goes to the server's own",
                ),
                (false, ..) => refused(StatusCode::METHOD_NOT_ALLOWED, "calls are sent with POST"),
            };
        }
        match (path, is_post) {
            (OPEN_REPLAY, true) => Ok(Self::OpenReplay),
            (OPEN_REPLAY, false) => refused(
                StatusCode::METHOD_NOT_ALLOWED,
                "a replay file is sent with POST",
            ),
            _ if [Method::GET, Method::HEAD].contains(method) => Ok(Self::File),
            _ => refused(StatusCode::METHOD_NOT_ALLOWED, "files are read with GET"),
        }
    }
}

fn is_play(path: &str) -> bool {
    let service = path.split('/').nth(1);
    service == Some(play_service_server::SERVICE_NAME)
}

impl<S, B> Service<Request<Body>> for Page<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes, Error = Status> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.services, context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Self { services, desk } = self.clone();
        // The one that was made ready is taken, and its clone stays.
        let mut services = std::mem::replace(&mut self.services, services);
        Box::pin(async move {
            if let Err(why) = desk.guard.check(&request) {
                return Ok(guarded(text(StatusCode::FORBIDDEN, &why.to_string())));
            }
            let response = match Asked::of(&request) {
                Err(refused) => refused.into(),
                // Counts as every call of the services does.
                Ok(Asked::Call) => services.call(request).await?,
                Ok(asked) => match (desk.debit(&request), asked) {
                    (Err(refused), _) => refused.into(),
                    (Ok(()), Asked::OpenReplay) => desk.open_replay(request).await,
                    (Ok(()), Asked::File | Asked::Call) => file(&request),
                },
            };
            Ok(guarded(response))
        })
    }
}

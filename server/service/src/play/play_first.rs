//! Routes calls of `PlayService` past the router, to save overhead per message.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use tonic::{
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::NamedService as _,
    service::Routes,
};

use super::PlayRpc;

/// Passes calls of `PlayService` directly to the service, and all other calls to the router. The
/// router wraps each request and response body, which would add overhead to every message of a bot.
#[derive(Clone)]
pub(crate) struct PlayFirst {
    play: PlayRpc,
    rest: Routes,
}

impl PlayFirst {
    pub(crate) fn new(play: PlayRpc, rest: Routes) -> Self {
        Self {
            play,
            rest: rest.prepare(),
        }
    }
}

impl Service<http::Request<Body>> for PlayFirst {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        let Self { play, rest } = self;
        match play.poll_ready(context) {
            Poll::Ready(Ok(())) => Service::<http::Request<Body>>::poll_ready(rest, context),
            pending => pending,
        }
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let mut parts = request.uri().path().split('/').skip(1);
        match parts.next() {
            Some(PlayRpc::NAME) => self.play.call(request),
            _ => Box::pin(self.rest.call(request)),
        }
    }
}

//! The calls of `PlayService` before all others.

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

use super::Play;

/// Hands the calls of bots to their service, and all others to the rest. The routes of the rest put
/// a body of their own around each request and each response, and every message of a bot would go
/// through them.
#[derive(Clone)]
pub(crate) struct PlayFirst {
    play: Play,
    rest: Routes,
}

impl PlayFirst {
    pub(crate) fn new(play: Play, rest: Routes) -> Self {
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
            Some(Play::NAME) => self.play.call(request),
            _ => Box::pin(self.rest.call(request)),
        }
    }
}

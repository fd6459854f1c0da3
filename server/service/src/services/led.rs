//! Services that the server alone answers that leads those of its database.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use tonic::{
    Status,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::NamedService,
};

use crate::hosting::Matches;

/// A middleware: what spans matches is kept by one server, and the others send callers there.
#[derive(Clone)]
pub(crate) struct Led<S> {
    service: S,
    matches: Arc<Matches>,
}

impl<S> Led<S> {
    /// `service`, where these matches are those of the leader.
    pub(crate) fn new(service: S, matches: Arc<Matches>) -> Self {
        Self { service, matches }
    }
}

impl<S: NamedService> NamedService for Led<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Led<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        if self.matches.leads() {
            return Box::pin(self.service.call(request));
        }
        let matches = Arc::clone(&self.matches);
        let mut service = self.service.clone();
        Box::pin(async move {
            match matches.check_leads().await {
                Ok(()) => service.call(request).await,
                Err(refusal) => Ok(Status::from(refusal).into_http()),
            }
        })
    }
}

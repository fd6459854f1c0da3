//! Restricts services to the leader of a cluster.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_live::Matches;
use tonic::{
    Status,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::NamedService,
};

/// Middleware that forwards calls to the leader, since the state of ladders, queues and groups
/// exists only on the leader.
#[derive(Clone)]
pub(crate) struct LeaderOnly<S> {
    service: S,
    matches: Arc<Matches>,
}

impl<S> LeaderOnly<S> {
    /// Wraps `service`. `matches` are this node's matches, which determine whether this node leads.
    pub(crate) fn new(service: S, matches: Arc<Matches>) -> Self {
        Self { service, matches }
    }
}

impl<S: NamedService> NamedService for LeaderOnly<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for LeaderOnly<S>
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
        if self.matches.is_leader() {
            return Box::pin(self.service.call(request));
        }
        let matches = Arc::clone(&self.matches);
        let mut service = self.service.clone();
        Box::pin(async move {
            match matches.check_leader().await {
                Ok(()) => service.call(request).await,
                Err(refusal) => Ok(Status::from(refusal).into_http()),
            }
        })
    }
}

//! Services that answer calls. Middleware is written as functions from services to services.

use std::convert::Infallible;

use tonic::{
    body::Body,
    codegen::{
        Service,
        http::{Request, Response},
    },
};

/// Services that are always ready, and so need no `poll_ready` before a call. The router of all
/// services is one, and so is each function of the crate `tower`.
pub trait Calls:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>
    + Clone
    + Send
    + 'static
{
}

impl<S> Calls for S
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
{
}

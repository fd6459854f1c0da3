//! Gives a reason to refusals that the transport makes before a service is asked.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bridgemaster_proto::v1::RefusalReason;
use tonic::{
    Code, Status,
    body::Body,
    codegen::{Service, http},
    server::NamedService,
};

use crate::refusal::Refusal;

/// A service of unary calls whose requests are refused with `MALFORMED_MESSAGE` when they cannot
/// be decoded or are over the size limit.
#[derive(Clone, Debug)]
pub(crate) struct NamedReasons<S>(pub(crate) S);

impl<S: NamedService> NamedService for NamedReasons<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for NamedReasons<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future =
        Pin<Box<dyn Future<Output = Result<http::Response<Body>, S::Error>> + Send + 'static>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answering = self.0.call(request);
        Box::pin(async move {
            let response = answering.await?;
            Ok(match malformed(response.headers()) {
                Some(refusal) => Status::from(refusal).into_http(),
                None => response,
            })
        })
    }
}

/// The refusal of a request that could not be read, if that is what the head of a response says.
fn malformed(head: &http::HeaderMap) -> Option<Refusal> {
    let status = Status::from_header_map(head)?;
    // The decoder's codes; a refusal of ours has details, which the decoder's have not.
    let is_decoders = matches!(
        status.code(),
        Code::Internal | Code::OutOfRange | Code::Unimplemented | Code::InvalidArgument
    ) && status.details().is_empty();
    is_decoders.then(|| {
        Refusal::new(
            RefusalReason::MalformedMessage,
            format!("the request cannot be read: {}", status.message()),
        )
    })
}

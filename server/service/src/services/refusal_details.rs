//! Adds our refusal details to errors that the transport returns before a service is called.

use std::{
    future::ready,
    pin::Pin,
    task::{Context, Poll},
};

use bridgemaster_proto::{METHODS, v1::RefusalReason};
use tonic::{
    Code, Status,
    body::Body,
    codegen::{Service, http},
    metadata::MetadataValue,
};

use crate::{limits::MAX_REPEATED_CHARS, refusal::Refusal};

/// Metadata that names the compression of a call.
const ENCODING: &str = "grpc-encoding";
/// Metadata that names the accepted compressions.
const ACCEPT_ENCODING: &str = "grpc-accept-encoding";
/// No compression: the only accepted value. A decision takes under 100 bytes, and decompression
/// could be made to fill the memory with a few messages.
const NOT_COMPRESSED: &str = "identity";

/// A middleware that gives every refusal a reason: for unknown methods, compressed messages, and
/// requests that cannot be decoded or are over the size limit.
#[derive(Clone, Debug)]
pub(crate) struct RefusalDetails<S>(pub(crate) S);

impl<S> Service<http::Request<Body>> for RefusalDetails<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future =
        Pin<Box<dyn Future<Output = Result<http::Response<Body>, S::Error>> + Send + 'static>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        if let Some(refused) = compressed(request.headers()) {
            return Box::pin(ready(Ok(refused.into_http())));
        }
        let method = request.uri().clone();
        let answering = self.0.call(request);
        Box::pin(async move {
            let response = answering.await?;
            Ok(match named(response.headers(), method.path()) {
                Some(refusal) => Status::from(refusal).into_http(),
                None => response,
            })
        })
    }
}

/// The status of a call whose messages are compressed; `None` when they are not.
fn compressed(head: &http::HeaderMap) -> Option<Status> {
    let mut encodings = head.get_all(ENCODING).iter();
    let other = encodings.find(|encoding| encoding.as_bytes() != NOT_COMPRESSED.as_bytes())?;
    let encoding = repeated(&String::from_utf8_lossy(other.as_bytes()));
    let refusal = Refusal::new(
        RefusalReason::CompressionUnsupported,
        format!("messages compressed with {encoding:?} are not taken; send them as they are"),
    );
    let mut status = Status::from(refusal.with("encoding", encoding));
    let taken = MetadataValue::from_static(NOT_COMPRESSED);
    status.metadata_mut().insert(ACCEPT_ENCODING, taken);
    Some(status)
}

/// The refusal that the transport made, if that is what the head of a response says.
fn named(head: &http::HeaderMap, method: &str) -> Option<Refusal> {
    let status = Status::from_header_map(head)?;
    // A refusal of ours has details, which the transport's have not.
    if !status.details().is_empty() {
        return None;
    }
    match status.code() {
        Code::Unimplemented if METHODS.contains(&method) => {
            Some(Refusal::unsupported_method(method))
        }
        Code::Unimplemented => {
            let method = repeated(method);
            let refusal = Refusal::new(
                RefusalReason::MethodUnknown,
                format!("this server has no method {method:?}; reflection lists those it has"),
            );
            Some(refusal.with("method", method))
        }
        Code::Internal | Code::OutOfRange | Code::InvalidArgument => Some(Refusal::new(
            RefusalReason::MalformedMessage,
            format!("the request cannot be read: {}", status.message()),
        )),
        _ => None,
    }
}

/// A client's text, as much of it as a refusal repeats.
fn repeated(text: &str) -> String {
    text.chars().take(MAX_REPEATED_CHARS).collect()
}

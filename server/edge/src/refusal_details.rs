//! Adds error details to refusals that the transport returns before a service is called.

use std::convert::Infallible;

use bridgemaster_proto::{METHODS, v1::RefusalReason};
use tonic::{Code, Status, body::Body, codegen::http, metadata::MetadataValue};
use tower::service_fn;

use crate::{limits::MAX_QUOTED_CHARS, refusal::Refusal, transport::Calls};

/// Metadata key for the compression of a call's messages.
const ENCODING_KEY: &str = "grpc-encoding";
/// Metadata key for the compressions that the server accepts.
const ACCEPT_ENCODING_KEY: &str = "grpc-accept-encoding";
/// The only accepted encoding. A decision takes less than 100 bytes, so compression saves little,
/// and small compressed messages could expand to fill the memory.
const UNCOMPRESSED: &str = "identity";

/// Adds a reason to refusals that have none: for unknown methods, for compressed messages, and for
/// requests that cannot be decoded or are too large.
pub fn with_refusal_details<S: Calls>(services: S) -> impl Calls {
    service_fn(move |request: http::Request<Body>| {
        let mut services = services.clone();
        async move {
            if let Some(refused) = compression_refusal(request.headers()) {
                return Ok(refused.into_http());
            }
            let method = request.uri().clone();
            let response = services.call(request).await?;
            Ok::<_, Infallible>(match refusal_with_reason(response.headers(), method.path()) {
                Some(refusal) => Status::from(refusal).into_http(),
                None => response,
            })
        }
    })
}

/// Returns the status for a call with compressed messages; `None` for a call with uncompressed
/// messages.
fn compression_refusal(head: &http::HeaderMap) -> Option<Status> {
    let mut encodings = head.get_all(ENCODING_KEY).iter();
    let other = encodings.find(|encoding| encoding.as_bytes() != UNCOMPRESSED.as_bytes())?;
    let encoding = truncated(&String::from_utf8_lossy(other.as_bytes()));
    let refusal = Refusal::new(
        RefusalReason::CompressionUnsupported,
        format!("compression {encoding:?} is not supported; send uncompressed messages"),
    );
    let mut status = Status::from(refusal.with("encoding", encoding));
    let accepted = MetadataValue::from_static(UNCOMPRESSED);
    status.metadata_mut().insert(ACCEPT_ENCODING_KEY, accepted);
    Some(status)
}

/// Converts a status that the transport produced into a refusal with a reason.
fn refusal_with_reason(head: &http::HeaderMap, method: &str) -> Option<Refusal> {
    let status = Status::from_header_map(head)?;
    // Refusals from services have details; refusals from the transport have none.
    if !status.details().is_empty() {
        return None;
    }
    match status.code() {
        Code::Unimplemented if METHODS.contains(&method) => {
            Some(Refusal::unsupported_method(method))
        }
        Code::Unimplemented => {
            let method = truncated(method);
            let refusal = Refusal::new(
                RefusalReason::MethodUnknown,
                format!("unknown method {method:?}; server reflection lists the methods"),
            );
            Some(refusal.with("method", method))
        }
        Code::Internal | Code::OutOfRange | Code::InvalidArgument => Some(Refusal::new(
            RefusalReason::MalformedMessage,
            format!("cannot decode the request: {}", status.message()),
        )),
        _ => None,
    }
}

/// Truncates a client's text for quotation in a refusal.
fn truncated(text: &str) -> String {
    text.chars().take(MAX_QUOTED_CHARS).collect()
}

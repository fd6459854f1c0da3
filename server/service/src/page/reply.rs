//! Answers that are no calls of the protocol: files and sentences, and what browsers are told with
//! each answer.

use axum::body::Body as AxumBody;
use bridgemaster_page::CONTENT_SECURITY_POLICY;
use tonic::{
    body::Body,
    codegen::{
        Bytes,
        http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header},
    },
};

/// What browsers are told with each answer: to take it for what it says it is, to do with it what the
/// page needs and nothing else, and to tell no other server of it.
const GUARDS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// An answer with what browsers are told with each.
pub(super) fn guarded(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in GUARDS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A sentence.
pub(super) fn text(status: StatusCode, sentence: &str) -> Response<Body> {
    let mut response = with_body(
        AxumBody::from(format!("{sentence}\n")),
        HeaderValue::from_static(PLAIN_TEXT),
    );
    *response.status_mut() = status;
    response
}

/// Why a request is not answered as it wants.
pub(super) struct Refused(pub(super) StatusCode, pub(super) &'static str);

impl From<Refused> for Response<Body> {
    fn from(Refused(status, why): Refused) -> Self {
        text(status, why)
    }
}

/// A body of this type.
pub(super) fn with_body(body: AxumBody, content_type: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::new(body));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}

/// The file of a request's address. A browser that has it is told so.
pub(super) fn file(request: &Request<Body>) -> Response<Body> {
    let file = bridgemaster_page::file(request.uri().path());
    let known = request.headers().get_all(header::IF_NONE_MATCH).iter();
    let is_known = known
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| [file.etag.as_str(), "*"].contains(&tag.trim().trim_start_matches("W/")));
    let is_left_out = is_known || *request.method() == Method::HEAD;
    let body = match is_left_out {
        true => AxumBody::empty(),
        false => AxumBody::from(Bytes::from_static(file.bytes)),
    };
    let mut response = with_body(body, HeaderValue::from_static(file.content_type));
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    if !is_known {
        headers.insert(header::CONTENT_LENGTH, file.bytes.len().into());
    }
    // Asked for each time, so that a new version of the program shows its own page.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

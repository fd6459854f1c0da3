//! Responses outside the protocol: files and error messages, with security headers.

use axum::body::Body as AxumBody;
use bridgemaster_page::CONTENT_SECURITY_POLICY;
use tonic::{
    body::Body,
    codegen::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header},
};

/// The security headers of every response: no content sniffing, no more permissions than the page
/// needs, and no referrer.
const SECURITY_HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The header that makes nginx pass each message of a stream on at once.
const BUFFERING_HEADER: HeaderName = HeaderName::from_static("x-accel-buffering");

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// Adds the security headers to a response.
pub(super) fn with_security_headers(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Forbids proxies to buffer a response.
pub(super) fn unbuffered(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(BUFFERING_HEADER, HeaderValue::from_static("no"));
    response
}

/// Builds a plain-text response.
pub(super) fn text_response(status: StatusCode, sentence: &str) -> Response<Body> {
    let mut response = response_with_body(
        AxumBody::from(format!("{sentence}\n")),
        HeaderValue::from_static(PLAIN_TEXT),
    );
    *response.status_mut() = status;
    response
}

/// Builds a response with this body and content type.
pub(super) fn response_with_body(body: AxumBody, content_type: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// Serves the file at the path of a request, or 304 if the browser has it cached.
pub(super) fn file_response(request: &Request<Body>) -> Response<Body> {
    let file = bridgemaster_page::file(request.uri().path());
    let etags = request.headers().get_all(header::IF_NONE_MATCH).iter();
    let is_cached = etags
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| [file.etag.as_str(), "*"].contains(&tag.trim().trim_start_matches("W/")));
    let omits_body = is_cached || *request.method() == Method::HEAD;
    let length = file.bytes.len();
    let body = if omits_body { AxumBody::empty() } else { AxumBody::from(file.bytes) };
    let mut response = response_with_body(body, HeaderValue::from_static(file.content_type));
    if is_cached {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    if !is_cached {
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    // Browsers revalidate the file each time, so that they show the page of the running version
    // after an update.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

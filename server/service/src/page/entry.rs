//! Gives browsers access to the page of a private server, through a link that only the terminal
//! shows. The link sets a cookie. Calls with the cookie have the organiser's permissions.

use axum::body::Body as AxumBody;
use tonic::{
    body::Body,
    codegen::http::{HeaderValue, Request, Response, StatusCode, header},
};

use super::reply::{response_with_body, text_response};
use crate::identity::{KEY_METADATA, OpenedLink, PrivateAccess};

/// The path prefix of links.
const LINK_PREFIX: &str = "/enter/";

/// Handles a request for a link; returns `None` for other requests.
pub(super) fn follow_link(
    private: &PrivateAccess,
    request: &Request<Body>,
) -> Option<Response<Body>> {
    let secret = request.uri().path().strip_prefix(LINK_PREFIX)?;
    let Some(OpenedLink { target, cookie }) = private.page().open(secret) else {
        let why = "the link is invalid or was used before; use the link from the terminal";
        return Some(text_response(StatusCode::FORBIDDEN, why));
    };
    // Scripts cannot read the cookie, and other sites cannot use it. However, other ports at this
    // address belong to the same site. A bot that serves HTTP on such a port gets its visitors'
    // cookies.
    let cookie = format!("{cookie}; HttpOnly; SameSite=Strict; Path=/");
    let values = (
        HeaderValue::from_str(&target),
        HeaderValue::from_str(&cookie),
    );
    let (Ok(target), Ok(cookie)) = values else {
        return Some(text_response(
            StatusCode::NOT_FOUND,
            "the target of the link is invalid; use the link from the terminal",
        ));
    };
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    let mut response = response_with_body(AxumBody::empty(), plain);
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, target);
    headers.insert(header::SET_COOKIE, cookie);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Some(response)
}

/// Adds the organiser's key to requests of a browser that has used a link.
pub(super) fn add_organiser_key(private: &PrivateAccess, request: &mut Request<Body>) {
    let cookies = request.headers().get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let has_cookie = cookies
        .flat_map(|value| value.split(';'))
        .any(|cookie| private.page().is_valid_cookie(cookie.trim()));
    if has_cookie && let Ok(key) = HeaderValue::from_str(&private.organiser_key().reveal()) {
        request.headers_mut().insert(KEY_METADATA, key);
    }
}

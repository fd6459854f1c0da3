//! Access of browsers to the page: the hosts and origins of requests, and the link to the page of a
//! private server.
//!
//! The server accepts requests from its own pages, and from people who type its address. A page of
//! another site can make a browser call a server on the browser's own machine. The other site can
//! also resolve its own host name to that machine, so that the browser treats both hosts as one
//! origin (DNS rebinding). The host name in such a request reveals the attempt.

use std::net::IpAddr;

use axum::body::Body as AxumBody;
use bridgemaster_edge::identity::{KEY_METADATA, OpenedLink, PrivateAccess};
use thiserror::Error;
use tonic::{
    body::Body,
    codegen::http::{HeaderValue, Request, Response, StatusCode, Uri, header, uri::Authority},
};

use super::reply::{response_with_body, text_response};

/// The host name of the local machine.
const LOCALHOST: &str = "localhost";

/// The default ports of both schemes, as suffixes of an authority.
const HTTP_PORT: &str = ":80";
const HTTPS_PORT: &str = ":443";

/// Checks the host and the origin of requests.
#[derive(Debug)]
pub(crate) struct OriginGuard {
    /// Host names of the server, besides its addresses. A name with a port, as `HOST:PORT`, is
    /// valid only with that port. The default port of a scheme can be omitted.
    names: Vec<String>,
    /// Whether the server has a certificate, by which browsers verify its name.
    is_certified: bool,
}

/// The reason why a request is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum ForeignRequest {
    #[error("the request must name exactly one valid host")]
    NoHost,
    #[error(
        "the request is for the host {0:?}, which is not a name of this server; if it should be, start \
         the server with --page-host NAME or NAME:PORT"
    )]
    Host(String),
    #[error(
        "the request comes from a page of another origin, {0:?}; use the page of this server, or \
         start the server with --page-host NAME or NAME:PORT if a proxy serves its page there"
    )]
    Origin(String),
}

impl OriginGuard {
    pub(crate) fn new(names: Vec<String>, is_certified: bool) -> Self {
        Self { names, is_certified }
    }

    /// Checks that a request is for this server, and that it does not come from a page of another
    /// origin.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), ForeignRequest> {
        let host = host_of(request).ok_or(ForeignRequest::NoHost)?;
        if !self.is_own_host(&host) {
            return Err(ForeignRequest::Host(host.as_str().to_owned()));
        }
        // A proxy can replace the host, but not the origin. A host that is a name of the server was
        // not replaced, so its port counts too.
        let can_be_replaced = !self.is_named(&host);
        // A name without a port is valid with both schemes; a name with a port only with the scheme
        // whose default port it is.
        let can_have_any_scheme = can_be_replaced || self.has_name(host.host(), "");
        for origin in request.headers().get_all(header::ORIGIN) {
            let text = String::from_utf8_lossy(origin.as_bytes());
            let origin: Option<Uri> = text.parse().ok();
            let is_own = origin.as_ref().is_some_and(|origin| {
                let Some(authority) = origin.authority().map(Authority::as_str) else {
                    return false;
                };
                let default_port = default_port(origin);
                let is_listed = self.has_name(authority, default_port);
                (can_be_replaced && is_listed)
                    || (is_same(authority, host.as_str(), default_port)
                        && (can_have_any_scheme || is_listed))
            });
            if !is_own {
                return Err(ForeignRequest::Origin(text.into_owned()));
            }
        }
        Ok(())
    }

    fn has_name(&self, host: &str, default_port: &str) -> bool {
        self.names.iter().any(|name| is_same(host, name, default_port))
    }

    /// Returns whether a host is a name of the server. A host has no scheme, so both default ports
    /// can be omitted.
    fn is_named(&self, authority: &Authority) -> bool {
        self.has_name(authority.host(), "")
            || [HTTP_PORT, HTTPS_PORT].iter().any(|port| self.has_name(authority.as_str(), port))
    }

    fn is_own_host(&self, authority: &Authority) -> bool {
        let host = authority.host();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        // DNS rebinding needs a name, so addresses are safe.
        self.is_certified
            || address.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case(LOCALHOST)
            || self.is_named(authority)
    }
}

/// Returns the suffix for the default port of an origin's scheme; empty for other schemes.
fn default_port(origin: &Uri) -> &'static str {
    match origin.scheme_str() {
        Some("http") => HTTP_PORT,
        Some("https") => HTTPS_PORT,
        _ => "",
    }
}

/// Returns whether two authorities, with or without the default port, name the same host and port.
/// Browsers omit the default port of a scheme, but some proxies add it.
fn is_same(one: &str, other: &str, default_port: &str) -> bool {
    let [one, other] = [one, other].map(|text| text.strip_suffix(default_port).unwrap_or(text));
    one.eq_ignore_ascii_case(other)
}

/// Returns the host that a request names; `None` if the host is missing or ambiguous.
fn host_of<B>(request: &Request<B>) -> Option<Authority> {
    if let Some(authority) = request.uri().authority() {
        return Some(authority.clone());
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next()?;
    // If there are two hosts, different parts of a program might use different ones.
    if hosts.next().is_some() {
        return None;
    }
    host.as_bytes().try_into().ok()
}

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
    // Scripts cannot read the cookie, and pages of other sites cannot send it. Browsers, however,
    // treat all ports of an address as one site: a bot that serves HTTP on another port of this
    // machine receives the cookie from users who visit that port.
    let cookie = format!("{cookie}; HttpOnly; SameSite=Strict; Path=/");
    let values = (HeaderValue::from_str(&target), HeaderValue::from_str(&cookie));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(host: &str, origin: Option<&str>) -> Request<Body> {
        let builder = Request::builder().uri("/").header(header::HOST, host);
        let builder = match origin {
            Some(origin) => builder.header(header::ORIGIN, origin),
            None => builder,
        };
        builder.body(Body::empty()).unwrap()
    }

    fn check(host: &str, origin: Option<&str>) -> Result<(), ForeignRequest> {
        let names = vec!["bridge.example".to_owned(), "with-port.example:8443".to_owned()];
        OriginGuard::new(names, false).check(&request(host, origin))
    }

    #[test]
    fn requests_for_addresses_and_names_of_the_server_are_answered() {
        for host in [
            "127.0.0.1:8080",
            "127.0.0.1",
            "[::1]:8080",
            "localhost:8080",
            "LocalHost",
            "bridge.example",
            "Bridge.Example:443",
            "with-port.example:8443",
        ] {
            assert_eq!(check(host, None), Ok(()), "{host}");
            let origin = format!("http://{}", host.to_lowercase());
            assert_eq!(check(host, Some(&origin)), Ok(()), "{host}");
        }
    }

    #[test]
    fn a_foreign_name_that_resolves_to_the_server_is_refused() {
        for host in [
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "bridge.example.evil.example",
            "with-port.example",
            "with-port.example:8080",
        ] {
            assert!(matches!(check(host, None), Err(ForeignRequest::Host(_))), "{host}");
        }
        assert_eq!(check("not a host", None), Err(ForeignRequest::NoHost));
        let mut two = request("127.0.0.1", None);
        two.headers_mut().append(header::HOST, "evil.example".parse().unwrap());
        assert_eq!(OriginGuard::new(Vec::new(), false).check(&two), Err(ForeignRequest::NoHost));
    }

    #[test]
    fn a_proxy_that_replaces_the_host_passes_requests_of_the_named_origins() {
        for origin in ["https://bridge.example", "https://with-port.example:8443"] {
            assert_eq!(check("127.0.0.1:8080", Some(origin)), Ok(()), "{origin}");
        }
        for origin in ["https://bridge.example:8080", "https://with-port.example"] {
            assert!(check("127.0.0.1:8080", Some(origin)).is_err(), "{origin}");
        }
    }

    #[test]
    fn a_page_on_another_port_of_a_name_of_the_server_is_refused() {
        for (host, origin) in [
            ("bridge.example:8443", "https://bridge.example"),
            ("with-port.example:8443", "https://bridge.example"),
            ("bridge.example", "https://with-port.example:8443"),
        ] {
            let refused = check(host, Some(origin)).unwrap_err();
            assert_eq!(refused, ForeignRequest::Origin(origin.to_owned()), "{host}");
            assert!(refused.to_string().contains("--page-host NAME or NAME:PORT"), "{refused}");
        }
    }

    #[test]
    fn the_default_port_of_a_scheme_can_be_omitted() {
        let names = ["bridge.example", "tls.example:443", "plain.example:80"];
        let guard = OriginGuard::new(names.map(str::to_owned).to_vec(), false);
        for (host, origin) in [
            ("bridge.example:443", "https://bridge.example"),
            ("bridge.example", "https://bridge.example:443"),
            ("bridge.example:80", "http://bridge.example"),
            ("tls.example", "https://tls.example"),
            ("plain.example", "http://plain.example"),
            ("127.0.0.1:8080", "https://tls.example"),
            ("127.0.0.1:8080", "https://bridge.example:443"),
            ("[::1]:443", "https://[::1]"),
        ] {
            assert_eq!(guard.check(&request(host, Some(origin))), Ok(()), "{host} {origin}");
        }
        for (host, origin) in [
            ("bridge.example:443", "http://bridge.example"),
            ("bridge.example:80", "https://bridge.example"),
            ("bridge.example:8443", "https://bridge.example"),
            ("tls.example", "http://tls.example"),
            ("plain.example", "https://plain.example"),
            ("127.0.0.1:8080", "http://tls.example"),
            ("127.0.0.1:8080", "https://plain.example"),
        ] {
            let refused = guard.check(&request(host, Some(origin)));
            assert!(matches!(refused, Err(ForeignRequest::Origin(_))), "{host} {origin}");
        }
        for host in ["tls.example:80", "plain.example:443", "tls.example:8443"] {
            let refused = guard.check(&request(host, None));
            assert!(matches!(refused, Err(ForeignRequest::Host(_))), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_origin_is_refused_even_on_another_port() {
        for origin in [
            "http://evil.example",
            "http://127.0.0.1:8081",
            "http://127.0.0.1",
            "http://localhost:8080",
            "null",
            "",
        ] {
            let refused = check("127.0.0.1:8080", Some(origin));
            assert!(matches!(refused, Err(ForeignRequest::Origin(_))), "{origin:?}");
        }
    }

    #[test]
    fn with_a_certificate_the_browser_checks_the_name_and_foreign_pages_are_still_refused() {
        let guard = OriginGuard::new(Vec::new(), true);
        let host = "any.example";
        assert_eq!(guard.check(&request(host, Some("https://any.example"))), Ok(()));
        let refused = guard.check(&request(host, Some("https://evil.example")));
        assert!(matches!(refused, Err(ForeignRequest::Origin(_))));
    }
}

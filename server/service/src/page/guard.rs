//! Which requests are answered: those that a page of this very server makes, or a person who types
//! its address. A foreign page can make a browser call a server on its own machine. It can also
//! have its own name point to that machine, so that the browser takes both for one origin; but then
//! the request has that name in it.

use std::net::IpAddr;

use thiserror::Error;
use tonic::{
    body::Body,
    codegen::http::{Request, Uri, header, uri::Authority},
};

/// The one name that every machine has for itself.
const LOCALHOST: &str = "localhost";

/// Which requests are answered.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Names of the server besides its addresses.
    names: Vec<String>,
    /// Whether the name of the server is in its certificate, so that browsers check it.
    is_certified: bool,
}

/// Why a request is not answered.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum Foreign {
    #[error("the request names no host")]
    NoHost,
    #[error(
        "the request is for the host {0:?}, and this server has no such name; if it has, start it \
         with --page-host NAME"
    )]
    Host(String),
    #[error("the request comes from a page of another server, {0:?}")]
    Origin(String),
}

impl Guard {
    pub(crate) fn new(names: Vec<String>, is_certified: bool) -> Self {
        Self {
            names,
            is_certified,
        }
    }

    /// Makes sure that a request is for this server, and of a page of this server if it is of one.
    pub(crate) fn check(&self, request: &Request<Body>) -> Result<(), Foreign> {
        let host = host_of(request).ok_or(Foreign::NoHost)?;
        if !self.is_ours(host.host()) {
            return Err(Foreign::Host(host.host().to_owned()));
        }
        for origin in request.headers().get_all(header::ORIGIN) {
            let shown = String::from_utf8_lossy(origin.as_bytes());
            let origin: Option<Uri> = shown.parse().ok();
            let authority = origin.as_ref().and_then(Uri::authority);
            let is_same = authority
                .is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host.as_str()));
            if !is_same {
                return Err(Foreign::Origin(shown.into_owned()));
            }
        }
        Ok(())
    }

    fn is_ours(&self, host: &str) -> bool {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        // Nobody can make a name out of an address.
        self.is_certified
            || address.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case(LOCALHOST)
            || self
                .names
                .iter()
                .any(|name| host.eq_ignore_ascii_case(name))
    }
}

/// The host that a request is for.
fn host_of(request: &Request<Body>) -> Option<Authority> {
    if let Some(authority) = request.uri().authority() {
        return Some(authority.clone());
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next()?;
    // Two would let one part of a program read the first, and another the second.
    match hosts.next() {
        None => host.as_bytes().try_into().ok(),
        Some(_) => None,
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

    fn check(host: &str, origin: Option<&str>) -> Result<(), Foreign> {
        let names = vec!["bridge.example".to_owned()];
        Guard::new(names, false).check(&request(host, origin))
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
        ] {
            assert_eq!(check(host, None), Ok(()), "{host}");
            let origin = format!("http://{}", host.to_lowercase());
            assert_eq!(check(host, Some(&origin)), Ok(()), "{host}");
        }
    }

    #[test]
    fn a_name_that_somebody_points_at_the_server_is_refused() {
        for host in [
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "bridge.example.evil.example",
        ] {
            assert!(matches!(check(host, None), Err(Foreign::Host(_))), "{host}");
        }
        assert_eq!(check("not a host", None), Err(Foreign::NoHost));
        let mut two = request("127.0.0.1", None);
        two.headers_mut()
            .append(header::HOST, "evil.example".parse().unwrap());
        assert_eq!(
            Guard::new(Vec::new(), false).check(&two),
            Err(Foreign::NoHost)
        );
    }

    #[test]
    fn a_page_of_another_server_is_refused_also_one_of_another_port() {
        for origin in [
            "http://evil.example",
            "http://127.0.0.1:8081",
            "http://127.0.0.1",
            "http://localhost:8080",
            "null",
            "",
        ] {
            let refused = check("127.0.0.1:8080", Some(origin));
            assert!(matches!(refused, Err(Foreign::Origin(_))), "{origin:?}");
        }
    }

    #[test]
    fn with_a_certificate_the_browser_checks_the_name_and_foreign_pages_are_still_refused() {
        let guard = Guard::new(Vec::new(), true);
        let host = "any.example";
        assert_eq!(
            guard.check(&request(host, Some("https://any.example"))),
            Ok(())
        );
        let refused = guard.check(&request(host, Some("https://evil.example")));
        assert!(matches!(refused, Err(Foreign::Origin(_))));
    }
}

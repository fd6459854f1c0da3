//! Addresses in flags: of listeners, and of the page on which seats are played.

use std::{net::SocketAddr, str::FromStr};

use anyhow::Context as _;
use bridgemaster_proto::escape::Escaped;
use serde::{Deserialize, Deserializer, de};

use crate::failure::misuse;

/// Parses an IP address with a port.
///
/// # Errors
/// Returns a description of the problem, with a valid example.
pub(super) fn parse(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit_once(':').map(|(_, port)| port);
        let valid_port = port.filter(|port| port.parse::<u16>().is_ok());
        let problem = match (port, valid_port) {
            (None, _) => "the port is missing",
            (Some(_), None) => "the port is out of range (0..=65535)",
            _ if text.starts_with('[') || !text.contains("::") => "host names are not resolved",
            _ => "an IPv6 address needs brackets",
        };
        let port = valid_port.unwrap_or("50051");
        format!("{problem}; use an address such as 127.0.0.1:{port} or [::1]:{port}")
    })
}

/// Deserializes an address in a config file with [`parse`].
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(from)?;
    parse(&text).map(Some).map_err(de::Error::custom)
}

/// The address of a page, such as `http://127.0.0.1:8080`.
#[derive(Clone, Debug)]
pub(super) struct PageUrl(String);

impl FromStr for PageUrl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let address = text.trim_end_matches('/');
        let uri: tonic::codegen::http::Uri =
            address.parse().with_context(|| format!("{text:?} is not a URL"))?;
        let has_scheme = uri.scheme_str().is_some_and(|scheme| matches!(scheme, "http" | "https"));
        let is_bare = uri.path() == "/" && uri.query().is_none() && !address.contains('#');
        if has_scheme && is_bare {
            Ok(Self(address.to_owned()))
        } else {
            Err(misuse(format!(
                "{text:?} is not the address of a page; use an address such as \
                 http://127.0.0.1:8080"
            )))
        }
    }
}

impl PageUrl {
    /// Returns the link to a ticket's seat. The link's fragment contains the ticket, because
    /// browsers do not send fragments to servers.
    pub(super) fn link(&self, ticket: &str) -> String {
        format!("{}{}", Escaped(&self.0), seat_path(ticket))
    }
}

/// Returns the path of the page on which a ticket's seat is played.
pub(super) fn seat_path(ticket: &str) -> String {
    format!("/play#ticket={}", Escaped(ticket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_invalid_address_says_what_is_wrong() {
        for text in ["127.0.0.1:0", "[::1]:50051"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for (text, expected) in [
            ("localhost:0", "host names are not resolved; use an address such as 127.0.0.1:0"),
            ("127.0.0.1", "the port is missing"),
            ("127.0.0.1:77000", "0..=65535"),
            (":50051", "127.0.0.1:50051"),
            ("::1:50051", "brackets"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_link_has_the_ticket_in_its_fragment() {
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"] {
            let page: PageUrl = text.parse().unwrap();
            assert_eq!(page.link("abc"), "http://127.0.0.1:8080/play#ticket=abc");
        }
        let page: PageUrl = "https://bridge.example".parse().unwrap();
        assert_eq!(page.link("abc"), "https://bridge.example/play#ticket=abc");
    }

    #[test]
    fn an_invalid_page_address_is_rejected() {
        for text in ["", "127.0.0.1:8080", "ftp://a", "http://a/b", "http://a?b=c", "http://a#b"] {
            assert!(text.parse::<PageUrl>().is_err(), "{text:?}");
        }
    }
}

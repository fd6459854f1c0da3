//! Parses listen addresses.

use std::net::SocketAddr;

use serde::{Deserialize, Deserializer, de};

/// Parses an IP address with a port.
///
/// # Errors
/// A description of the problem, with a valid example.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_error_of_an_invalid_address_says_what_is_wrong() {
        for text in ["127.0.0.1:0", "[::1]:50051"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for (text, expected) in [
            (
                "localhost:0",
                "host names are not resolved; use an address such as 127.0.0.1:0",
            ),
            ("127.0.0.1", "the port is missing"),
            ("127.0.0.1:77000", "0..=65535"),
            (":50051", "127.0.0.1:50051"),
            ("::1:50051", "brackets"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

//! Addresses to listen on.

use std::net::SocketAddr;

use serde::{Deserialize, Deserializer, de};

/// Reads an address and a port.
///
/// # Errors
/// What is wrong with the text, and what would be valid.
pub(super) fn parse(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit_once(':').map(|(_, port)| port);
        let valid_port = port.filter(|port| port.parse::<u16>().is_ok());
        let problem = match (port, valid_port) {
            (None, _) => "the port is missing",
            (Some(_), None) => "a port is a number from 0 to 65535",
            _ if text.starts_with('[') || !text.contains("::") => "names are not looked up",
            _ => "an IPv6 address is put in brackets",
        };
        let port = valid_port.unwrap_or("50051");
        format!("{problem}; an address is one such as 127.0.0.1:{port} or [::1]:{port}")
    })
}

/// Reads an address of a config file.
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
    fn a_text_that_is_no_address_is_told_what_is_wrong_with_it() {
        for text in ["127.0.0.1:0", "[::1]:50051"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for (text, told) in [
            (
                "localhost:0",
                "names are not looked up; an address is one such as 127.0.0.1:0",
            ),
            ("127.0.0.1", "the port is missing"),
            ("127.0.0.1:77000", "0 to 65535"),
            (":50051", "127.0.0.1:50051"),
            ("::1:50051", "brackets"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}

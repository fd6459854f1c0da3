//! Links that open a seat in the browser.

use std::str::FromStr;

use anyhow::Context as _;
use bridgemaster_proto::escape::Escaped;

use super::failure::misuse;

/// The address of a page, such as `http://127.0.0.1:8080`.
#[derive(Clone, Debug)]
pub(super) struct PageUrl(String);

impl FromStr for PageUrl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let address = text.trim_end_matches('/');
        let uri: tonic::codegen::http::Uri = address
            .parse()
            .with_context(|| format!("{text:?} is not a URL"))?;
        let has_scheme = uri
            .scheme_str()
            .is_some_and(|scheme| matches!(scheme, "http" | "https"));
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
        format!("{}{}", Escaped(&self.0), path(ticket))
    }
}

/// Returns the path of the page on which a ticket's seat is played.
pub(super) fn path(ticket: &str) -> String {
    format!("/play#ticket={}", Escaped(ticket))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for text in [
            "",
            "127.0.0.1:8080",
            "ftp://a",
            "http://a/b",
            "http://a?b=c",
            "http://a#b",
        ] {
            assert!(text.parse::<PageUrl>().is_err(), "{text:?}");
        }
    }
}

//! Links by which people take seats in the browser.

use std::str::FromStr;

use anyhow::Context as _;
use bridgemaster_proto::outside::Outside;

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
            .with_context(|| format!("{text:?} is no address"))?;
        let has_scheme = uri
            .scheme_str()
            .is_some_and(|scheme| matches!(scheme, "http" | "https"));
        match has_scheme && uri.path() == "/" && uri.query().is_none() && !address.contains('#') {
            true => Ok(Self(address.to_owned())),
            false => Err(misuse(format!(
                "{text:?}: the page has an address such as http://127.0.0.1:8080"
            ))),
        }
    }
}

impl PageUrl {
    /// The link that takes the seat of a ticket. The ticket stands where browsers keep it to
    /// themselves.
    pub(super) fn link(&self, ticket: &str) -> String {
        format!("{}/play#ticket={}", Outside(&self.0), Outside(ticket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_the_ticket_behind_the_mark_that_browsers_keep_to_themselves() {
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"] {
            let page: PageUrl = text.parse().unwrap();
            assert_eq!(page.link("abc"), "http://127.0.0.1:8080/play#ticket=abc");
        }
        let page: PageUrl = "https://bridge.example".parse().unwrap();
        assert_eq!(page.link("abc"), "https://bridge.example/play#ticket=abc");
    }

    #[test]
    fn what_is_no_address_of_a_page_is_refused() {
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

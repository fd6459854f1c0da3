//! A cluster's servers: one channel per server, and a seat's route between them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tonic::{
    Status,
    transport::{Channel, Endpoint},
};

use crate::{OptionsError, Refusal, TlsOptions, endpoint};

/// Timeout of one attempt to connect to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between HTTP/2 keep-alive pings, and the timeout for each. A machine that disappears is
/// detected within twice this time.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const ADDRESS_SEPARATOR: char = ',';
/// Reason with which a server refuses a call that belongs to another server, and the metadata key
/// for the other server's address.
const MOVED: &str = "MOVED";
const MOVED_TO: &str = "address";
/// The maximum number of cached channels to servers that were learned from redirects.
const MAX_REDIRECT_CHANNELS: usize = 64;

/// A cluster's servers, or a single server. Clones use the same connections.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// The configured addresses, in order. There is at least one.
    urls: Arc<[String]>,
    tls: TlsOptions,
    channels: Arc<Mutex<HashMap<String, Channel>>>,
}

impl Servers {
    /// Parses one address, or several addresses separated by commas.
    pub(crate) fn parse(server_url: &str, tls: &TlsOptions) -> Result<Self, OptionsError> {
        let urls: Vec<String> = server_url
            .split(ADDRESS_SEPARATOR)
            .map(|url| url.trim().to_owned())
            .collect();
        let servers = Self {
            urls: urls.into(),
            tls: tls.clone(),
            channels: Arc::default(),
        };
        for url in &*servers.urls {
            servers.channel(url)?;
        }
        Ok(servers)
    }

    fn endpoint(&self, url: &str) -> Result<Endpoint, OptionsError> {
        Ok(endpoint(url, &self.tls)?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_INTERVAL))
    }

    /// Checks that at least one server accepts a connection. Otherwise, returns the first server's
    /// error.
    pub(crate) async fn probe(&self) -> Result<(), tonic::transport::Error> {
        let mut failed = Ok(());
        // Cannot fail, because `parse` has checked all addresses.
        for endpoint in self.urls.iter().flat_map(|url| self.endpoint(url)) {
            match endpoint.connect().await {
                Ok(_) => return Ok(()),
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        failed
    }

    /// Returns the channel to a server. The channel connects on first use, and again whenever the
    /// connection is lost.
    fn channel(&self, url: &str) -> Result<Channel, OptionsError> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(url) {
            return Ok(channel.clone());
        }
        let channel = self.endpoint(url)?.connect_lazy();
        if channels.len() >= self.urls.len() + MAX_REDIRECT_CHANNELS {
            channels.retain(|url, _| self.urls.contains(url));
        }
        channels.insert(url.to_owned(), channel.clone());
        Ok(channel)
    }
}

/// The server that a seat, an attendance or a call uses. [`Route::advance`] follows a redirect, or
/// otherwise switches to the next configured server.
#[derive(Clone, Debug)]
pub struct Route {
    servers: Servers,
    /// Index of the configured server that was tried last.
    index: usize,
    url: String,
    channel: Channel,
    /// Whether the current server is the target of a redirect and has not answered yet.
    was_redirected: bool,
}

impl Route {
    /// Creates a route that starts at the first configured server.
    pub(crate) fn new(servers: &Servers) -> Result<Self, OptionsError> {
        Self::starting_at(servers, 0)
    }

    /// Creates one route for each configured server, starting at that server.
    pub(crate) fn all(servers: &Servers) -> Result<Vec<Self>, OptionsError> {
        (0..servers.urls.len())
            .map(|index| Self::starting_at(servers, index))
            .collect()
    }

    fn starting_at(servers: &Servers, index: usize) -> Result<Self, OptionsError> {
        let url = servers.urls[index].clone();
        Ok(Self {
            channel: servers.channel(&url)?,
            servers: servers.clone(),
            index,
            url,
            was_redirected: false,
        })
    }

    /// Returns the address of the current server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the channel to the current server.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Returns the timeout for a server's first response, which is at most `max`. With several
    /// servers, each server gets at most an equal share of `total`, the time limit for finding a
    /// server that responds.
    pub(crate) fn answer_timeout(&self, max: Duration, total: Duration) -> Duration {
        match u32::try_from(self.servers.urls.len()) {
            Ok(several @ 2..) => max.min(total / several),
            _ => max,
        }
    }

    /// Records that the current server has responded without a redirect.
    pub fn mark_answered(&mut self) {
        self.was_redirected = false;
    }

    /// Switches to the server that a `MOVED` refusal names or, after any other failure, to the next
    /// configured server.
    ///
    /// Returns whether to retry without a pause. Only the first of several consecutive redirects is
    /// followed without a pause. Otherwise, two servers could redirect a caller back and forth in a
    /// tight loop.
    pub fn advance(&mut self, failure: &Status) -> bool {
        let moved = Refusal::from_status(failure).filter(|refusal| refusal.reason == MOVED);
        let address = moved.and_then(|mut refusal| refusal.metadata.remove(MOVED_TO));
        // The address in a redirect has no scheme, so the current scheme is kept.
        let redirect = address.map(|address| {
            let is_tls = self.url.starts_with("https://");
            format!("{}://{address}", if is_tls { "https" } else { "http" })
        });
        if let Some(url) = redirect
            && let Ok(channel) = self.servers.channel(&url)
        {
            (self.url, self.channel) = (url, channel);
            return !std::mem::replace(&mut self.was_redirected, true);
        }
        self.was_redirected = false;
        self.index = (self.index + 1) % self.servers.urls.len();
        let url = self.servers.urls[self.index].clone();
        // Cannot fail, because `Servers::parse` has created the channel.
        if let Ok(channel) = self.servers.channel(&url) {
            (self.url, self.channel) = (url, channel);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tonic::Code;
    use tonic_types::{ErrorDetails, StatusExt as _};

    use super::*;

    fn route(urls: &str) -> Route {
        let servers = Servers::parse(urls, &TlsOptions::default()).unwrap();
        Route::new(&servers).unwrap()
    }

    fn moved(address: &str) -> Status {
        let metadata = HashMap::from([(MOVED_TO.to_owned(), address.to_owned())]);
        let details = ErrorDetails::with_error_info(MOVED, "bridgemaster", metadata);
        Status::with_error_details(Code::FailedPrecondition, "elsewhere", details)
    }

    #[tokio::test]
    async fn the_servers_are_tried_in_turn() {
        let mut route = route("http://one:1, http://two:2,http://three:3");
        let lost = Status::unavailable("gone");
        let mut tried = vec![route.url().to_owned()];
        for _ in 0..3 {
            assert!(!route.advance(&lost));
            tried.push(route.url().to_owned());
        }
        let urls = [
            "http://one:1",
            "http://two:2",
            "http://three:3",
            "http://one:1",
        ];
        assert_eq!(tried, urls);
    }

    #[tokio::test]
    async fn a_redirect_is_followed_at_once_and_a_second_one_after_a_pause() {
        let mut route = route("http://one:1,http://two:2");
        assert!(route.advance(&moved("three:3")));
        assert_eq!(route.url(), "http://three:3");
        assert!(!route.advance(&moved("one:1")), "redirected twice in a row");
        assert_eq!(route.url(), "http://one:1");
        route.mark_answered();
        assert!(route.advance(&moved("three:3")));
        route.advance(&Status::unavailable("gone"));
        assert_eq!(route.url(), "http://two:2");
    }

    #[tokio::test]
    async fn several_servers_share_the_total_time() {
        let (max, total) = (Duration::from_secs(10), Duration::from_secs(12));
        for (urls, timeout_s) in [
            ("http://one:1", 10),
            ("http://one:1,http://two:2", 6),
            ("http://one:1,http://two:2,http://three:3", 4),
        ] {
            let timeout = route(urls).answer_timeout(max, total);
            assert_eq!(timeout, Duration::from_secs(timeout_s), "{urls}");
        }
    }

    #[tokio::test]
    async fn an_invalid_address_is_refused() {
        for urls in ["", "http://one:1,", "http://one:1,nonsense"] {
            let refused = Servers::parse(urls, &TlsOptions::default()).unwrap_err();
            assert!(
                matches!(refused, OptionsError::InvalidServerUrl { .. }),
                "{urls:?}"
            );
        }
        let mut route = route("http://one:1");
        assert!(!route.advance(&moved("no address")));
        assert_eq!(route.url(), "http://one:1");
    }
}

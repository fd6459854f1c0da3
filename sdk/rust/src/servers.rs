//! Connections to a server or a cluster: one channel per server, and a seat's route between them.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::{ResignSeatRequest, seat_service_client::SeatServiceClient};
use tonic::transport::{Channel, Endpoint};

use crate::{OptionsError, Refusal, TlsOptions, endpoint, proxy::Proxy};

/// Timeout of one attempt to connect to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between HTTP/2 keep-alive pings, and the timeout for each. A machine that disappears is
/// detected within twice this time.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const ADDRESS_SEPARATOR: char = ',';

/// A connection to a server, or to a cluster's servers, for any number of seats. Clones use the
/// same channels.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The configured servers, in order. There is at least one.
    servers: Arc<[ServerChannel]>,
}

/// A server's address, and the channel to it. The channel connects on first use, and again whenever
/// the connection is lost.
#[derive(Debug)]
struct ServerChannel {
    url: String,
    endpoint: Endpoint,
    proxy: Option<Proxy>,
    channel: Channel,
}

impl Connection {
    /// Creates a connection to an address, or to a cluster's comma-separated addresses. The
    /// connection is established on first use, and again after each loss. Must be called within a
    /// Tokio runtime.
    ///
    /// # Errors
    /// Returns [`OptionsError::InvalidServerUrl`] if an address is not valid.
    pub fn new(server_url: &str) -> Result<Self, OptionsError> {
        Self::with_tls(server_url, &TlsOptions::default())
    }

    /// Like [`Connection::new`], with TLS files for `https://` addresses.
    ///
    /// # Errors
    /// Returns an error if an address is not valid, or the TLS files cannot be used.
    pub fn with_tls(server_url: &str, tls: &TlsOptions) -> Result<Self, OptionsError> {
        Self::with_proxy(server_url, tls, None)
    }

    /// Like [`Connection::with_tls`], through the HTTP proxy at an address such as
    /// `http://127.0.0.1:3128`, which connects by CONNECT. An empty address means no proxy.
    ///
    /// # Errors
    /// Returns an error if an address is not valid, or the TLS files cannot be used.
    pub fn with_proxy(
        server_url: &str,
        tls: &TlsOptions,
        proxy: Option<&str>,
    ) -> Result<Self, OptionsError> {
        let proxy = proxy.filter(|url| !url.is_empty());
        let proxy = proxy.map(Proxy::parse).transpose()?;
        let servers = server_url.split(ADDRESS_SEPARATOR).map(|url| {
            let url = url.trim().to_owned();
            let endpoint = server_endpoint(&url, tls)?;
            // The proxies of the environment are ignored: bot servers usually run on the same
            // machine or network, which they cannot reach.
            let channel = match &proxy {
                None => endpoint.connect_lazy(),
                Some(proxy) => endpoint.connect_with_connector_lazy(proxy.connector()),
            };
            Ok(ServerChannel { url, endpoint, proxy: proxy.clone(), channel })
        });
        Ok(Self { servers: servers.collect::<Result<_, OptionsError>>()? })
    }

    /// Returns a route that starts at the first configured server. Intended for programs that make
    /// their own gRPC calls.
    #[must_use]
    pub fn route(&self) -> Route {
        Route { servers: Arc::clone(&self.servers), index: 0 }
    }

    /// Connects to the first configured server that accepts a connection. Intended for programs
    /// that need not fail over to another server later.
    ///
    /// # Errors
    /// Returns the first server's error, if no server accepts a connection.
    pub async fn connect(&self) -> Result<Channel, tonic::transport::Error> {
        let mut connected = self.servers[0].connect().await;
        for server in &self.servers[1..] {
            if connected.is_err() {
                connected = server.connect().await.or(connected);
            }
        }
        connected
    }

    /// Returns whether the server requires an API key from a bot, in addition to its ticket.
    /// Returns `None` if this cannot be determined. Programs that start bots can thus pass a key
    /// only if it is needed.
    pub async fn requires_key(&self) -> Option<bool> {
        let channel = self.route().channel();
        // The call contains neither a key nor a ticket, so the refusal names the credential that
        // the server checks first.
        let mut client = SeatServiceClient::new(channel);
        let response = client.resign_seat(ResignSeatRequest {}).await;
        let refusal = Refusal::from_status(&response.err()?)?;
        match &*refusal.reason {
            "KEY_MISSING" => Some(true),
            "TICKET_MISSING" => Some(false),
            _ => None,
        }
    }
}

impl ServerChannel {
    /// Opens another connection, and returns after the server has accepted it.
    async fn connect(&self) -> Result<Channel, tonic::transport::Error> {
        match &self.proxy {
            None => self.endpoint.connect().await,
            Some(proxy) => self.endpoint.connect_with_connector(proxy.connector()).await,
        }
    }
}

fn server_endpoint(url: &str, tls: &TlsOptions) -> Result<Endpoint, OptionsError> {
    Ok(endpoint(url, tls)?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_INTERVAL))
}

/// The server that a seat, an attendance or a call uses, of the configured servers. Every server of
/// a cluster serves every seat, so another server is needed only after a failure.
#[derive(Clone, Debug)]
pub struct Route {
    servers: Arc<[ServerChannel]>,
    index: usize,
}

impl Route {
    /// Returns the address of the current server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.servers[self.index].url
    }

    /// Returns the channel to the current server.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.servers[self.index].channel.clone()
    }

    /// Returns the timeout for a server's first response, which is at most `max`. With several
    /// servers, each server gets at most an equal share of `total`, the time limit for finding a
    /// server that responds.
    pub(crate) fn answer_timeout(&self, max: Duration, total: Duration) -> Duration {
        match u32::try_from(self.servers.len()) {
            Ok(several @ 2..) => max.min(total / several),
            _ => max,
        }
    }

    /// Returns whether the current server is reached through a proxy.
    pub(crate) fn is_proxied(&self) -> bool {
        self.servers[self.index].proxy.is_some()
    }

    /// Returns whether several servers are configured.
    pub(crate) fn has_others(&self) -> bool {
        self.servers.len() > 1
    }

    /// Switches to the next configured server, after a failure of the current one.
    pub fn advance(&mut self) {
        self.index = (self.index + 1) % self.servers.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(urls: &str) -> Route {
        Connection::new(urls).unwrap().route()
    }

    #[tokio::test]
    async fn the_servers_are_tried_in_turn() {
        let mut route = route("http://one:1, http://two:2,http://three:3");
        let mut tried = vec![route.url().to_owned()];
        for _ in 0..3 {
            route.advance();
            tried.push(route.url().to_owned());
        }
        let urls = ["http://one:1", "http://two:2", "http://three:3", "http://one:1"];
        assert_eq!(tried, urls);
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
            let refused = Connection::new(urls).unwrap_err();
            assert!(matches!(refused, OptionsError::InvalidServerUrl { .. }), "{urls:?}");
        }
    }
}

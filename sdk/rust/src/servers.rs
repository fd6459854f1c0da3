//! The servers of a cluster: one connection to each, and which of them a seat is played at.

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

/// Time for one attempt to reach a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence after which the transport checks that the server is still there, and the time that it
/// has to show so: a machine that vanished is noticed within the sum.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Between the addresses of several servers.
const BETWEEN: char = ',';
/// The refusal of what another server has; its metadata names that.
const MOVED: &str = "MOVED";
const MOVED_TO: &str = "address";
/// Most servers that callers are sent to besides those that were named, to be remembered.
const MAX_LEARNED: usize = 64;

/// The servers of a cluster, or a single one. Clones share the connections.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// In the order in which they were named; at least one.
    urls: Arc<[String]>,
    tls: TlsOptions,
    channels: Arc<Mutex<HashMap<String, Channel>>>,
}

impl Servers {
    /// Reads an address, or several with commas between them.
    pub(crate) fn named(server_url: &str, tls: &TlsOptions) -> Result<Self, OptionsError> {
        let urls: Vec<String> = server_url
            .split(BETWEEN)
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
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE))
    }

    /// Connects to the first that is there. Else tells why the first that was named was not.
    pub(crate) async fn reach(&self) -> Result<(), tonic::transport::Error> {
        let mut failed = Ok(());
        // All were good when they were named.
        for endpoint in self.urls.iter().flat_map(|url| self.endpoint(url)) {
            match endpoint.connect().await {
                Ok(_) => return Ok(()),
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        failed
    }

    /// The connection to a server, which is opened on first use, and reopened when it is lost.
    fn channel(&self, url: &str) -> Result<Channel, OptionsError> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(url) {
            return Ok(channel.clone());
        }
        let channel = self.endpoint(url)?.connect_lazy();
        if channels.len() >= self.urls.len() + MAX_LEARNED {
            channels.retain(|url, _| self.urls.contains(url));
        }
        channels.insert(url.to_owned(), channel.clone());
        Ok(channel)
    }
}

/// Which server a seat, an attendance or a call is at. Goes from one server to the next, and where a
/// server says that something is.
#[derive(Clone, Debug)]
pub struct Route {
    servers: Servers,
    /// The place of the last that was tried of those that were named.
    place: usize,
    url: String,
    channel: Channel,
    /// The server before has sent us here, and nothing came of it yet.
    was_sent: bool,
}

impl Route {
    /// Begins at the server that was named first.
    pub(crate) fn new(servers: &Servers) -> Result<Self, OptionsError> {
        Self::from_place(servers, 0)
    }

    /// One that begins at each server that was named.
    pub(crate) fn each(servers: &Servers) -> Result<Vec<Self>, OptionsError> {
        let places = 0..servers.urls.len();
        places
            .map(|place| Self::from_place(servers, place))
            .collect()
    }

    fn from_place(servers: &Servers, place: usize) -> Result<Self, OptionsError> {
        let url = servers.urls[place].clone();
        Ok(Self {
            channel: servers.channel(&url)?,
            servers: servers.clone(),
            place,
            url,
            was_sent: false,
        })
    }

    /// The address of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The connection to it.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// How long a server may keep one waiting for its first answer, at most `most`: where several were
    /// named, each has its share of the `span` of time in which one must be found.
    pub(crate) fn patience(&self, most: Duration, span: Duration) -> Duration {
        match u32::try_from(self.servers.urls.len()) {
            Ok(several @ 2..) => most.min(span / several),
            _ => most,
        }
    }

    /// Notes that the server has answered for itself.
    pub fn arrived(&mut self) {
        self.was_sent = false;
    }

    /// Goes to where the server says that what was asked for is; after any other failure to the
    /// next that was named. Whether that may be tried at once: two servers that send a caller back
    /// and forth must not do so without a pause.
    pub fn go_on(&mut self, failure: &Status) -> bool {
        let moved = Refusal::from_status(failure).filter(|refusal| refusal.reason == MOVED);
        let address = moved.and_then(|mut refusal| refusal.metadata.remove(MOVED_TO));
        // The same way as here: an address says nothing of TLS.
        let sent_to = address.map(|address| match self.url.starts_with("https://") {
            true => format!("https://{address}"),
            false => format!("http://{address}"),
        });
        if let Some(url) = sent_to
            && let Ok(channel) = self.servers.channel(&url)
        {
            (self.url, self.channel) = (url, channel);
            return !std::mem::replace(&mut self.was_sent, true);
        }
        self.was_sent = false;
        self.place = (self.place + 1) % self.servers.urls.len();
        let url = self.servers.urls[self.place].clone();
        // It was connected when it was named.
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
        let servers = Servers::named(urls, &TlsOptions::default()).unwrap();
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
            assert!(!route.go_on(&lost));
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
    async fn a_caller_goes_where_he_is_sent_and_pauses_when_sent_on() {
        let mut route = route("http://one:1,http://two:2");
        assert!(route.go_on(&moved("three:3")));
        assert_eq!(route.url(), "http://three:3");
        assert!(!route.go_on(&moved("one:1")), "sent on without an answer");
        assert_eq!(route.url(), "http://one:1");
        route.arrived();
        assert!(route.go_on(&moved("three:3")));
        route.go_on(&Status::unavailable("gone"));
        assert_eq!(route.url(), "http://two:2");
    }

    #[tokio::test]
    async fn each_of_several_servers_has_its_share_of_the_time() {
        let (most, span) = (Duration::from_secs(10), Duration::from_secs(12));
        for (urls, patience_s) in [
            ("http://one:1", 10),
            ("http://one:1,http://two:2", 6),
            ("http://one:1,http://two:2,http://three:3", 4),
        ] {
            let patience = route(urls).patience(most, span);
            assert_eq!(patience, Duration::from_secs(patience_s), "{urls}");
        }
    }

    #[tokio::test]
    async fn what_is_no_address_is_refused() {
        for urls in ["", "http://one:1,", "http://one:1,nonsense"] {
            let refused = Servers::named(urls, &TlsOptions::default()).unwrap_err();
            assert!(
                matches!(refused, OptionsError::ServerUrl { .. }),
                "{urls:?}"
            );
        }
        let mut route = route("http://one:1");
        assert!(!route.go_on(&moved("no address")));
        assert_eq!(route.url(), "http://one:1");
    }
}

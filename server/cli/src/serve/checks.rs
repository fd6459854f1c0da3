//! Defaults of a server's settings, and checks of their combinations.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bridgemaster_server::{Limits, identity::PublicRead};
use bridgemaster_store::NodeIdentity;

use crate::{
    failure::misuse,
    serve::settings::{DurabilityFlag, MAX_DRAIN_SECONDS, Settings},
};

/// Default address to listen on.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50051);
/// Default address of the page, with the usual port for local web servers.
const DEFAULT_PAGE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
/// Default drain time with a store, in seconds. Matches that are about to end can finish in this
/// time. Other matches continue after the restart.
const DURABLE_DRAIN_SECONDS: u32 = 5;

impl Settings {
    /// Returns the address to listen on.
    pub(super) fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or(DEFAULT_LISTEN)
    }

    /// Returns the page's address, if the server has a page.
    pub(super) fn page(&self) -> Option<SocketAddr> {
        let default = self.listen().ip().is_loopback().then_some(DEFAULT_PAGE);
        self.page.or(default).filter(|_| !self.no_page)
    }

    /// Returns whether other machines can reach the server.
    pub(super) fn is_reachable_by_others(&self) -> bool {
        let mut addresses = std::iter::once(self.listen()).chain(self.page());
        addresses.any(|addr| !addr.ip().is_loopback())
    }

    /// Returns whether matches are stored.
    fn has_store(&self) -> bool {
        self.data.is_some() || self.store.is_some()
    }

    /// Returns whether the server uses TLS.
    pub(super) fn uses_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Returns the data that is public on a server with API keys.
    pub(super) fn public_read(&self) -> PublicRead {
        self.public_read.map_or(PublicRead::None, PublicRead::from)
    }

    /// Returns this server's identity among the servers that share the store.
    pub(super) fn node(&self) -> NodeIdentity {
        match (&self.node, &self.node_address) {
            (Some(name), address) => NodeIdentity { name: name.clone(), address: address.clone() },
            (None, _) => NodeIdentity::default(),
        }
    }

    /// Returns the limits, with the drain time.
    pub(super) fn limits(&self) -> Limits {
        let mut limits = self.limits.clone();
        let default = self.has_store().then_some(DURABLE_DRAIN_SECONDS);
        if let Some(seconds) = self.drain_time.or(default) {
            limits.drain_time = Duration::from_secs(seconds.into());
        }
        limits
    }

    /// Checks that the settings do not contradict each other.
    ///
    /// # Errors
    /// Returns a misuse error that names the flags.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if self.replay_mode.is_some() && self.replays.is_none() {
            return Err(misuse("--replay-mode needs --replays DIR"));
        }
        self.check_store()?;
        self.check_node()?;
        self.check_tls()?;
        if self.public_read() != PublicRead::None && !self.require_keys {
            return Err(misuse(
                "--public-read needs --require-keys; without --require-keys all data is public",
            ));
        }
        // The flag's value parser has the same range.
        if let Some(seconds) = self.drain_time.filter(|seconds| *seconds > MAX_DRAIN_SECONDS) {
            return Err(misuse(format!(
                "drain_time: {seconds} is out of range (0..={MAX_DRAIN_SECONDS} seconds)"
            )));
        }
        self.check_addresses()
    }

    /// Rejects flags that need a store if no store is configured.
    fn check_store(&self) -> anyhow::Result<()> {
        let need_store = [
            ("--require-keys", self.require_keys),
            ("--durability", self.durability.is_some()),
            ("--keep-replays", self.keep_replays.is_some()),
            ("--drop-match", !self.drop_match.is_empty()),
        ];
        match need_store.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if !self.has_store() => {
                Err(misuse(format!("{flag} needs a store; add --data DIR or --store URL")))
            }
            _ => Ok(()),
        }
    }

    /// Rejects settings that do not work in a cluster.
    fn check_node(&self) -> anyhow::Result<()> {
        if self.node.is_some() != self.node_address.is_some() {
            return Err(misuse(
                "a node needs both a name and an address; set --node NAME and --node-address \
                 HOST:PORT",
            ));
        }
        if self.node.is_some() && self.store.is_none() {
            return Err(misuse(
                "--node needs a PostgreSQL database that the nodes share; add --store URL",
            ));
        }
        // A node that takes over a match must find every acknowledged decision in the store.
        match self.durability {
            Some(DurabilityFlag::Process) if self.node.is_some() => Err(misuse(
                "--durability process does not work with --node; omit it, or use --durability disk",
            )),
            _ => Ok(()),
        }
    }

    /// Rejects a certificate without its key, and the reverse.
    fn check_tls(&self) -> anyhow::Result<()> {
        let missing = match (&self.tls_cert, &self.tls_key) {
            (Some(_), Some(_)) => return Ok(()),
            (None, None) if self.tls_client_ca.is_none() => return Ok(()),
            (Some(_), None) => "--tls-key",
            (None, _) => "--tls-cert",
        };
        Err(misuse(format!("TLS needs a certificate and its key; add {missing} FILE")))
    }

    /// Rejects addresses that other machines can reach without encryption.
    fn check_addresses(&self) -> anyhow::Result<()> {
        let secrets = "without TLS tickets and keys cross the network unencrypted; add --tls-cert \
                       and --tls-key, ";
        let keys = "without TLS keys cross the network unencrypted; add --tls-cert and --tls-key, ";
        let addresses = [
            ("--listen", Some(self.listen()), self.uses_tls(), secrets),
            ("--page", self.page(), self.uses_tls(), keys),
            ("--metrics", self.metrics, false, "metrics need no key; "),
        ];
        for (flag, address, is_encrypted, why) in addresses {
            let exposed = address.filter(|address| !address.ip().is_loopback() && !is_encrypted);
            if let Some(address) = exposed.filter(|_| !self.insecure) {
                return Err(misuse(format!(
                    "{flag} {address}: other machines can reach this address, and {why}use a \
                     loopback address such as 127.0.0.1:{}, or allow it with --insecure",
                    address.port()
                )));
            }
        }
        Ok(())
    }
}

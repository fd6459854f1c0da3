//! A server's settings. Flags take precedence over the config file, and the config file takes
//! precedence over defaults.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use bridgemaster_proto::v1::Ladder;
use bridgemaster_replay::whole_file::FileMode;
use bridgemaster_server::{KeepReplays, Limits, identity::PublicRead, traces::Collector};
use bridgemaster_store::{InvalidText, NodeAddress, NodeIdentity, NodeName};

use crate::{
    failure::misuse,
    key::place,
    serve::{
        config_file::ConfigFile,
        flags::{DurabilityFlag, LogFormat, MAX_DRAIN_SECONDS, ServeArgs, TlsFlags},
    },
};

/// Default address to listen on.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50051);
/// Default address of the page, with the usual port for local web servers.
const DEFAULT_PAGE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
/// Default drain time with a store, in seconds. Matches that are about to end can finish in this
/// time. Other matches continue after the restart.
const DURABLE_DRAIN_SECONDS: u32 = 5;

/// A server's settings after all sources are merged.
pub(super) struct Settings {
    pub(super) listen: SocketAddr,
    pub(super) replays: Option<PathBuf>,
    pub(super) replay_mode: Option<FileMode>,
    pub(super) store: Option<StoreLocation>,
    /// This server's identity among the servers that share the store.
    pub(super) node: NodeIdentity,
    pub(super) durability: DurabilityFlag,
    pub(super) keep_replays: KeepReplays,
    pub(super) drop_match: Vec<String>,
    pub(super) require_keys: bool,
    pub(super) public_read: PublicRead,
    pub(super) rules: bool,
    pub(super) tls: TlsFlags,
    pub(super) metrics: Option<SocketAddr>,
    pub(super) otlp: Option<Collector>,
    pub(super) page: Option<PageSettings>,
    pub(super) log: LogFormat,
    pub(super) verbose: u8,
    pub(super) limits: Limits,
    pub(super) ladders: Vec<Ladder>,
}

/// Location of a store.
#[derive(Clone)]
pub(super) enum StoreLocation {
    /// A data folder's path.
    Folder(PathBuf),
    /// A PostgreSQL database's address; can contain a password.
    Database(String),
}

impl StoreLocation {
    /// Returns the store's location from the flags, the environment or the config file, in this
    /// order.
    ///
    /// # Errors
    /// The config file has both `data` and `store`, or the environment variable is not UTF-8.
    fn of(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<Option<Self>> {
        let variable = place::read()?;
        let named = match (&args.data, &args.store) {
            (None, None) if variable.is_some() => (&None, &variable),
            (None, None) => (&file.data, &file.store),
            (data, store) => (data, store),
        };
        match named {
            (Some(_), Some(_)) => Err(misuse(
                "the config file has both data and store; remove one of them",
            )),
            (Some(folder), None) => Ok(Some(Self::Folder(folder.clone()))),
            (None, Some(url)) => Ok(Some(Self::Database(url.clone()))),
            (None, None) => Ok(None),
        }
    }
}

/// Returns this node's identity, from the flags or the config file.
fn node(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<NodeIdentity> {
    let (name, address) = match (&args.node, &args.node_address) {
        (None, None) => {
            let name = file.node.as_deref().map(NodeName::new).transpose();
            let address = file
                .node_address
                .as_deref()
                .map(NodeAddress::new)
                .transpose();
            let invalid = |error: InvalidText| misuse(error.to_string());
            (name.map_err(invalid)?, address.map_err(invalid)?)
        }
        (name, address) => (name.clone(), address.clone()),
    };
    match (name, address) {
        (None, None) => Ok(NodeIdentity::default()),
        (Some(name), Some(address)) => Ok(NodeIdentity {
            name,
            address: Some(address),
        }),
        _ => Err(misuse(
            "a node needs both a name and an address; set --node NAME and --node-address \
             HOST:PORT",
        )),
    }
}

/// Returns the span collector, from the flags or the config file.
fn collector(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<Option<Collector>> {
    if args.otlp.is_some() {
        return Ok(args.otlp.clone());
    }
    let from_file = file.otlp.as_deref().map(str::parse::<Collector>);
    let from_file = from_file.transpose();
    from_file.map_err(|error| misuse(format!("otlp: {error}")))
}

/// The web page's address and names.
pub(super) struct PageSettings {
    pub(super) addr: SocketAddr,
    /// The page's host names, besides its addresses.
    pub(super) names: Vec<String>,
    /// True if the address is the default. If the default port is in use, the server starts without
    /// a page.
    pub(super) is_default: bool,
}

impl PageSettings {
    /// Returns the page settings from the flags or the config file. `listen` is the server's
    /// address.
    fn of(args: &ServeArgs, file: &ConfigFile, listen: SocketAddr) -> Option<Self> {
        let requested = match (args.page, args.no_page) {
            (Some(addr), _) => Some(addr),
            (None, true) => return None,
            (None, false) if file.no_page => return None,
            (None, false) => file.page,
        };
        let default = listen.ip().is_loopback().then_some(DEFAULT_PAGE);
        let names = if args.page_host.is_empty() {
            &file.page_host
        } else {
            &args.page_host
        };
        Some(Self {
            addr: requested.or(default)?,
            names: names.clone(),
            is_default: requested.is_none(),
        })
    }
}

impl Settings {
    /// Merges the flags, the environment and the config file.
    ///
    /// # Errors
    /// The file is invalid, or settings contradict each other.
    pub(super) fn of(args: ServeArgs) -> anyhow::Result<Self> {
        let file = match &args.config {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::default(),
        };
        let ladders = match &args.config {
            Some(path) => file.ladders(path)?,
            None => Vec::new(),
        };
        let insecure = args.insecure || file.insecure;
        let durability = args.durability.or(file.durability);
        let keep_replays = args.keep_replays.or(file.keep_replays);
        let public_read = args.public_read.or(file.public_read);
        let drain_time = args.drain_time.or(file.drain_time);
        let listen = args.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN);
        let store = StoreLocation::of(&args, &file)?;
        let node = node(&args, &file)?;
        let otlp = collector(&args, &file)?;
        let settings = Self {
            page: PageSettings::of(&args, &file, listen),
            listen,
            replays: args.replays.or(file.replays),
            replay_mode: args.replay_mode.or(file.replay_mode),
            store,
            node,
            durability: durability.unwrap_or(DurabilityFlag::Disk),
            keep_replays: keep_replays.unwrap_or_default(),
            drop_match: args.drop_match,
            require_keys: args.require_keys || file.require_keys,
            public_read: public_read.map_or(PublicRead::None, PublicRead::from),
            rules: args.rules || file.rules,
            tls: args
                .tls
                .or(file.tls_cert, file.tls_key, file.tls_client_ca)?,
            metrics: args.metrics.or(file.metrics),
            otlp,
            log: args.log.or(file.log).unwrap_or(LogFormat::Text),
            verbose: args.verbose,
            limits: file.limits,
            ladders,
        };
        settings.check_replay_mode()?;
        settings.check_store(durability.is_some(), keep_replays.is_some())?;
        settings.check_node()?;
        settings.check_public_read()?;
        settings.check_addresses(insecure)?;
        settings.with_drain_time(drain_time)
    }

    /// Returns whether other machines can reach the server.
    pub(super) fn is_reachable_by_others(&self) -> bool {
        let page = self.page.as_ref().map(|page| page.addr);
        let mut addresses = std::iter::once(self.listen).chain(page);
        addresses.any(|addr| !addr.ip().is_loopback())
    }

    /// Rejects `--replay-mode` without `--replays`.
    fn check_replay_mode(&self) -> anyhow::Result<()> {
        match (&self.replays, self.replay_mode) {
            (None, Some(_)) => Err(misuse("--replay-mode needs --replays DIR")),
            _ => Ok(()),
        }
    }

    /// Rejects flags that need a store if no store is configured.
    fn check_store(&self, has_durability: bool, has_keep_replays: bool) -> anyhow::Result<()> {
        let need_store = [
            ("--require-keys", self.require_keys),
            ("--durability", has_durability),
            ("--keep-replays", has_keep_replays),
            ("--drop-match", !self.drop_match.is_empty()),
        ];
        match need_store.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.store.is_none() => Err(misuse(format!(
                "{flag} needs a store; add --data DIR or --store URL"
            ))),
            _ => Ok(()),
        }
    }

    /// Rejects settings that do not work in a cluster.
    fn check_node(&self) -> anyhow::Result<()> {
        if self.node.address.is_none() {
            return Ok(());
        }
        if !matches!(self.store, Some(StoreLocation::Database(_))) {
            return Err(misuse(
                "--node needs a PostgreSQL database that the nodes share; add --store URL",
            ));
        }
        // A node that takes over a match must find every acknowledged decision.
        match self.durability {
            DurabilityFlag::Disk => Ok(()),
            DurabilityFlag::Process => Err(misuse(
                "--durability process does not work with --node; omit it, or use --durability disk",
            )),
        }
    }

    /// Rejects `--public-read` on a server without API keys, because such a server has only public
    /// data.
    fn check_public_read(&self) -> anyhow::Result<()> {
        if self.public_read != PublicRead::None && !self.require_keys {
            return Err(misuse(
                "--public-read needs --require-keys; without --require-keys all data is public",
            ));
        }
        Ok(())
    }

    fn check_addresses(&self, insecure: bool) -> anyhow::Result<()> {
        if insecure {
            return Ok(());
        }
        let Self { listen, .. } = self;
        if !listen.ip().is_loopback() && !self.tls.is_enabled() {
            return Err(misuse(format!(
                "--listen {listen}: other machines can reach this address, and without TLS tickets \
                 and keys cross the network unencrypted; add --tls-cert and --tls-key, use a \
                 loopback address such as 127.0.0.1:{}, or allow it with --insecure",
                listen.port()
            )));
        }
        if let Some(page) = &self.page
            && !page.addr.ip().is_loopback()
            && !self.tls.is_enabled()
        {
            return Err(misuse(format!(
                "--page {0}: other machines can reach this address, and without TLS keys cross the \
                 network unencrypted; add --tls-cert and --tls-key, use a loopback address such as \
                 127.0.0.1:{1}, or allow it with --insecure",
                page.addr,
                page.addr.port()
            )));
        }
        match self.metrics {
            Some(metrics) if !metrics.ip().is_loopback() => Err(misuse(format!(
                "--metrics {metrics}: other machines can reach this address, and metrics need no \
                 key; use a loopback address such as 127.0.0.1:{}, or allow it with --insecure",
                metrics.port()
            ))),
            _ => Ok(()),
        }
    }

    fn with_drain_time(mut self, seconds: Option<u32>) -> anyhow::Result<Self> {
        let default = self.store.is_some().then_some(DURABLE_DRAIN_SECONDS);
        if let Some(seconds) = seconds.or(default) {
            if seconds > MAX_DRAIN_SECONDS {
                return Err(misuse(format!(
                    "drain_time: {seconds} is out of range (0..={MAX_DRAIN_SECONDS} seconds)"
                )));
            }
            self.limits.drain_time = Duration::from_secs(seconds.into());
        }
        Ok(self)
    }
}

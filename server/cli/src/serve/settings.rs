//! The settings of a server: flags first, then the config file, then defaults.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use bridgemaster_proto::v1::Ladder;
use bridgemaster_server::{KeepReplays, Limits, identity::PublicRead, traces::Collector};
use bridgemaster_store::{InvalidText, NodeAddress, NodeIdentity, NodeName};

use super::{
    config_file::ConfigFile,
    flags::{LogForm, MAX_DRAIN_SECONDS, ServeArgs, Survives},
};
use crate::{failure::misuse, store_variable, tls_flags::TlsFlags};

/// Default listen address.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50051);
/// Default address of the page: the port that programs with a page for their users usually take.
const DEFAULT_PAGE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
/// Default drain time with a store, in seconds: enough for matches that are about to end; the
/// others go on after the restart.
const DURABLE_DRAIN_SECONDS: u32 = 5;

/// The settings of a server.
pub(super) struct Settings {
    pub(super) listen: SocketAddr,
    pub(super) replays: Option<PathBuf>,
    pub(super) store: Option<StorePlace>,
    /// Which server it is of those that share the store.
    pub(super) node: NodeIdentity,
    /// Whether calls are passed on to other servers.
    pub(super) forward: bool,
    pub(super) survives: Survives,
    pub(super) keep_replays: KeepReplays,
    pub(super) drop_match: Vec<String>,
    pub(super) require_keys: bool,
    pub(super) public_read: PublicRead,
    pub(super) rules: bool,
    pub(super) tls: TlsFlags,
    pub(super) metrics: Option<SocketAddr>,
    /// Where spans are sent.
    pub(super) otlp: Option<Collector>,
    pub(super) page: Option<PageSettings>,
    pub(super) log: LogForm,
    pub(super) verbose: u8,
    pub(super) limits: Limits,
    pub(super) ladders: Vec<Ladder>,
}

/// Where a store is.
#[derive(Clone)]
pub(super) enum StorePlace {
    /// In a data folder.
    Folder(PathBuf),
    /// In the PostgreSQL database of this address, which may have a password.
    Database(String),
}

impl StorePlace {
    /// That of the flags, else of the environment, else of the file.
    ///
    /// # Errors
    /// When the file names two, or the environment is no text.
    fn of(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<Option<Self>> {
        let variable = store_variable::read()?;
        let named = match (&args.data, &args.store) {
            (None, None) if variable.is_some() => (&None, &variable),
            (None, None) => (&file.data, &file.store),
            (data, store) => (data, store),
        };
        match named {
            (Some(_), Some(_)) => Err(misuse(
                "data and store: a server keeps its matches in one of them",
            )),
            (Some(folder), None) => Ok(Some(Self::Folder(folder.clone()))),
            (None, Some(url)) => Ok(Some(Self::Database(url.clone()))),
            (None, None) => Ok(None),
        }
    }
}

/// Which server this is, by flags and file. A flag wins.
fn node(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<NodeIdentity> {
    let (name, address) = match (&args.node, &args.advertise) {
        (None, None) => {
            let name = file.node.as_deref().map(NodeName::new).transpose();
            let address = file.advertise.as_deref().map(NodeAddress::new).transpose();
            let wrong = |error: InvalidText| misuse(error.to_string());
            (name.map_err(wrong)?, address.map_err(wrong)?)
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
            "node and advertise: a server that shares its database has a name and an address",
        )),
    }
}

/// Where spans are sent, by flags and file. A flag wins.
fn collector(args: &ServeArgs, file: &ConfigFile) -> anyhow::Result<Option<Collector>> {
    if args.otlp.is_some() {
        return Ok(args.otlp.clone());
    }
    let of_file = file.otlp.as_deref().map(str::parse::<Collector>);
    let of_file = of_file.transpose();
    of_file.map_err(|error| misuse(format!("otlp: {error}")))
}

/// Where the page is served.
pub(super) struct PageSettings {
    pub(super) addr: SocketAddr,
    /// Names of the server besides its addresses.
    pub(super) names: Vec<String>,
    /// Nobody has asked for it: the server does without if another program has the port.
    pub(super) is_default: bool,
}

impl PageSettings {
    /// Those of flags and file, beside a server that listens on `listen`. A flag wins.
    fn of(args: &ServeArgs, file: &ConfigFile, listen: SocketAddr) -> Option<Self> {
        let asked = match (args.page, args.no_page) {
            (Some(addr), _) => Some(addr),
            (None, true) => return None,
            (None, false) if file.no_page => return None,
            (None, false) => file.page,
        };
        let default = listen.ip().is_loopback().then_some(DEFAULT_PAGE);
        let names = match args.page_host.is_empty() {
            true => &file.page_host,
            false => &args.page_host,
        };
        Some(Self {
            addr: asked.or(default)?,
            names: names.clone(),
            is_default: asked.is_none(),
        })
    }
}

impl Settings {
    /// Merges flags and config file.
    ///
    /// # Errors
    /// When the file cannot be used, or flags and file contradict each other.
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
        let survives = args.survives.or(file.survives);
        let keep_replays = args.keep_replays.or(file.keep_replays);
        let public_read = args.public_read.or(file.public_read);
        let drain_time = args.drain_time.or(file.drain_time);
        let listen = args.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN);
        let store = StorePlace::of(&args, &file)?;
        let node = node(&args, &file)?;
        let otlp = collector(&args, &file)?;
        let settings = Self {
            page: PageSettings::of(&args, &file, listen),
            listen,
            replays: args.replays.or(file.replays),
            store,
            node,
            forward: args.forward || file.forward,
            survives: survives.unwrap_or(Survives::Power),
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
            log: args.log.or(file.log).unwrap_or(LogForm::Text),
            verbose: args.verbose,
            limits: file.limits,
            ladders,
        };
        settings.check_data(survives.is_some(), keep_replays.is_some())?;
        settings.check_node()?;
        settings.check_public_read()?;
        settings.check_addresses(insecure)?;
        settings.with_drain_time(drain_time)
    }

    /// Whether other machines can reach the server.
    pub(super) fn is_reached_by_others(&self) -> bool {
        let page = self.page.as_ref().map(|page| page.addr);
        let mut addresses = std::iter::once(self.listen).chain(page);
        addresses.any(|addr| !addr.ip().is_loopback())
    }

    /// Refuses flags that need a store when none is given.
    fn check_data(&self, says_what_survives: bool, says_what_is_kept: bool) -> anyhow::Result<()> {
        let needing = [
            ("--require-keys", self.require_keys),
            ("--survives", says_what_survives),
            ("--keep-replays", says_what_is_kept),
            ("--drop-match", !self.drop_match.is_empty()),
        ];
        match needing.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.store.is_none() => Err(misuse(format!(
                "{flag} needs the data folder of --data DIR, or the database of --store URL"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses what several servers over one database cannot do.
    fn check_node(&self) -> anyhow::Result<()> {
        if self.node.address.is_none() {
            return match self.forward {
                false => Ok(()),
                true => Err(misuse(
                    "forward: calls are passed on to the other servers of a cluster; name this one \
                     with --node and --advertise",
                )),
            };
        }
        if !matches!(self.store, Some(StorePlace::Database(_))) {
            return Err(misuse(
                "--node: several servers share a PostgreSQL database; name it with --store URL",
            ));
        }
        // What another server tells of a match must be there when this one is gone.
        match self.survives {
            Survives::Power => Ok(()),
            Survives::Kill => Err(misuse(
                "--survives kill: with --node every answer waits for the disk; leave it out",
            )),
        }
    }

    /// Refuses to show less than everything where no keys are asked for.
    fn check_public_read(&self) -> anyhow::Result<()> {
        if self.public_read != PublicRead::None && !self.require_keys {
            return Err(misuse(
                "--public-read says what is shown without an API key where keys are required: give \
                 --require-keys too; without it everything is shown to everybody",
            ));
        }
        Ok(())
    }

    fn check_addresses(&self, insecure: bool) -> anyhow::Result<()> {
        if insecure {
            return Ok(());
        }
        let Self { listen, .. } = self;
        if !listen.ip().is_loopback() && !self.tls.is_given() {
            return Err(misuse(format!(
                "--listen {listen}: other machines reach this address, and without TLS tickets \
                 and keys cross the network unencrypted; give --tls-cert and --tls-key, listen \
                 on a loopback address such as 127.0.0.1:{}, or accept that with --insecure",
                listen.port()
            )));
        }
        if let Some(page) = &self.page
            && !page.addr.ip().is_loopback()
            && !self.tls.is_given()
        {
            return Err(misuse(format!(
                "--page {0}: other machines reach this address, and without TLS keys cross the \
                 network unencrypted; give --tls-cert and --tls-key, use a loopback address such \
                 as 127.0.0.1:{1}, or accept that with --insecure",
                page.addr,
                page.addr.port()
            )));
        }
        match self.metrics {
            Some(metrics) if !metrics.ip().is_loopback() => Err(misuse(format!(
                "--metrics {metrics}: other machines reach this address, and the page asks nobody \
                 for a key; use a loopback address such as 127.0.0.1:{}, or accept that with \
                 --insecure",
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
                    "drain_time: {seconds} is not in 0 to {MAX_DRAIN_SECONDS} seconds"
                )));
            }
            self.limits.drain_time = Duration::from_secs(seconds.into());
        }
        Ok(self)
    }
}

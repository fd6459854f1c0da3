//! `bridgemaster serve`: runs a server until it is stopped.

mod config_file;
mod flags;
mod log;
mod rules;
mod settings;

use std::{io, net::SocketAddr, path::Path, sync::Arc};

use bridgemaster_sdk::{TlsOptions, endpoint};
use bridgemaster_server::{
    BindError, NodeConnector, Server, ServerOptions, SharedStore, Storage, traces::MAX_QUEUE_BYTES,
};
use bridgemaster_store::{
    DataDir, Durability, IntegrityCheck, KeyStore, Nodes, PostgresStore, SqliteOptions,
    SqliteStore, Store, StoreError,
};
use clap::{Args, Subcommand};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    failure::misuse,
    output,
    process::{block_on, stop_requested},
    serve::{
        flags::{ServeArgs, reload_on_hangup},
        rules::RulesArgs,
        settings::{PageSettings, Settings, StoreLocation},
    },
};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ServeCommand {
    #[command(subcommand)]
    command: Option<ServeSubcommand>,
    #[command(flatten)]
    args: ServeArgs,
}

#[derive(Subcommand)]
enum ServeSubcommand {
    /// Run a local rules server, for bots in languages without the rules library
    Rules(RulesArgs),
}

impl ServeCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Some(ServeSubcommand::Rules(args)) => args.run(),
            None => self.args.run(),
        }
    }
}

impl ServeArgs {
    fn run(self) -> anyhow::Result<()> {
        let settings = Settings::of(self)?;
        let (missing_lines, _writing) = log::start(&settings);
        let served = block_on(async {
            tokio::spawn(missing_lines.clone().report_periodically());
            serve(settings).await
        });
        missing_lines.report();
        served
    }
}

async fn serve(mut settings: Settings) -> anyhow::Result<()> {
    let tls = settings.tls.load()?;
    reload_on_hangup(tls.clone())?;
    if settings.is_reachable_by_others() && !settings.require_keys {
        warn!(
            "anyone who reaches the server can create matches; require API keys with --require-keys"
        );
    }
    let (traces, span_export) = log::start_export(&settings);
    let connector = node_connector(&settings)?;
    let (store, shared) = open_store(&settings, connector).await?.unzip();
    let shared = shared.flatten();
    let has_page = settings.page.is_some();
    settings.limits.fit_open_files(has_page, 0);
    log_memory_bound(&settings);
    let keys = store.clone().filter(|_| settings.require_keys);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let options = ServerOptions {
        tls,
        metrics: settings.metrics,
        limits: settings.limits,
        rules: settings.rules,
        replays: settings.replays,
        private: None,
        replay_mode: settings.replay_mode,
        public_read: settings.public_read,
        ladders: settings.ladders,
        traces,
        keys: keys.map(|store| store as Arc<dyn KeyStore>),
        storage: store.map(|store| Storage {
            store,
            dropped_matches: settings.drop_match,
            keep_replays: settings.keep_replays,
            shared,
        }),
    };
    let mut server = Server::bind(settings.listen, options)
        .await
        .map_err(with_hint)?;
    let page = match settings.page {
        Some(page) => open_page(&mut server, page).await?,
        None => None,
    };
    let (drain, stop) = (CancellationToken::new(), CancellationToken::new());
    let first_signal = stop_requested();
    let (start_drain, start_stop) = (drain.clone(), stop.clone());
    tokio::spawn(async move {
        first_signal.await;
        let second_signal = stop_requested();
        start_drain.cancel();
        second_signal.await;
        start_stop.cancel();
    });
    print_addresses(&server, scheme, page)?;
    let served = server.run_and_drain(drain, stop).await;
    span_export.finish().await;
    Ok(served?)
}

/// Logs the upper bound on the server's memory use.
fn log_memory_bound(settings: &Settings) {
    let of_rules = if settings.rules {
        settings.limits.memory_bound_of_rules()
    } else {
        0
    };
    let of_forwarding = if settings.node.address.is_some() {
        settings.limits.memory_bound_of_forwarding()
    } else {
        0
    };
    let of_spans = settings.otlp.as_ref().map_or(0, |_| MAX_QUEUE_BYTES);
    let bound = settings.limits.memory_bound();
    let memory_mib = [of_rules, of_forwarding, of_spans]
        .into_iter()
        .fold(bound, u64::saturating_add)
        >> 20;
    info!(memory_mib, "upper bound of memory use");
}

/// Prints the server's addresses.
fn print_addresses(server: &Server, scheme: &str, page: Option<OpenedPage>) -> io::Result<()> {
    output::print(&format!(
        "listening on {scheme}://{} (Ctrl-C stops)\n",
        server.local_addr()
    ))?;
    if let Some(addr) = server.metrics_addr() {
        output::print(&format!("metrics at http://{addr}/metrics\n"))?;
    }
    match page {
        Some(OpenedPage::Serving(addr)) => output::print(&format!("page at {scheme}://{addr}/\n")),
        Some(OpenedPage::PortInUse(addr)) => output::print(&format!(
            "no page: {addr} is in use; use another address with --page ADDR:PORT\n"
        )),
        None => Ok(()),
    }
}

/// Outcome of opening the page.
enum OpenedPage {
    /// The page is served at this address.
    Serving(SocketAddr),
    /// The default port is in use by another program.
    PortInUse(SocketAddr),
}

/// Opens the page. A default port that is in use is not an error.
async fn open_page(server: &mut Server, page: PageSettings) -> anyhow::Result<Option<OpenedPage>> {
    let PageSettings {
        addr,
        names,
        is_default,
    } = page;
    match server.open_page(addr, names).await {
        Ok(addr) => Ok(Some(OpenedPage::Serving(addr))),
        Err(BindError::Listen { addr, source })
            if is_default && source.kind() == io::ErrorKind::AddrInUse =>
        {
            Ok(Some(OpenedPage::PortInUse(addr)))
        }
        Err(error) => Err(with_hint(error)),
    }
}

/// Adds a hint to an error, if a fix for the problem is known.
fn with_hint(error: BindError) -> anyhow::Error {
    let hint = match &error {
        BindError::Listen { addr, source } => match source.kind() {
            io::ErrorKind::AddrInUse => format!(
                "another program uses this address, perhaps an earlier server; stop that program, \
                 or let the system pick a free port with {}",
                SocketAddr::new(addr.ip(), 0)
            ),
            io::ErrorKind::AddrNotAvailable => {
                "this machine has no network interface with this address".to_owned()
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need administrator rights on many systems".to_owned()
            }
            _ => return error.into(),
        },
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {hint}")
}

/// Returns the function that connects to the cluster's other nodes. If this server uses TLS, these
/// connections use TLS too, with the client TLS options from the environment.
///
/// # Errors
/// The TLS files of a node are invalid.
fn node_connector(settings: &Settings) -> anyhow::Result<NodeConnector> {
    let scheme = if settings.tls.is_enabled() {
        "https"
    } else {
        "http"
    };
    let tls = TlsOptions::from_env();
    let connector: NodeConnector = Arc::new(move |address| {
        let endpoint = endpoint(&format!("{scheme}://{address}"), &tls);
        endpoint.map_err(|error| error.to_string())
    });
    if let Some(own) = &settings.node.address {
        // Report invalid files at startup instead of at the first call.
        connector(own.as_str()).map_err(|problem| misuse(format!("--node-address: {problem}")))?;
    }
    Ok(connector)
}

/// Opens the configured store, if any. A database also contains the state that cluster nodes share.
async fn open_store(
    settings: &Settings,
    connector: NodeConnector,
) -> Result<Option<(Arc<dyn Store>, Option<SharedStore>)>, StoreError> {
    let durability = settings.durability.into();
    match &settings.store {
        None => Ok(None),
        Some(StoreLocation::Folder(folder)) => {
            let drops_matches = !settings.drop_match.is_empty();
            let store = open_folder(folder, durability, drops_matches).await?;
            Ok(Some((store, None)))
        }
        Some(StoreLocation::Database(url)) => {
            let identity = settings.node.clone();
            let store = Arc::new(PostgresStore::open_as(url, durability, &identity).await?);
            let nodes = Arc::clone(&store) as Arc<dyn Nodes>;
            let shared = SharedStore {
                nodes,
                identity,
                connector,
            };
            Ok(Some((store, Some(shared))))
        }
    }
}

/// Opens the store in a data folder.
async fn open_folder(
    folder: &Path,
    durability: Durability,
    drops_matches: bool,
) -> Result<Arc<dyn Store>, StoreError> {
    let options = SqliteOptions {
        durability,
        // Dropping a match frees pages in the file. If the file is damaged, freed pages could
        // belong to other values.
        integrity_check: if drops_matches {
            IntegrityCheck::Full
        } else {
            IntegrityCheck::AllButReplays
        },
        ..SqliteOptions::default()
    };
    let dir = DataDir::prepare(folder)?;
    Ok(Arc::new(SqliteStore::open(&dir, options).await?))
}

//! `bridgemaster serve`: runs a server until it is stopped.

mod certificate;
mod checks;
mod ladders;
mod log;
#[cfg(target_os = "linux")]
mod notify;
mod rules;
mod settings;

use std::{io, net::SocketAddr, path::Path, process::ExitCode, sync::Arc};

use bridgemaster_sdk::{TlsOptions, endpoint};
use bridgemaster_server::{
    BindError, Limits, NodeConnector, Server, ServerOptions, SharedStore, Storage,
    traces::MAX_QUEUE_BYTES,
};
use bridgemaster_store::{
    DataDir, Durability, IntegrityCheck, KeyStore, Nodes, PostgresStore, SqliteOptions,
    SqliteStore, Store, StoreError,
};
use clap::{Args, Subcommand};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::{
    failure::{self, misuse},
    output,
    process::{block_on, ignore_other_signals, stop_requested},
    serve::{
        rules::RulesArgs,
        settings::{LogFormat, ServeArgs, Settings},
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
    pub(super) fn run(self) -> ExitCode {
        match self.command {
            Some(ServeSubcommand::Rules(args)) => failure::exit_code(args.run()),
            None => self.args.run(),
        }
    }
}

impl ServeArgs {
    fn run(self) -> ExitCode {
        let settings = match self.0 {
            Ok(settings) => settings,
            Err(error) => return failure::report(&error),
        };
        let is_json = settings.log == Some(LogFormat::Json);
        let (missing_lines, _writing) = log::start(&settings);
        let served = settings.check().and_then(|()| {
            block_on(async {
                tokio::spawn(missing_lines.clone().report_periodically());
                serve(settings).await
            })
        });
        missing_lines.report();
        match served {
            Err(error) if is_json => {
                let reason = failure::with_causes(&error);
                error!(reason, "the server has stopped");
                failure::code(&error)
            }
            served => failure::exit_code(served),
        }
    }
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let ladders = ladders::parse(&settings)?;
    let tls = certificate::load(&settings)?;
    certificate::watch(tls.clone())?;
    ignore_other_signals();
    if settings.is_reachable_by_others() && !settings.require_keys {
        warn!(
            "anyone who reaches the server can create matches; require API keys with --require-keys"
        );
    }
    let (span_recorder, span_export) = log::start_export(&settings)?;
    let connector = node_connector(&settings)?;
    let (store, shared) = open_store(&settings, connector).await?.unzip();
    let shared = shared.flatten();
    let page = settings.page();
    let mut limits = settings.limits();
    limits.fit_open_files(page.is_some(), 0);
    log_memory_bound(&settings, &limits);
    let (listen, is_default_page) = (settings.listen(), settings.page.is_none());
    let public_read = settings.public_read();
    let keys = store.clone().filter(|_| settings.require_keys);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let options = ServerOptions {
        tls,
        metrics: settings.metrics,
        limits,
        rules: settings.rules,
        replays: settings.replays,
        private: None,
        replay_mode: settings.replay_mode,
        public_read,
        ladders,
        span_recorder,
        keys: keys.map(|store| store as Arc<dyn KeyStore>),
        storage: store.map(|store| Storage {
            store,
            dropped_matches: settings.drop_match,
            keep_replays: settings.keep_replays.unwrap_or_default(),
            shared,
        }),
    };
    let mut server = Server::bind(listen, options).await.map_err(with_hint)?;
    let page = match page {
        Some(addr) => {
            Some(open_page(&mut server, addr, settings.page_host, is_default_page).await?)
        }
        None => None,
    };
    let (drain, stop) = drain_and_stop_on_signals();
    print_addresses(&server, scheme, page)?;
    #[cfg(target_os = "linux")]
    notify::start(drain.clone());
    let served = server.run_and_drain(drain, stop).await;
    span_export.finish().await;
    Ok(served?)
}

/// Returns tokens that the first and the second signal cancel.
fn drain_and_stop_on_signals() -> (CancellationToken, CancellationToken) {
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
    (drain, stop)
}

/// Logs the upper bound on the server's memory use.
fn log_memory_bound(settings: &Settings, limits: &Limits) {
    let parts = [
        (true, limits.memory_bound()),
        (settings.rules, limits.memory_bound_of_rules()),
        (settings.node.is_some(), limits.memory_bound_of_forwarding()),
        (settings.otlp.is_some(), MAX_QUEUE_BYTES),
    ];
    let used = parts.into_iter().filter(|(is_used, _)| *is_used);
    let memory_mib = used.fold(0, |sum: u64, (_, bytes)| sum.saturating_add(bytes)) >> 20;
    info!(memory_mib, "upper bound of memory use");
}

/// Prints the server's addresses.
fn print_addresses(server: &Server, scheme: &str, page: Option<OpenedPage>) -> io::Result<()> {
    output::print(&format!("listening on {scheme}://{} (Ctrl-C stops)\n", server.local_addr()))?;
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
async fn open_page(
    server: &mut Server,
    addr: SocketAddr,
    names: Vec<String>,
    is_default: bool,
) -> anyhow::Result<OpenedPage> {
    match server.open_page(addr, names).await {
        Ok(addr) => Ok(OpenedPage::Serving(addr)),
        Err(BindError::Listen { addr, source })
            if is_default && source.kind() == io::ErrorKind::AddrInUse =>
        {
            Ok(OpenedPage::PortInUse(addr))
        }
        Err(error) => Err(with_hint(error)),
    }
}

/// Adds a hint to an error that has a known fix.
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
/// Returns an error if the TLS files of a node are invalid.
fn node_connector(settings: &Settings) -> anyhow::Result<NodeConnector> {
    let scheme = if settings.uses_tls() { "https" } else { "http" };
    let tls = TlsOptions::from_env();
    let connector: NodeConnector = Arc::new(move |address| {
        let endpoint = endpoint(&format!("{scheme}://{address}"), &tls);
        endpoint.map_err(|error| error.to_string())
    });
    if let Some(own) = &settings.node_address {
        // Reports invalid files at startup instead of at the first call.
        connector(own.as_str()).map_err(|problem| misuse(format!("--node-address: {problem}")))?;
    }
    Ok(connector)
}

/// Opens the configured store, if any. A database also contains the state that cluster nodes share.
async fn open_store(
    settings: &Settings,
    connector: NodeConnector,
) -> Result<Option<(Arc<dyn Store>, Option<SharedStore>)>, StoreError> {
    let durability = settings.durability.unwrap_or_default().into();
    if let Some(url) = &settings.store {
        let identity = settings.node();
        let store = Arc::new(PostgresStore::open_as(url, durability, &identity).await?);
        let nodes = Arc::clone(&store) as Arc<dyn Nodes>;
        let shared = SharedStore { nodes, identity, connector };
        return Ok(Some((store, Some(shared))));
    }
    let Some(folder) = &settings.data else {
        return Ok(None);
    };
    let store = open_folder(folder, durability, !settings.drop_match.is_empty()).await?;
    Ok(Some((store, None)))
}

/// Opens the store in a data folder.
async fn open_folder(
    folder: &Path,
    durability: Durability,
    drops_matches: bool,
) -> Result<Arc<dyn Store>, StoreError> {
    let options = SqliteOptions {
        durability,
        migrates: true,
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

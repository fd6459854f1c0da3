//! `bridgemaster serve`: a server until it is stopped.

mod config_file;
mod flags;
mod forwarding;
mod keep_replays;
mod ladders;
mod log;
mod open_files;
mod settings;
mod spans;

use std::{io, net::SocketAddr, path::Path, sync::Arc};

use bridgemaster_server::{
    BindError, Server, ServerOptions, SharedStore, Storage, traces::QUEUE_BYTES,
};
use bridgemaster_store::{
    DataDir, Durability, IntegrityCheck, KeyStore, Nodes, PostgresStore, SqliteOptions,
    SqliteStore, Store, StoreError,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{output, runtime::block_on, stop_signal::asked_to_stop, tls_flags::reload_on_hangup};
use settings::{PageSettings, Settings, StorePlace};

pub(super) use flags::ServeArgs;

impl ServeArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let settings = Settings::of(self)?;
        let (missing_lines, _writing) = log::start(&settings);
        let served = block_on(async {
            tokio::spawn(missing_lines.clone().tell_on());
            serve(settings).await
        });
        missing_lines.tell();
        served
    }
}

async fn serve(mut settings: Settings) -> anyhow::Result<()> {
    let tls = settings.tls.load()?;
    reload_on_hangup(tls.clone())?;
    if settings.is_reached_by_others() && !settings.require_keys {
        warn!(
            "anybody who can reach the server can make matches; require API keys with --require-keys"
        );
    }
    let (traces, exporting) = spans::begin(&settings);
    let forward = forwarding::dial(&settings)?;
    let (store, shared) = open_store(&settings).await?.unzip();
    let shared = shared.flatten();
    let shared = shared.map(|shared| SharedStore { forward, ..shared });
    open_files::fit(&mut settings.limits, settings.page.is_some());
    log_memory_bound(&settings);
    let keys = store.clone().filter(|_| settings.require_keys);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let options = ServerOptions {
        tls,
        metrics: settings.metrics,
        limits: settings.limits,
        rules: settings.rules,
        replays: settings.replays,
        public_read: settings.public_read,
        ladders: settings.ladders,
        traces,
        keys: keys.map(|store| store as Arc<dyn KeyStore>),
        storage: store.map(|store| Storage {
            store,
            given_up: settings.drop_match,
            keep_replays: settings.keep_replays,
            shared,
        }),
    };
    let mut server = Server::bind(settings.listen, options)
        .await
        .map_err(explained)?;
    let page = match settings.page {
        Some(page) => open_page(&mut server, page).await?,
        None => None,
    };
    let (drain, stop) = (CancellationToken::new(), CancellationToken::new());
    let asked = asked_to_stop();
    let (drained, stopped) = (drain.clone(), stop.clone());
    tokio::spawn(async move {
        asked.await;
        let asked_again = asked_to_stop();
        drained.cancel();
        asked_again.await;
        stopped.cancel();
    });
    print_addresses(&server, scheme, page)?;
    let served = server.run_and_drain(drain, stop).await;
    exporting.finish().await;
    Ok(served?)
}

/// Logs how much memory the server takes at most.
fn log_memory_bound(settings: &Settings) {
    let of_rules = match settings.rules {
        true => settings.limits.memory_bound_of_rules(),
        false => 0,
    };
    let of_forwarding = match settings.forward {
        true => settings.limits.memory_bound_of_forwarding(),
        false => 0,
    };
    let of_spans = settings.otlp.as_ref().map_or(0, |_| QUEUE_BYTES);
    let bound = settings.limits.memory_bound();
    let memory_mib = [of_rules, of_forwarding, of_spans]
        .into_iter()
        .fold(bound, u64::saturating_add)
        >> 20;
    info!(memory_mib, "memory is bounded");
}

/// Prints where the server listens.
fn print_addresses(server: &Server, scheme: &str, page: Option<Opened>) -> io::Result<()> {
    output::print(&format!(
        "listening on {scheme}://{} (Ctrl-C stops)\n",
        server.local_addr()
    ))?;
    if let Some(addr) = server.metrics_addr() {
        output::print(&format!("metrics at http://{addr}/metrics\n"))?;
    }
    match page {
        Some(Opened::At(addr)) => output::print(&format!("page at {scheme}://{addr}/\n")),
        Some(Opened::Taken(addr)) => output::print(&format!(
            "no page: another program has {addr}; --page ADDR:PORT takes another\n"
        )),
        None => Ok(()),
    }
}

/// What became of the page.
enum Opened {
    /// It is served here.
    At(SocketAddr),
    /// Another program has the default port.
    Taken(SocketAddr),
}

/// Opens the page. That its default port is taken does not keep the server from its work.
async fn open_page(server: &mut Server, page: PageSettings) -> anyhow::Result<Option<Opened>> {
    let PageSettings {
        addr,
        names,
        is_default,
    } = page;
    match server.open_page(addr, names).await {
        Ok(addr) => Ok(Some(Opened::At(addr))),
        Err(BindError::Listen { addr, source })
            if is_default && source.kind() == io::ErrorKind::AddrInUse =>
        {
            Ok(Some(Opened::Taken(addr)))
        }
        Err(error) => Err(explained(error)),
    }
}

/// An error with what to do about it, where that is known.
fn explained(error: BindError) -> anyhow::Error {
    let hint = match &error {
        BindError::Listen { addr, source } => match source.kind() {
            io::ErrorKind::AddrInUse => format!(
                "another program listens there, such as a server that was started before; stop \
                 it, or listen on another port: {} is a free one",
                SocketAddr::new(addr.ip(), 0)
            ),
            io::ErrorKind::AddrNotAvailable => {
                "no network of this machine has that address".to_owned()
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 are the administrator's on many systems".to_owned()
            }
            _ => return error.into(),
        },
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {hint}")
}

/// The store of the settings, if they name one, and how servers share it, if several can.
async fn open_store(
    settings: &Settings,
) -> Result<Option<(Arc<dyn Store>, Option<SharedStore>)>, StoreError> {
    let durability = settings.survives.into();
    match &settings.store {
        None => Ok(None),
        Some(StorePlace::Folder(folder)) => {
            let is_to_drop = !settings.drop_match.is_empty();
            let store = open_folder(folder, durability, is_to_drop).await?;
            Ok(Some((store, None)))
        }
        Some(StorePlace::Database(url)) => {
            let identity = settings.node.clone();
            let store = Arc::new(PostgresStore::open_as(url, durability, &identity).await?);
            let nodes = Arc::clone(&store) as Arc<dyn Nodes>;
            let shared = SharedStore {
                nodes,
                identity,
                forward: None,
            };
            Ok(Some((store, Some(shared))))
        }
    }
}

/// The store in a data folder, from which something may be dropped at once.
async fn open_folder(
    folder: &Path,
    durability: Durability,
    is_to_drop: bool,
) -> Result<Arc<dyn Store>, StoreError> {
    let options = SqliteOptions {
        durability,
        // What is dropped frees pages, which must be its own.
        integrity_check: match is_to_drop {
            true => IntegrityCheck::Full,
            false => IntegrityCheck::AllButReplays,
        },
        ..SqliteOptions::default()
    };
    let dir = DataDir::prepare(folder)?;
    Ok(Arc::new(SqliteStore::open(&dir, options).await?))
}

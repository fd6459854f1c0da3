//! `bridgemaster serve`: a server until it is stopped.

mod config_file;
mod settings;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bridgemaster_server::{LineLimit, Server, ServerOptions, Storage};
use bridgemaster_store::{
    DataDir, Durability, KeyStore, SqliteOptions, SqliteStore, Store, StoreError,
};
use clap::{ArgAction, Args, ValueEnum, value_parser};
use serde::Deserialize;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use tracing_subscriber::{
    EnvFilter, Layer as _, filter::FilterExt as _, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use super::{
    block_on, output,
    stop_signal::asked_to_stop,
    tls_flags::{TlsFlags, reload_on_hangup},
};
use settings::{MAX_DRAIN_SECONDS, Settings};

/// Interval at which the log tells what it was spared.
const TELL_EVERY: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(super) struct ServeArgs {
    /// TOML file with the values of these flags and with limits; a flag that is given wins
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:50051]
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Folder that the replay of every ended match is written to, made if it is missing
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,
    /// Data folder, made if it is missing: keeps matches, which go on when the server is started
    /// again, their results, and the API keys of `bridgemaster key`. Without it everything ends
    /// with the server
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What a move survives once it is answered [default: power]
    #[arg(long, value_enum)]
    survives: Option<Survives>,
    /// Give up a match in play in the data folder, for one that cannot go on; can be repeated
    #[arg(long, value_name = "MATCH_ID")]
    drop_match: Vec<String>,
    /// Time that matches have to end when the server is asked to stop, in seconds; the second
    /// time that it is asked ends it at once [default: 5 with --data, else 30]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(..=i64::from(MAX_DRAIN_SECONDS)))]
    drain_time: Option<u32>,
    /// Serve only callers with an API key of the data folder
    #[arg(long)]
    require_keys: bool,
    #[command(flatten)]
    tls: TlsFlags,
    /// Address of the page with metrics, `GET /metrics`; without it there is none
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<SocketAddr>,
    /// Form of the log on standard error [default: text]
    #[arg(long, value_enum)]
    log: Option<LogForm>,
    /// Log more: -v what matches do, -vv everything; RUST_LOG overrides it
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Listen without TLS on an address that other machines reach: tickets and keys then cross the
    /// network in the clear
    #[arg(long)]
    insecure: bool,
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Survives {
    /// The loss of power: every answer waits for the disk
    Power,
    /// The end of the server, kill -9 included, but not of the machine: faster
    Kill,
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LogForm {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

impl ServeArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let settings = Settings::of(self)?;
        let limit = start_log(&settings);
        let served = block_on(async {
            tokio::spawn(tell_left_out(limit.clone()));
            serve(settings).await
        });
        limit.tell();
        served
    }
}

/// Tells now and then which lines the log was spared.
async fn tell_left_out(limit: LineLimit) {
    let mut intervals = interval(TELL_EVERY);
    loop {
        intervals.tick().await;
        limit.tell();
    }
}

/// Starts the log, whose lines have a bound.
fn start_log(settings: &Settings) -> LineLimit {
    // The prefix of the names of all our crates, this one included.
    let level = match settings.verbose {
        0 => "warn",
        1 => "warn,bridgemaster=info",
        _ => "info,bridgemaster=trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let limit = LineLimit::default();
    let filter = filter.and(limit.clone());
    let log = fmt::layer().with_ansi(output::has_colours());
    match settings.log {
        LogForm::Text => {
            let log = log.with_writer(output::text_log);
            registry().with(log.with_filter(filter)).init();
        }
        LogForm::Json => {
            let log = log.json().with_writer(output::json_log);
            registry().with(log.with_filter(filter)).init();
        }
    }
    limit
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let tls = settings.tls.load()?;
    reload_on_hangup(tls.clone())?;
    if settings.is_reached_by_others() && !settings.require_keys {
        warn!("anybody who reaches the server can make matches: --require-keys asks for keys");
    }
    let store = match &settings.data {
        Some(folder) => Some(open_store(folder, settings.survives).await?),
        None => None,
    };
    let memory_mib = settings.limits.memory_bound() >> 20;
    info!(memory_mib, "memory is bounded");
    let keys = store.clone().filter(|_| settings.require_keys);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let options = ServerOptions {
        tls,
        metrics: settings.metrics,
        limits: settings.limits,
        replays: settings.replays,
        keys: keys.map(|store| store as Arc<dyn KeyStore>),
        storage: store.map(|store| Storage {
            store,
            given_up: settings.drop_match,
        }),
    };
    let server = Server::bind(settings.listen, options).await?;
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
    output::print(&format!(
        "listening on {scheme}://{} (Ctrl-C stops)\n",
        server.local_addr()
    ))?;
    if let Some(addr) = server.metrics_addr() {
        output::print(&format!("metrics at http://{addr}/metrics\n"))?;
    }
    server.run_and_drain(drain, stop).await?;
    Ok(())
}

/// The store in a data folder.
async fn open_store(folder: &Path, survives: Survives) -> Result<Arc<dyn Store>, StoreError> {
    let options = SqliteOptions {
        durability: match survives {
            Survives::Power => Durability::Power,
            Survives::Kill => Durability::Process,
        },
        ..SqliteOptions::default()
    };
    let dir = DataDir::prepare(folder)?;
    Ok(Arc::new(SqliteStore::open(&dir, options).await?))
}

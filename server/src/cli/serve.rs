//! `bridgemaster serve`: a server until it is stopped.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bridgemaster_server::{Limits, Server, ServerOptions, Storage};
use bridgemaster_store::{
    DataDir, Durability, KeyStore, SqliteOptions, SqliteStore, Store, StoreError,
};
use clap::{ArgAction, Args, ValueEnum, value_parser};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use tracing_subscriber::EnvFilter;

use super::{
    block_on,
    failure::misuse,
    output,
    stop_signal::asked_to_stop,
    tls_flags::{TlsFlags, reload_on_hangup},
};

#[derive(Args)]
pub(super) struct ServeArgs {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:50051")]
    listen: SocketAddr,
    /// Folder that the replay of every ended match is written to, made if it is missing
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,
    /// Data folder, made if it is missing: keeps matches, which go on when the server is started
    /// again, their results, and the API keys of `bridgemaster key`. Without it everything ends
    /// with the server
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What a move survives once it is answered
    #[arg(long, value_enum, default_value_t = Survives::Power, requires = "data")]
    survives: Survives,
    /// Give up a match in play in the data folder, for one that cannot go on; can be repeated
    #[arg(long, value_name = "MATCH_ID", requires = "data")]
    drop_match: Vec<String>,
    /// Time that matches have to end when the server is asked to stop, in seconds; the second
    /// time that it is asked ends it at once [default: 5 with --data, else 30]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(0..=MAX_DRAIN_SECONDS))]
    drain_time: Option<u32>,
    /// Serve only callers with an API key of the data folder
    #[arg(long, requires = "data")]
    require_keys: bool,
    #[command(flatten)]
    tls: TlsFlags,
    /// Address of the page with metrics, `GET /metrics`; without it there is none
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<SocketAddr>,
    /// Form of the log on standard error
    #[arg(long, value_enum, default_value_t = LogForm::Text)]
    log: LogForm,
    /// Log more: -v what matches do, -vv everything; RUST_LOG overrides it
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Listen without TLS on an address that other machines reach: tickets and keys then cross the
    /// network in the clear
    #[arg(long)]
    insecure: bool,
}

/// Longest `--drain-time`, in seconds: a day, as long as the longest time for a decision.
const MAX_DRAIN_SECONDS: i64 = 86_400;
/// Time that matches have to end in when they go on after a restart, in seconds: enough for those
/// that are about to end.
const DURABLE_DRAIN_SECONDS: u32 = 5;

#[derive(Clone, Copy, ValueEnum)]
enum Survives {
    /// The loss of power: every answer waits for the disk
    Power,
    /// The end of the server, kill -9 included, but not of the machine: faster
    Kill,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogForm {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

impl ServeArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.is_reached_by_others() && !self.tls.is_given() && !self.insecure {
            return Err(misuse(format!(
                "--listen {}: other machines reach this address, and without TLS tickets and keys \
                 cross the network in the clear; give --tls-cert and --tls-key, listen on a \
                 loopback address such as 127.0.0.1:{}, or accept that with --insecure",
                self.listen,
                self.listen.port()
            )));
        }
        if let Some(metrics) = self.metrics.filter(|addr| !addr.ip().is_loopback())
            && !self.insecure
        {
            return Err(misuse(format!(
                "--metrics {metrics}: other machines reach this address, and the page asks nobody \
                 for a key; use a loopback address such as 127.0.0.1:{}, or accept that with \
                 --insecure",
                metrics.port()
            )));
        }
        self.start_log();
        block_on(self.serve())
    }

    fn is_reached_by_others(&self) -> bool {
        !self.listen.ip().is_loopback()
    }

    fn start_log(&self) {
        let level = match self.verbose {
            0 => "warn,bridgemaster_server=warn",
            1 => "warn,bridgemaster_server=info",
            _ => "info,bridgemaster_server=trace",
        };
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(output::has_colours())
            .with_writer(std::io::stderr);
        match self.log {
            LogForm::Text => log.init(),
            LogForm::Json => log.json().init(),
        }
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let default = self.data.is_some().then_some(DURABLE_DRAIN_SECONDS);
        if let Some(seconds) = self.drain_time.or(default) {
            limits.drain_time = Duration::from_secs(seconds.into());
        }
        limits
    }

    async fn serve(self) -> anyhow::Result<()> {
        let tls = self.tls.load()?;
        if let Some(tls) = &tls {
            reload_on_hangup(Arc::clone(tls))?;
        }
        if self.is_reached_by_others() && !self.require_keys {
            warn!("anybody who reaches the server can make matches: --require-keys asks for keys");
        }
        let store = match &self.data {
            Some(folder) => Some(open_store(folder, self.survives).await?),
            None => None,
        };
        let keys = store.clone().filter(|_| self.require_keys);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let options = ServerOptions {
            tls,
            metrics: self.metrics,
            limits: self.limits(),
            replays: self.replays,
            keys: keys.map(|store| store as Arc<dyn KeyStore>),
            storage: store.map(|store| Storage {
                store,
                given_up: self.drop_match,
            }),
        };
        let server = Server::bind(self.listen, options).await?;
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
        if let Some(addr) = server.metrics_addr() {
            output::print(&format!("metrics at http://{addr}/metrics\n"))?;
        }
        output::print(&format!(
            "listening on {scheme}://{} (Ctrl-C stops)\n",
            server.local_addr()
        ))?;
        server.run_and_drain(drain, stop).await?;
        Ok(())
    }
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

//! `bridgemaster serve`: a server until it is stopped.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_server::{Server, ServerOptions};
use bridgemaster_store::{DataDir, KeyStore, SqliteKeys};
use clap::{ArgAction, Args, ValueEnum};
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
    /// Data folder, made if it is missing: has the API keys of `bridgemaster key`
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
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

    /// The keys that callers need, if they need any.
    async fn keys(&self) -> anyhow::Result<Option<Arc<dyn KeyStore>>> {
        let Some(folder) = self.data.as_ref().filter(|_| self.require_keys) else {
            return Ok(None);
        };
        let keys = SqliteKeys::open(&DataDir::prepare(folder)?).await?;
        Ok(Some(Arc::new(keys)))
    }

    async fn serve(self) -> anyhow::Result<()> {
        let tls = self.tls.load()?;
        if let Some(tls) = &tls {
            reload_on_hangup(Arc::clone(tls))?;
        }
        if self.is_reached_by_others() && !self.require_keys {
            warn!("anybody who reaches the server can make matches: --require-keys asks for keys");
        }
        let scheme = if tls.is_some() { "https" } else { "http" };
        let options = ServerOptions {
            tls,
            metrics: self.metrics,
            replays: self.replays.clone(),
            keys: self.keys().await?,
            ..ServerOptions::default()
        };
        let server = Server::bind(self.listen, options).await?;
        let stop = CancellationToken::new();
        let asked = asked_to_stop();
        let stopped = stop.clone();
        tokio::spawn(async move {
            asked.await;
            stopped.cancel();
        });
        if let Some(addr) = server.metrics_addr() {
            output::print(&format!("metrics at http://{addr}/metrics\n"))?;
        }
        output::print(&format!(
            "listening on {scheme}://{} (Ctrl-C stops)\n",
            server.local_addr()
        ))?;
        server.run(stop).await?;
        Ok(())
    }
}

//! `bridgemaster serve`: a server until it is stopped.

use std::{net::SocketAddr, path::PathBuf};

use bridgemaster_server::{Limits, Server, ServerOptions};
use clap::{ArgAction, Args, ValueEnum};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::{block_on, failure::misuse, output, stop_signal::asked_to_stop};

#[derive(Args)]
pub(super) struct ServeArgs {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:50051")]
    listen: SocketAddr,
    /// Folder that the replay of every ended match is written to, made if it is missing
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,
    /// Address of the page with metrics, `GET /metrics`; without it there is none
    #[arg(long, value_name = "ADDR:PORT")]
    metrics: Option<SocketAddr>,
    /// Form of the log on standard error
    #[arg(long, value_enum, default_value_t = LogForm::Text)]
    log: LogForm,
    /// Log more: -v what matches do, -vv everything; RUST_LOG overrides it
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Listen on an address that other machines reach: tickets then cross the network in the
    /// clear, and anybody who reaches the server can make matches
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
        if !self.listen.ip().is_loopback() && !self.insecure {
            return Err(misuse(format!(
                "--listen {}: other machines reach this address, and the server neither encrypts \
                 nor asks who makes matches; listen on a loopback address such as \
                 127.0.0.1:{}, or accept that with --insecure",
                self.listen,
                self.listen.port()
            )));
        }
        self.start_log();
        block_on(self.serve())
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

    async fn serve(self) -> anyhow::Result<()> {
        let options = ServerOptions {
            limits: Limits::default(),
            replays: self.replays,
            metrics: self.metrics,
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
            "listening on http://{} (Ctrl-C stops)\n",
            server.local_addr()
        ))?;
        server.run(stop).await?;
        Ok(())
    }
}

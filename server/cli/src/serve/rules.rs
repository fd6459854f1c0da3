//! `bridgemaster serve rules`: a local `RulesService` server for programs on this machine.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use bridgemaster_server::RulesServer;
use clap::{Args, value_parser};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    address,
    failure::misuse,
    output,
    process::{block_on, stop_requested},
};

#[cfg(unix)]
use std::path::{Path, PathBuf};

/// Default address to listen on. Its port is the default port of `serve` plus one.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50052);
/// Maximum value of `--threads`.
const MAX_THREADS: i64 = 1024;

#[derive(Args)]
#[command(
    after_help = "Serves only RulesService of the protocol: legal decisions, positions after \
        decisions, samples of hidden information, and playouts. No API key is needed.\n\n  \
        bridgemaster serve rules\n  bridgemaster serve rules --socket /tmp/rules.sock --threads 4"
)]
pub(super) struct RulesArgs {
    /// Loopback address to listen on; port 0 picks a port [default: 127.0.0.1:50052]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    listen: Option<SocketAddr>,
    /// Unix socket to listen on instead; only the current user can connect
    #[cfg(unix)]
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    socket: Option<PathBuf>,
    /// Number of worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
}

impl RulesArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let listen = self.listen.unwrap_or(DEFAULT_LISTEN);
        if !listen.ip().is_loopback() {
            return Err(misuse(format!(
                "--listen {listen}: other machines can reach this address, and no key is required \
                 here; use a loopback address such as 127.0.0.1:{}, or `bridgemaster serve --rules \
                 --require-keys`",
                listen.port()
            )));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let rules = RulesServer::new(self.threads.map_or(cores, usize::from))?;
        block_on(async move {
            let stop = CancellationToken::new();
            let cancel = stop.clone();
            let signal = stop_requested();
            tokio::spawn(async move {
                signal.await;
                cancel.cancel();
            });
            #[cfg(unix)]
            if let Some(path) = &self.socket {
                return serve_on_socket(rules, path, stop).await;
            }
            let listener = TcpListener::bind(listen).await;
            let listener = listener.with_context(|| format!("cannot listen on {listen}"))?;
            let addr = listener.local_addr()?;
            output::print(&format!("rules at http://{addr} (Ctrl-C stops)\n"))?;
            Ok(rules.run(listener, stop).await?)
        })
    }
}

/// Serves on a Unix socket, and removes the socket's file at the end.
#[cfg(unix)]
async fn serve_on_socket(
    rules: RulesServer,
    path: &Path,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let listener = listen_on_socket(path)
        .with_context(|| format!("--socket {}: cannot listen", path.display()))?;
    output::print(&format!("rules at unix:{} (Ctrl-C stops)\n", path.display()))?;
    let served = rules.run_on_socket(listener, stop).await;
    // Fails if the file no longer exists.
    let _ = std::fs::remove_file(path);
    Ok(served?)
}

/// Listens on a Unix socket. An existing file is replaced only if it is a socket whose process has
/// ended.
#[cfg(unix)]
fn listen_on_socket(path: &Path) -> std::io::Result<tokio::net::UnixListener> {
    use std::{
        io::ErrorKind,
        os::unix::{
            fs::{FileTypeExt as _, PermissionsExt as _},
            net::UnixStream,
        },
    };

    use tokio::net::UnixListener;

    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => match UnixStream::connect(path) {
            Err(refused)
                if refused.kind() == ErrorKind::ConnectionRefused
                    && std::fs::symlink_metadata(path)?.file_type().is_socket() =>
            {
                std::fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            _ => return Err(error),
        },
        listener => listener?,
    };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

//! `bridgemaster rules`: the rules by call for programs on this machine.

use std::net::{Ipv4Addr, SocketAddr};
#[cfg(unix)]
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bridgemaster_server::RulesServer;
use clap::{Args, value_parser};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{address, failure::misuse, output, runtime::block_on, stop_signal::asked_to_stop};

/// Address that is listened on if none is given: the port after that of `serve`.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50052);
/// Most threads: more than any machine has cores for.
const MAX_THREADS: i64 = 1024;

#[derive(Args)]
#[command(
    after_help = "Serves `RulesService` of the protocol, and nothing else: legal decisions, what \
        decisions lead to, samples of what is hidden, and playouts. It is for bots in languages \
        that have no library of the rules; nobody is asked for a key.\n\n  \
        bridgemaster rules\n  \
        bridgemaster rules --socket /tmp/rules.sock --threads 4"
)]
pub(super) struct RulesArgs {
    /// Loopback address to listen on; port 0 picks a free port [default: 127.0.0.1:50052]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    listen: Option<SocketAddr>,
    /// Listen on this socket of the file system instead, which only you may connect to
    #[cfg(unix)]
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    socket: Option<PathBuf>,
    /// Threads that work [default: one for each core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
}

impl RulesArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let listen = self.listen.unwrap_or(DEFAULT_LISTEN);
        if !listen.ip().is_loopback() {
            return Err(misuse(format!(
                "--listen {listen}: other machines reach this address, and nobody is asked for a \
                 key here; use a loopback address such as 127.0.0.1:{}, or `bridgemaster serve \
                 --rules --require-keys`",
                listen.port()
            )));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let rules = RulesServer::new(self.threads.map_or(cores, usize::from))?;
        block_on(async move {
            let stop = CancellationToken::new();
            let stopped = stop.clone();
            let asked = asked_to_stop();
            tokio::spawn(async move {
                asked.await;
                stopped.cancel();
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

/// Serves on a socket, and removes it in the end.
#[cfg(unix)]
async fn serve_on_socket(
    rules: RulesServer,
    path: &Path,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let listener = listen_on_socket(path)
        .with_context(|| format!("--socket {}: cannot listen there", path.display()))?;
    output::print(&format!(
        "rules at unix:{} (Ctrl-C stops)\n",
        path.display()
    ))?;
    let served = rules.run_on_socket(listener, stop).await;
    // Somebody else may have removed it.
    let _ = std::fs::remove_file(path);
    Ok(served?)
}

/// Listens on a socket. One that a program left behind is replaced; any other file is not.
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

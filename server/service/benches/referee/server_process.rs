//! Runs servers in separate processes, so that their use of resources can be measured without that
//! of the bots.

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use bridgemaster_server::{Limits, Rate, Server, ServerOptions};
use tokio_util::sync::CancellationToken;

use crate::ping_pong;

/// The argument that makes this program a match server.
const MATCHES: &str = "--serve";
/// The argument that makes this program a match server with a metrics page. The server accepts all
/// bots of many matches from one address.
const MANY_MATCHES: &str = "--serve-many";
/// The argument that makes this program such a server with a page for browsers as well.
const WITH_PAGE: &str = "--serve-page";
/// The argument that makes this program a ping-pong server; the size of its answers in bytes
/// follows.
const ECHO: &str = "--serve-echo";

/// Serves as the arguments request, until the process is killed, and prints the address. Returns
/// immediately if they request no server.
pub(crate) async fn serve_if_requested() {
    let arguments: Vec<String> = std::env::args().skip(1).take(2).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [MATCHES, ..] => serve(ServerOptions::default(), false).await,
        [kind @ (MANY_MATCHES | WITH_PAGE), ..] => {
            let calls_per_address = Rate { per_second: 100_000, burst: 100_000 };
            let options = ServerOptions {
                limits: Limits { calls_per_address, ..Limits::default() },
                metrics: Some("127.0.0.1:0".parse().unwrap()),
                ..ServerOptions::default()
            };
            serve(options, kind == WITH_PAGE).await;
        }
        [ECHO, bytes] => {
            println!("{}", ping_pong::serve(bytes.parse().unwrap()).await);
            std::future::pending().await
        }
        _ => {}
    }
}

/// Serves matches, and prints the listening addresses.
async fn serve(options: ServerOptions, has_page: bool) {
    let free = "127.0.0.1:0".parse().unwrap();
    let mut server = Server::bind(free, options).await.unwrap();
    println!("http://{}", server.local_addr());
    if let Some(metrics) = server.metrics_addr() {
        println!("{metrics}");
    }
    if has_page {
        println!("{}", server.open_page(free, Vec::new()).await.unwrap());
    }
    server.run(CancellationToken::new()).await.unwrap();
}

/// Returns a command that runs this program.
pub(crate) fn program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Returns a command that runs this program on these cores alone, in the notation of `taskset`.
pub(crate) fn program_on(cores: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", cores]);
    command.arg(std::env::current_exe().unwrap());
    command
}

/// A server process that is killed when dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) url: String,
}

impl ServerProcess {
    /// Starts a match server.
    pub(crate) fn of_matches() -> Self {
        Self::start(program(), &[MATCHES]).0
    }

    /// Starts a server for many matches, and returns its metrics address.
    pub(crate) fn of_many_matches() -> (Self, String) {
        let (server, mut lines) = Self::start(program(), &[MANY_MATCHES]);
        let metrics = lines.next().expect("the server prints that address too");
        (server, metrics.unwrap())
    }

    /// Starts a server with a page on the first core, and returns the addresses of the metrics and
    /// the page.
    pub(crate) fn of_page_on_first_core() -> (Self, String, String) {
        let (server, mut lines) = Self::start(program_on("0"), &[WITH_PAGE]);
        let mut address = || lines.next().expect("the server prints that address too");
        let (metrics, page) = (address(), address());
        (server, metrics.unwrap(), page.unwrap())
    }

    /// Starts a ping-pong server with answers of `bytes` bytes.
    pub(crate) fn of_echo(bytes: usize) -> Self {
        Self::start(program(), &[ECHO, &bytes.to_string()]).0
    }

    fn start(mut program: Command, arguments: &[&str]) -> (Self, Lines<BufReader<ChildStdout>>) {
        let mut child =
            program.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.next().expect("the server prints its address").unwrap();
        (Self { child, url }, lines)
    }

    /// Returns the resident memory in KiB, as reported by the operating system.
    pub(crate) fn resident_kib(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Returns the CPU time of all its threads so far, as reported by the operating system.
    pub(crate) fn cpu_time(&self) -> Duration {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let nanos = threads.map(|thread| -> u64 {
            // A thread might end during the iteration, but threads of the runtime do not.
            let path = thread.unwrap().path().join("schedstat");
            let schedstat = fs::read_to_string(path).unwrap_or_default();
            let on_cpu = schedstat.split_whitespace().next();
            on_cpu.map_or(0, |nanos| nanos.parse().unwrap())
        });
        Duration::from_nanos(nanos.sum())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The memory of a server's process for each match that waits.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use bridgemaster_server::{Server, ServerOptions};
use tokio_util::sync::CancellationToken;

use crate::{connect, load};

/// Matches that wait at once.
const MATCHES: usize = 1_000;
/// Seats of each.
const SEATS: u32 = 2;

/// The argument by which this program is the server that is measured.
pub(crate) const SERVE: &str = "--serve";

/// Is a server until the process is killed; prints its address.
pub(crate) async fn serve() {
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await;
    let server = server.unwrap();
    println!("http://{}", server.local_addr());
    server.run(CancellationToken::new()).await.unwrap();
}

/// A server in a process of its own, so that only its memory is counted.
struct ServerProcess {
    child: Child,
    url: String,
}

impl ServerProcess {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(SERVE)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let url = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .next()
            .expect("the server prints its address")
            .unwrap();
        Self { child, url }
    }

    /// Resident memory in KiB, from the operating system.
    fn resident_kib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) async fn measure(game: &'static str) {
    let server = ServerProcess::start();
    let channels = connect(&server.url).await;
    // A first match loads what is loaded once.
    load::message_sizes(&channels[0], game, SEATS).await;
    let before = server.resident_kib();
    let mut tickets = Vec::new();
    for table in 0..MATCHES {
        let channel = &channels[table % channels.len()];
        let made = load::create_match(channel, load::default_match(game, SEATS)).await;
        tickets.extend(made.tickets);
    }
    let waiting = server.resident_kib();
    let mut seats = Vec::new();
    for (index, ticket) in tickets.into_iter().enumerate() {
        seats.push(load::join_and_wait(&channels[index % channels.len()], ticket).await);
    }
    // The last requests are on their way to the transport.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let playing = server.resident_kib();
    let each = |kib: f64| kib / MATCHES as f64;
    println!(
        "referee.{game}.memory_per_match {:.1} KiB",
        each(waiting - before)
    );
    println!(
        "referee.{game}.memory_per_match_with_bots {:.1} KiB",
        each(playing - before)
    );
}

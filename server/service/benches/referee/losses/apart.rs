//! The server, the bots and busy loops in separate processes.

use std::{
    hint::black_box,
    io::Read as _,
    process::{Child, Stdio},
};

use tokio::task::spawn_blocking;

use super::{AT_ONCE, CAP_MS, counts::MatchCounts, play_tables};
use crate::{
    connect,
    server_process::{ServerProcess, program},
};

/// The argument that makes this program play some of the bots. The server's address, the game and
/// the number of matches follow.
const BOTS: &str = "--losses-bots";
/// The argument that makes this program a busy loop.
const BUSY: &str = "--busy-loop";
/// Number of bot processes.
const PROCESSES: u32 = 2;

/// Runs as the arguments request: plays some of the bots and prints their counts at the end, or
/// runs a busy loop.
pub(crate) async fn play_if_requested() {
    let arguments: Vec<String> = std::env::args().skip(1).take(4).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [BUSY, ..] => loop {
            black_box(());
        },
        [BOTS, url, game, matches] => {
            let (game, matches) = (game.to_owned().leak(), matches.parse().unwrap());
            let at_once = AT_ONCE / PROCESSES as usize;
            let counts = play_tables(&connect(url).await, game, matches, at_once, CAP_MS).await;
            println!("{}", serde_json::to_string(&counts).unwrap());
            std::process::exit(0);
        }
        _ => {}
    }
}

/// Plays `matches` matches with bots in separate processes.
pub(super) async fn play(game: &'static str, matches: u32) -> MatchCounts {
    let (server, _) = ServerProcess::of_many_matches();
    let bots = (0..PROCESSES).map(|place| {
        let matches = (matches + place) / PROCESSES;
        let arguments = [BOTS, &server.url, game, &matches.to_string()];
        let child = program().args(arguments).stdout(Stdio::piped()).spawn();
        let mut bots = Process(child.unwrap());
        spawn_blocking(move || {
            let mut json = String::new();
            let mut output = bots.0.stdout.take().expect("stdout is piped");
            output.read_to_string(&mut json).unwrap();
            serde_json::from_str::<MatchCounts>(&json).expect("bots print their counts")
        })
    });
    let mut parts = Vec::new();
    for bots in bots.collect::<Vec<_>>() {
        parts.push(bots.await.unwrap());
    }
    parts.into_iter().sum()
}

/// Starts `count` processes that use all the processor time that they get until they are dropped.
pub(super) fn busy_loops(count: usize) -> Vec<Process> {
    let start = |_| Process(program().arg(BUSY).spawn().unwrap());
    (0..count).map(start).collect()
}

/// A process, killed when dropped.
pub(super) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

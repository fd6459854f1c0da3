//! The server, the bots and busy loops in processes of their own.

use std::{
    hint::black_box,
    io::Read as _,
    process::{Child, Stdio},
};

use tokio::task::spawn_blocking;

use super::{AT_ONCE, CAP_MS, play_tables, tally::Tally};
use crate::{
    connect,
    server_process::{ServerProcess, program},
};

/// The argument by which this program is some of the bots; the address of the server, the game and
/// the number of matches follow.
const BOTS: &str = "--losses-bots";
/// The argument by which it is a busy loop.
const BUSY: &str = "--busy-loop";
/// Processes of bots.
const PROCESSES: u32 = 2;

/// Is what the arguments ask for: some of the bots, who print their tally at the end, or a busy loop.
pub(crate) async fn play_if_asked() {
    let arguments: Vec<String> = std::env::args().skip(1).take(4).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [BUSY, ..] => loop {
            black_box(());
        },
        [BOTS, url, game, matches] => {
            let (game, matches) = (game.to_owned().leak(), matches.parse().unwrap());
            let at_once = AT_ONCE / PROCESSES as usize;
            let tally = play_tables(&connect(url).await, game, matches, at_once, CAP_MS).await;
            println!("{}", serde_json::to_string(&tally).unwrap());
            std::process::exit(0);
        }
        _ => {}
    }
}

/// Plays so many matches by bots in processes of their own.
pub(super) async fn play(game: &'static str, matches: u32) -> Tally {
    let (server, _) = ServerProcess::of_many_matches();
    let bots = (0..PROCESSES).map(|place| {
        let matches = (matches + place) / PROCESSES;
        let arguments = [BOTS, &server.url, game, &matches.to_string()];
        let child = program().args(arguments).stdout(Stdio::piped()).spawn();
        let mut bots = Process(child.unwrap());
        spawn_blocking(move || {
            let mut told = String::new();
            let mut output = bots.0.stdout.take().expect("it is piped");
            output.read_to_string(&mut told).unwrap();
            serde_json::from_str::<Tally>(&told).expect("bots tell their tally")
        })
    });
    let mut tallies = Vec::new();
    for bots in bots.collect::<Vec<_>>() {
        tallies.push(bots.await.unwrap());
    }
    tallies.into_iter().sum()
}

/// So many processes that take all processor time they get, until they are dropped.
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

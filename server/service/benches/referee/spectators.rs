//! Measures what hundreds of spectators cost the bots of a match. One result is the server's own
//! share of a message, from its histogram. The other is the delay between one bot's decision and
//! the resulting request to the other bot. Server, bots and spectators run in separate processes.
//! The server has the first core for itself, because in practice bots and spectators run on other
//! machines and do not compete with it.

use std::{
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Stdio},
    sync::Arc,
    thread::available_parallelism,
    time::Duration,
};

use bridgemaster_proto::v1::{
    MatchState, WatchMatchRequest, WatchPositionsRequest, match_service_client::MatchServiceClient,
    watch_positions_request::Source,
};
use prost::Message as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::mpsc,
    task::JoinSet,
};
use tonic::transport::Channel;

use crate::{
    SEATS, connect_many,
    load::{self, Counters},
    metrics::Metrics,
    server_process::{ServerProcess, program, program_on},
};

/// The argument that makes this program run on the cores other than the server's.
pub(crate) const ON_OTHER_CORES: &str = "--on-other-cores";
/// The argument that makes this program all spectators of a match; the server's address, the page's
/// address, the match and the number of spectators follow.
const SPECTATORS: &str = "--spectators-of";
/// Number of spectators.
const SPECTATOR_COUNT: usize = 500;
/// Number of streams on one gRPC connection; a browser has a connection for each stream.
const STREAMS_PER_CONNECTION: usize = 50;
/// The time for which a bot thinks about each decision, as a fast bot that searches does. On shared
/// cores, the spectators' programs need several milliseconds to process the resulting message.
const THINKING: Duration = Duration::from_millis(25);
/// Number of consecutive matches of each kind. The 99th percentile is determined by the last
/// messages of matches, after which a replay is written and signed. With this many matches, it is
/// reproducible.
const MATCHES: usize = 48;
/// Number of consecutive matches of each kind with `--quick`.
const QUICK_MATCHES: usize = 1;

/// Watches a match until it ends, if the arguments request it.
pub(crate) async fn watch_if_requested() {
    let arguments: Vec<String> = std::env::args().skip(1).take(5).collect();
    if let [SPECTATORS, url, page, id, count] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        watch(url, page, id, count.parse().unwrap()).await;
        std::process::exit(0);
    }
}

/// Watches a match as `count` spectators: half of them receive its updates, a quarter its
/// positions, and a quarter behave like browsers. Prints a line when all have begun, and another
/// when all have seen the end.
async fn watch(url: &str, page: &str, id: &str, count: usize) {
    let channels = connect_many(url, count.div_ceil(STREAMS_PER_CONNECTION)).await;
    let (begun, mut all_begun) = mpsc::channel(count);
    let mut watching = JoinSet::new();
    for number in 0..count {
        let channel = channels[number % channels.len()].clone();
        let (id, page, begun) = (id.to_owned(), page.to_owned(), begun.clone());
        watching.spawn(async move {
            let has_ended = match number % 4 {
                0 | 1 => news(channel, id, begun).await,
                2 => positions(channel, id, begun).await,
                _ => browser(page, id, begun).await,
            };
            assert!(has_ended, "spectator {number} has not seen the end");
        });
    }
    for _ in 0..count {
        all_begun.recv().await.expect("all spectators begin");
    }
    println!("begun");
    watching.join_all().await;
    println!("ended");
}

async fn news(channel: Channel, match_id: String, begun: mpsc::Sender<()>) -> bool {
    let mut client = MatchServiceClient::new(channel);
    let news = client.watch_match(WatchMatchRequest { match_id }).await;
    let mut news = news.unwrap().into_inner();
    let mut last = news.message().await.unwrap();
    begun.send(()).await.unwrap();
    while let Some(message) = news.message().await.unwrap() {
        last = Some(message);
    }
    let info = last.and_then(|last| last.r#match);
    info.is_some_and(|info| info.state() == MatchState::Ended)
}

fn positions_of(match_id: String) -> WatchPositionsRequest {
    WatchPositionsRequest {
        source: Some(Source::MatchId(match_id)),
        ..WatchPositionsRequest::default()
    }
}

async fn positions(channel: Channel, match_id: String, begun: mpsc::Sender<()>) -> bool {
    let mut client = MatchServiceClient::new(channel);
    let positions = client.watch_positions(positions_of(match_id)).await;
    let mut positions = positions.unwrap().into_inner();
    let mut last = positions.message().await.unwrap();
    begun.send(()).await.unwrap();
    while let Some(message) = positions.message().await.unwrap() {
        last = Some(message);
    }
    let info = last.and_then(|last| last.r#match);
    info.is_some_and(|info| info.state() == MatchState::Ended)
}

/// Reads positions by gRPC-Web, and returns whether the call succeeds.
async fn browser(page: String, match_id: String, begun: mpsc::Sender<()>) -> bool {
    let request = positions_of(match_id).encode_to_vec();
    let head = format!(
        "POST /bridgemaster.v1.MatchService/WatchPositions HTTP/1.1\r\nHost: {page}\r\n\
         Content-Type: application/grpc-web+proto\r\nContent-Length: {}\r\n\r\n",
        request.len() + 5
    );
    let mut stream = TcpStream::connect(&page).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let length = u32::try_from(request.len()).unwrap().to_be_bytes();
    let framed = [&[0][..], &length, &request].concat();
    stream.write_all(&framed).await.unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut tail = Vec::new();
    let mut begun = Some(begun);
    loop {
        let count = stream.read(&mut buffer).await.unwrap();
        tail.extend_from_slice(&buffer[..count]);
        // The head of the response arrives together with its first message.
        if let Some(begun) = begun.take() {
            begun.send(()).await.unwrap();
        }
        // The last chunk of the body is empty; the preceding one contains the trailers.
        if count == 0 || tail.ends_with(b"\r\n0\r\n\r\n") {
            let text = String::from_utf8_lossy(&tail);
            return text.contains("grpc-status:0") || text.contains("grpc-status: 0");
        }
        tail.drain(..tail.len().saturating_sub(256));
    }
}

/// The spectators of a match, in a separate process that is killed when dropped.
struct SpectatorProcess {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl SpectatorProcess {
    /// Starts `count` spectators of a match, and waits until all have begun.
    fn begin(server: &ServerProcess, page: &str, id: &str, count: usize) -> Self {
        let count = count.to_string();
        // A separate process on the same cores as this one.
        let mut child = program()
            .args([SPECTATORS, &server.url, page, id, &count])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut this = Self { child, output };
        this.expect_line("begun");
        this
    }

    /// Waits until all spectators have seen the match's end.
    fn end(mut self) {
        self.expect_line("ended");
    }

    fn expect_line(&mut self, expected: &str) {
        let line = self.output.next().expect("no spectator fails").unwrap();
        assert_eq!(line, expected);
    }
}

impl Drop for SpectatorProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs this program with the same arguments in a new process on the cores other than the server's.
/// Returns whether it succeeded, or `None` if this process is the new one.
pub(crate) fn run_on_other_cores() -> Option<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == ON_OTHER_CORES) {
        return None;
    }
    let cores = available_parallelism().unwrap().get();
    assert!(cores >= 2, "the server needs a separate core");
    let mut program = program_on(&format!("1-{}", cores - 1));
    let done = program.args(arguments).arg(ON_OTHER_CORES).status();
    Some(done.unwrap().success())
}

/// Plays matches without spectators and with [`SPECTATOR_COUNT`] spectators, in turns.
pub(crate) async fn measure(game: &'static str, quick: bool) {
    let (server, metrics_address, page) = ServerProcess::of_page_on_first_core();
    let channels = connect_many(&server.url, 1).await;
    // The first match loads everything that is loaded once.
    load::message_sizes(&channels[0], game, SEATS).await;
    let kinds = || Arc::new(Counters::thinking(THINKING));
    let mut shares = [0, SPECTATOR_COUNT].map(|count| (count, Metrics::default(), kinds()));
    for _ in 0..if quick { QUICK_MATCHES } else { MATCHES } {
        for (count, metrics, counters) in &mut shares {
            let created = load::create_match(&channels[0], load::default_match(game, SEATS)).await;
            let spectators = (*count > 0)
                .then(|| SpectatorProcess::begin(&server, &page, &created.match_id, *count));
            let before = Metrics::read(&metrics_address).await;
            load::play_seats(&channels[0], created.tickets, counters).await;
            metrics.add(&Metrics::read(&metrics_address).await.since(&before));
            if let Some(spectators) = spectators {
                spectators.end();
            }
        }
    }
    for (count, metrics, counters) in &shares {
        let name = format!("referee.{game}.spectators{count}");
        println!("{name}.messages {:.0} 1", metrics.sum("handling_seconds_count", ""));
        for (quantile, share) in [("p50", 0.5), ("p99", 0.99)] {
            let value = metrics.handled_within(share) * 1e6;
            println!("{name}.share.{quantile} {value:.1} us");
        }
        let mut answers = counters.take_answers();
        answers.sort_unstable();
        for (quantile, share) in [("p50", 0.5), ("p99", 0.99)] {
            let place = (answers.len() as f64 * share) as usize;
            let value = answers[place].as_secs_f64() * 1e6;
            println!("{name}.answer.{quantile} {value:.1} us");
        }
    }
    let [(_, alone, _), (_, watched, _)] = &shares;
    let ratio = watched.handled_within(0.99) / alone.handled_within(0.99);
    println!("referee.{game}.spectators{SPECTATOR_COUNT}.ratio.p99 {ratio:.2} 1");
}

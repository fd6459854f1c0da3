//! What spectators cost the bots of the match that they watch: the server's own share of a message,
//! by its own histogram, with nobody who watches and with hundreds; and what the bots see of it, which
//! is how long a decision of one takes to become a request of the other. Server, bots and spectators
//! are processes of their own. The server has the first core, and bots and spectators have the others,
//! since they run on machines of their own: what their programs do to a core that they share with the
//! server is no cost of the server.

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
    numbers::Numbers,
    server_process::{ServerProcess, program, program_on},
};

/// The argument by which this program is the one on the other cores than the server's.
pub(crate) const ON_OTHER_CORES: &str = "--on-other-cores";
/// The argument by which this program is all spectators of a match; the addresses of the server and
/// of its page, the match, and their number follow.
const SPECTATORS: &str = "--spectators-of";
/// How many they are.
const CROWD: usize = 500;
/// Streams on one connection of gRPC; a browser has a connection for each.
const STREAMS_PER_CONNECTION: usize = 50;
/// What a bot thinks about a decision: like a fast bot that searches. What spectators are told of it
/// takes their programs, on the same cores, several milliseconds.
const THINKING: Duration = Duration::from_millis(25);
/// Matches of each kind, one after the other. The 99th percentile lies among the last messages of
/// matches, which write and sign a replay: so many are needed for it to be the same in every run.
const MATCHES: usize = 48;
/// The same of `--quick`.
const QUICK_MATCHES: usize = 1;

/// Watches as the arguments ask for, until the match is over.
pub(crate) async fn watch_if_asked() {
    let arguments: Vec<String> = std::env::args().skip(1).take(5).collect();
    if let [SPECTATORS, url, page, id, count] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        watch(url, page, id, count.parse().unwrap()).await;
        std::process::exit(0);
    }
}

/// Watches a match as so many: a half by its news, a quarter by its positions, and a quarter as
/// browsers do. Says when all have begun, and when all have seen the end.
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
        all_begun.recv().await.expect("everybody begins");
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

/// Reads positions as gRPC-Web; whether the call ends well.
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
        // With the head of the answer comes its first message.
        if let Some(begun) = begun.take() {
            begun.send(()).await.unwrap();
        }
        // The last chunk of the body is empty, and its trailers are in the one before.
        if count == 0 || tail.ends_with(b"\r\n0\r\n\r\n") {
            let text = String::from_utf8_lossy(&tail);
            return text.contains("grpc-status:0") || text.contains("grpc-status: 0");
        }
        tail.drain(..tail.len().saturating_sub(256));
    }
}

/// Those who watch, in a process of their own, killed when dropped.
struct Crowd {
    child: Child,
    told: Lines<BufReader<ChildStdout>>,
}

impl Crowd {
    /// So many spectators of a match, who have all begun.
    fn begin(server: &ServerProcess, page: &str, id: &str, count: usize) -> Self {
        let count = count.to_string();
        // Where this process is.
        let mut child = program()
            .args([SPECTATORS, &server.url, page, id, &count])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut this = Self { child, told };
        this.tells("begun");
        this
    }

    /// Waits until all have seen the end.
    fn end(mut self) {
        self.tells("ended");
    }

    fn tells(&mut self, what: &str) {
        let line = self.told.next().expect("no spectator fails").unwrap();
        assert_eq!(line, what);
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Does what this program was asked for in a process on the other cores than the server's, unless this
/// is it; whether that was well done.
pub(crate) fn done_on_other_cores() -> Option<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == ON_OTHER_CORES) {
        return None;
    }
    let cores = available_parallelism().unwrap().get();
    assert!(cores >= 2, "the server needs a core of its own");
    let mut program = program_on(&format!("1-{}", cores - 1));
    let done = program.args(arguments).arg(ON_OTHER_CORES).status();
    Some(done.unwrap().success())
}

/// Plays matches that nobody watches and matches that a crowd watches, in turns.
pub(crate) async fn measure(game: &'static str, quick: bool) {
    let (server, metrics, page) = ServerProcess::of_page_on_first_core();
    let channels = connect_many(&server.url, 1).await;
    // A first match loads what is loaded once.
    load::message_sizes(&channels[0], game, SEATS).await;
    let kinds = || Arc::new(Counters::thinking(THINKING));
    let mut shares = [0, CROWD].map(|count| (count, Numbers::default(), kinds()));
    for _ in 0..if quick { QUICK_MATCHES } else { MATCHES } {
        for (count, numbers, counters) in &mut shares {
            let made = load::create_match(&channels[0], load::default_match(game, SEATS)).await;
            let crowd = (*count > 0).then(|| Crowd::begin(&server, &page, &made.match_id, *count));
            let before = Numbers::read(&metrics).await;
            load::play_seats(&channels[0], made.tickets, counters).await;
            numbers.add(&Numbers::read(&metrics).await.since(&before));
            if let Some(crowd) = crowd {
                crowd.end();
            }
        }
    }
    for (count, numbers, counters) in &shares {
        let name = format!("referee.{game}.spectators{count}");
        println!(
            "{name}.messages {:.0} 1",
            numbers.sum("handling_seconds_count", "")
        );
        for (quantile, share) in [("p50", 0.5), ("p99", 0.99)] {
            let value = numbers.handled_within(share) * 1e6;
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
    println!("referee.{game}.spectators{CROWD}.ratio.p99 {ratio:.2} 1");
}

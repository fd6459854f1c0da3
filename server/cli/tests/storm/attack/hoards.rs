//! Callers that make the server hold as many resources as possible: each acquires all that it can
//! get, holds it, and starts again.

use std::time::Duration;

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{
    ClockRules, CreateMatchRequest, CreateMatchResponse, FaultAction, FaultPolicy,
    GetReplayRequest, ListMatchesRequest, MatchConfig, MatchState, PlayRequest, TimeControl,
    WatchMatchRequest, WatchPositionsRequest, play_request, watch_positions_request::Source,
};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::client::TlsStream;
use tonic::codegen::Bytes;

use super::{
    raw_client::{AnsweredCall, Failure, HeldCall, RawClient, framed, part_of},
    target::Target,
};
use crate::kit::{
    calls::{config, create_request, get_request, showing},
    seat_stream,
};

pub(crate) const LIST: &str = "/bridgemaster.v1.MatchService/ListMatches";
const REPLAY: &str = "/bridgemaster.v1.MatchService/GetReplay";
const WATCH: &str = "/bridgemaster.v1.MatchService/WatchMatch";
const POSITIONS: &str = "/bridgemaster.v1.MatchService/WatchPositions";
const CREATE: &str = "/bridgemaster.v1.MatchService/CreateMatch";
const GAMES: &str = "/bridgemaster.v1.CatalogService/ListGames";
pub(crate) const PLAY: &str = "/bridgemaster.v1.PlayService/Play";

/// The start of an HTTP/2 connection: the preface, and an empty SETTINGS frame.
pub(crate) const BEGINNING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Time for which resources are held.
const HOLD_TIME: Duration = Duration::from_secs(6);
/// Longest wait for the next response to start; some never do.
const START_TIMEOUT: Duration = Duration::from_millis(700);
/// Pause between requests for the state of a match that has not ended.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest time for writing bytes that are not read.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that a match waits for its bots.
const STARTUP_MS: u32 = 600_000;
/// Address from which hoarders create matches: 127.0.0.3.
const OWN_ADDRESS: u8 = 3;
/// Number of streams to open on one connection.
const STREAMS: usize = 2_000;
/// Announced size of a body in bytes, of which one byte is not sent.
const BODY: usize = 60_000;
/// Size of a replay file in bytes: half of what a caller may send at once to the small server.
const REPLAY_BYTES: usize = 1024 * 1024;
/// The tag of `Replay.records`, before the length of a record.
const RECORD_TAG: u8 = 11 << 3 | 2;

/// A kind of resource that callers make the server hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hoard {
    /// Lists on 2,000 streams of one connection that accepts no bytes.
    ClosedWindows,
    /// Lists on many connections, each of which accepts one byte.
    UnreadLists,
    /// Replays on many connections, each of which accepts one byte.
    UnreadReplays,
    /// Small responses that are not read and require no key.
    UnreadCatalogues,
    /// Requests whose last byte is never sent.
    ParkedBodies,
    /// Replay files whose last byte is never sent.
    ParkedReplays,
    /// Replay files of empty records, which take 100 times as much memory when they are decoded.
    HollowReplays,
    /// Spectators that read nothing.
    UnreadWatchers,
    /// Streams of bots that send half a Hello.
    HalfHellos,
    /// Streams of bots that do not read the messages of their match.
    DeafBots,
    /// Calls on connections that are never read.
    UnreadConnections,
    /// TLS handshakes that are never completed.
    HalfHandshakes,
    /// Silent connections to the metrics port.
    SilentOnMetrics,
}

impl Hoard {
    pub(crate) const ALL: [Self; 13] = [
        Self::ClosedWindows,
        Self::UnreadLists,
        Self::UnreadReplays,
        Self::UnreadCatalogues,
        Self::ParkedBodies,
        Self::ParkedReplays,
        Self::HollowReplays,
        Self::UnreadWatchers,
        Self::HalfHellos,
        Self::DeafBots,
        Self::UnreadConnections,
        Self::HalfHandshakes,
        Self::SilentOnMetrics,
    ];

    /// Source address.
    fn address(self) -> u8 {
        10 + self as u8
    }
}

/// Resources of a hoarder.
#[derive(Default)]
pub(crate) struct Held {
    clients: Vec<RawClient>,
    calls: Vec<HeldCall>,
    beginning: JoinSet<Option<AnsweredCall>>,
    begun: Vec<AnsweredCall>,
    streams: Vec<TlsStream<TcpStream>>,
    unencrypted: Vec<TcpStream>,
}

impl Held {
    /// Waits until the server starts no more responses.
    async fn wait_for_starts(&mut self) {
        for call in self.calls.drain(..) {
            self.beginning.spawn(call.answered());
        }
        while let Ok(Some(answered)) = timeout(START_TIMEOUT, self.beginning.join_next()).await {
            self.begun.extend(answered.ok().flatten());
        }
    }
}

/// Credentials and matches of hoarders.
#[derive(Clone)]
pub(crate) struct Prey {
    pub(crate) target: Target,
    pub(crate) key: String,
    /// Matches of the hoarder.
    pub(crate) matches: Vec<CreateMatchResponse>,
    /// The identifier of another match, which has ended and therefore has a replay.
    ended: String,
    /// Number of connections of hoarders that need many.
    pub(crate) connections: usize,
}

impl Prey {
    /// Creates this many matches for hoarding.
    pub(crate) async fn new(target: &Target, key: &str, matches: usize) -> Result<Self, Failure> {
        let mut client = target.matches_from(OWN_ADDRESS);
        let mut made = Vec::new();
        for _ in 0..matches {
            let call = showing(match_of(STARTUP_MS), "", key);
            made.push(client.create_match(call).await?.into_inner());
        }
        // No bot joins this match.
        let ended = client.create_match(showing(match_of(50), "", key)).await?;
        let ended = ended.into_inner().r#match.unwrap_or_default().match_id;
        loop {
            let call = showing(get_request(&ended), "", key);
            let info = client.get_match(call).await?.into_inner().r#match;
            if info.is_some_and(|info| info.state() == MatchState::Ended) {
                break;
            }
            sleep(PAUSE).await;
        }
        Ok(Self {
            target: target.clone(),
            key: key.to_owned(),
            matches: made,
            ended,
            connections: 20,
        })
    }

    /// Acquires, holds and releases resources, again and again.
    pub(crate) async fn hoard(self, how: Hoard) {
        loop {
            let held = self.hoard_once(how).await;
            sleep(HOLD_TIME).await;
            drop(held);
        }
    }

    /// Starts as many calls as the server permits.
    pub(crate) async fn hoard_once(&self, how: Hoard) -> Held {
        let mut held = Held::default();
        let many = match how {
            Hoard::ClosedWindows => 2,
            Hoard::DeafBots | Hoard::UnreadWatchers | Hoard::UnreadConnections => 4,
            _ => self.connections,
        };
        for number in 0..many {
            // If one attempt is refused, the next one is still made.
            let _refused = self.fill(how, number, &mut held).await;
        }
        held.wait_for_starts().await;
        held
    }

    async fn fill(&self, how: Hoard, number: usize, held: &mut Held) -> Result<(), Failure> {
        let from = how.address();
        let window = match how {
            Hoard::UnreadConnections => return self.never_read(from, held).await,
            Hoard::HalfHandshakes => {
                let mut stream = self.target.tcp(from, self.target.server).await?;
                let hello = self.target.client_hello();
                stream.write_all(&hello[..hello.len() / 2]).await?;
                held.unencrypted.push(stream);
                return Ok(());
            }
            Hoard::SilentOnMetrics => {
                held.unencrypted.push(self.target.tcp(from, self.target.metrics).await?);
                return Ok(());
            }
            Hoard::UnreadLists | Hoard::UnreadReplays | Hoard::UnreadCatalogues => 1,
            _ => 0,
        };
        held.clients.push(RawClient::connect(&self.target, from, &self.key, window).await?);
        let Held { clients, calls, .. } = held;
        let client = clients.last_mut().ok_or("a client was just added")?;
        let list = ListMatchesRequest { page_size: 500, ..ListMatchesRequest::default() };
        let own = self.matches.iter().skip(number).step_by(4);
        match how {
            Hoard::ClosedWindows => {
                for _ in 0..STREAMS {
                    calls.push(client.call(LIST, &list).await?);
                }
            }
            Hoard::UnreadLists => {
                for _ in 0..10 {
                    calls.push(client.call(LIST, &list).await?);
                }
            }
            Hoard::UnreadReplays => {
                let replay = GetReplayRequest {
                    match_id: self.ended.clone(),
                    ..GetReplayRequest::default()
                };
                for _ in 0..10 {
                    calls.push(client.call(REPLAY, &replay).await?);
                }
            }
            Hoard::UnreadCatalogues => {
                for _ in 0..20 {
                    calls.push(client.call(GAMES, &()).await?);
                }
            }
            Hoard::ParkedBodies => {
                let part = part_of(BODY, &vec![0; 16_000]);
                for _ in 0..4 {
                    calls.push(client.begin(CREATE, None, part.clone(), false).await?);
                }
                for call in calls.iter_mut().rev().take(4) {
                    call.body.send_data(vec![0; BODY - 16_001].into(), false)?;
                }
            }
            Hoard::ParkedReplays => {
                let part = part_of(REPLAY_BYTES, &vec![0; REPLAY_BYTES - 1]);
                for _ in 0..4 {
                    calls.push(client.begin(POSITIONS, None, part.clone(), false).await?);
                }
            }
            Hoard::HollowReplays => {
                let file = [RECORD_TAG, 0].repeat(REPLAY_BYTES / 2);
                let watch = WatchPositionsRequest {
                    source: Some(Source::ReplayFile(file)),
                    ..WatchPositionsRequest::default()
                };
                for _ in 0..4 {
                    calls.push(client.call(POSITIONS, &watch).await?);
                }
            }
            Hoard::UnreadWatchers => {
                for made in own {
                    let match_id = made.r#match.clone().unwrap_or_default().match_id;
                    let watch = WatchMatchRequest { match_id };
                    for _ in 0..3 {
                        calls.push(client.call(WATCH, &watch).await?);
                    }
                }
            }
            Hoard::HalfHellos => {
                let part = part_of(8_000, &vec![0; 7_000]);
                for made in self.matches.iter().take(20) {
                    let ticket = made.tickets.first().map(|ticket| ticket.ticket.as_str());
                    calls.push(client.begin(PLAY, ticket, part.clone(), false).await?);
                }
            }
            Hoard::DeafBots => {
                for ticket in own.flat_map(|made| &made.tickets) {
                    let ticket = Some(ticket.ticket.as_str());
                    calls.push(client.begin(PLAY, ticket, hello(), false).await?);
                }
            }
            Hoard::UnreadConnections | Hoard::HalfHandshakes | Hoard::SilentOnMetrics => {}
        }
        Ok(())
    }

    /// Makes call after call on a connection from which nothing is read.
    async fn never_read(&self, from: u8, held: &mut Held) -> Result<(), Failure> {
        let mut stream = self.target.tls(from).await?;
        stream.write_all(BEGINNING).await?;
        // POST, http, an unknown path: refused with HEADERS only, which flow control does not
        // delay.
        let block: &[u8] = b"\x83\x86\x04\x02/x\x0f\x10\x10application/grpc";
        let mut frames = Vec::new();
        for number in 0..5_000_u32 {
            let id = 2 * number + 1;
            let length = u32::try_from(block.len())?.to_be_bytes();
            frames.extend_from_slice(&length[1..]);
            frames.extend_from_slice(&[1, 5]);
            frames.extend_from_slice(&id.to_be_bytes());
            frames.extend_from_slice(block);
        }
        // The server stops reading at some point.
        let _ = timeout(WRITE_TIMEOUT, stream.write_all(&frames)).await;
        held.streams.push(stream);
        Ok(())
    }
}

pub(crate) fn hello() -> Bytes {
    let hello = play_request::Message::Hello(seat_stream::hello("deaf"));
    framed(&PlayRequest { message: Some(hello) })
}

/// Returns a match that waits for its bots for this time, and whose clocks expire again and again.
fn match_of(startup_ms: u32) -> CreateMatchRequest {
    let clock = ClockRules {
        startup_ms: Some(startup_ms),
        time_control: Some(TimeControl::fischer(60_000, 500, 50)),
        ..ClockRules::default()
    };
    let faults =
        Some(FaultPolicy { late: FaultAction::Substitute.into(), ..FaultPolicy::default() });
    create_request(MatchConfig { faults, ..config(GAME_IDS[0], 2, clock) })
}

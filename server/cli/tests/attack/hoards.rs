//! Callers who have the server hold as much as they can: each begins what it can get, holds it,
//! and begins again.

use std::{net::SocketAddr, time::Duration};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        CreateMatchRequest, CreateMatchResponse, Hello, ListMatchesRequest, MatchConfig,
        PlayRequest, WatchMatchRequest, match_service_client::MatchServiceClient, play_request,
    },
};
use h2::RecvStream;
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    time::{sleep, timeout},
};
use tonic::{Request, codegen::http::Response, transport::Channel};

use crate::{
    raw_client::{Failure, HeldCall, RawClient, framed, part_of, tcp},
    server_process::Key,
};

pub(crate) const LIST: &str = "/bridgemaster.v1.MatchService/ListMatches";
const WATCH: &str = "/bridgemaster.v1.MatchService/WatchMatch";
const CREATE: &str = "/bridgemaster.v1.MatchService/CreateMatch";
const GAMES: &str = "/bridgemaster.v1.CatalogService/ListGames";
pub(crate) const PLAY: &str = "/bridgemaster.v1.PlayService/Play";

/// How long is held what was got.
const HELD: Duration = Duration::from_secs(6);
/// Longest time until answers have begun; some never do.
const BEGUN: Duration = Duration::from_secs(6);
/// Longest time to write what is not read.
const WRITING: Duration = Duration::from_secs(2);
/// Streams of one connection that are asked for.
const STREAMS: usize = 2_000;
/// Bytes that are announced, and one less sent.
const BODY: usize = 60_000;

/// A way to have the server hold something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hoard {
    /// Lists on 2,000 streams of one connection that takes no byte.
    ClosedWindows,
    /// Lists on many connections that each take one byte.
    UnreadLists,
    /// Small answers that nobody reads and for which no key is needed.
    UnreadCatalogues,
    /// Requests of which the last byte does not come.
    ParkedBodies,
    /// Spectators that read nothing.
    UnreadWatchers,
    /// Streams of bots that send half a Hello.
    HalfHellos,
    /// Streams of bots that read nothing of their match.
    DeafBots,
    /// Calls on connections from which nobody reads.
    UnreadConnections,
}

impl Hoard {
    pub(crate) const ALL: [Self; 8] = [
        Self::ClosedWindows,
        Self::UnreadLists,
        Self::UnreadCatalogues,
        Self::ParkedBodies,
        Self::UnreadWatchers,
        Self::HalfHellos,
        Self::DeafBots,
        Self::UnreadConnections,
    ];

    /// Where it comes from.
    fn address(self) -> u8 {
        10 + self as u8
    }
}

/// What a hoarder has got.
#[derive(Default)]
pub(crate) struct Held {
    clients: Vec<RawClient>,
    calls: Vec<HeldCall>,
    answers: Vec<Response<RecvStream>>,
    streams: Vec<TcpStream>,
}

impl Held {
    /// Waits until the server has begun to answer what it will answer at all.
    async fn are_begun(&mut self) {
        let Self { calls, answers, .. } = self;
        let begun = async {
            for call in calls {
                answers.extend((&mut call.response).await);
            }
        };
        let _ = timeout(BEGUN, begun).await;
    }
}

/// What hoarders know.
#[derive(Clone)]
pub(crate) struct Prey {
    pub(crate) server: SocketAddr,
    pub(crate) key: Key,
    /// Matches of the hoarder.
    pub(crate) matches: Vec<CreateMatchResponse>,
    /// Connections that those make who need many.
    pub(crate) connections: usize,
}

impl Prey {
    /// Makes so many matches to hoard with.
    pub(crate) async fn new(server: SocketAddr, key: Key, matches: usize) -> Result<Self, Failure> {
        let channel = Channel::from_shared(format!("http://{server}"))?
            .connect()
            .await?;
        let mut client = MatchServiceClient::new(channel);
        let mut made = Vec::new();
        for _ in 0..matches {
            let mut call = Request::new(create_request());
            let shown = key.0.parse()?;
            call.metadata_mut().insert("x-bridgemaster-key", shown);
            made.push(client.create_match(call).await?.into_inner());
        }
        Ok(Self {
            server,
            key,
            matches: made,
            connections: 20,
        })
    }

    /// Hoards for ever.
    pub(crate) async fn hoard(self, how: Hoard) {
        loop {
            let held = self.hoard_once(how).await;
            sleep(HELD).await;
            drop(held);
        }
    }

    /// Begins as much as the server lets it.
    pub(crate) async fn hoard_once(&self, how: Hoard) -> Held {
        let mut held = Held::default();
        let many = match how {
            Hoard::ClosedWindows => 2,
            Hoard::DeafBots | Hoard::UnreadWatchers | Hoard::UnreadConnections => 4,
            _ => self.connections,
        };
        for number in 0..many {
            // Who is refused tries the next.
            let _refused = self.fill(how, number, &mut held).await;
        }
        held.are_begun().await;
        held
    }

    async fn fill(&self, how: Hoard, number: usize, held: &mut Held) -> Result<(), Failure> {
        let window = match how {
            Hoard::UnreadLists | Hoard::UnreadCatalogues => 1,
            _ => 0,
        };
        if how == Hoard::UnreadConnections {
            return self.never_read(how, held).await;
        }
        let client = RawClient::connect(self.server, how.address(), &self.key, window).await?;
        held.clients.push(client);
        let Held { clients, calls, .. } = held;
        let client = clients.last_mut().ok_or("the client that was just made")?;
        let list = ListMatchesRequest {
            page_size: 500,
            ..ListMatchesRequest::default()
        };
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
            Hoard::UnreadWatchers => {
                for made in self.matches.iter().skip(number).step_by(4) {
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
                for made in self.matches.iter().skip(number).step_by(4) {
                    for ticket in &made.tickets {
                        let ticket = Some(ticket.ticket.as_str());
                        calls.push(client.begin(PLAY, ticket, hello(), false).await?);
                    }
                }
            }
            Hoard::UnreadConnections => {}
        }
        Ok(())
    }

    /// Calls without an end on a connection from which nothing is read.
    async fn never_read(&self, how: Hoard, held: &mut Held) -> Result<(), Failure> {
        let mut stream = tcp(how.address(), self.server).await?;
        stream
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .await?;
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await?;
        // POST, http, a path of no service: refused with a head alone, which no window holds up.
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
        // The server stops reading, sooner or later.
        let _ = timeout(WRITING, stream.write_all(&frames)).await;
        held.streams.push(stream);
        Ok(())
    }
}

pub(crate) fn hello() -> tonic::codegen::Bytes {
    let hello = Hello {
        protocol_revision: bridgemaster_proto::PROTOCOL_REVISION,
        bot_name: "deaf".to_owned(),
        ..Hello::default()
    };
    framed(&PlayRequest {
        message: Some(play_request::Message::Hello(hello)),
    })
}

/// A match whose clocks run out at once and go on running out.
fn create_request() -> CreateMatchRequest {
    use bridgemaster_proto::v1::{ClockRules, FaultAction, FaultPolicy};
    let game = bridgemaster_games::GAME_IDS[0];
    CreateMatchRequest {
        config: Some(MatchConfig {
            game: with_game!(game, G => G::config_to_wire(&Default::default())),
            seats: 2,
            clock: Some(ClockRules {
                startup_ms: Some(600_000),
                cap_ms: Some(50),
                ..ClockRules::default()
            }),
            faults: Some(FaultPolicy {
                late: FaultAction::Substitute.into(),
                ..FaultPolicy::default()
            }),
            ..MatchConfig::default()
        }),
        ..CreateMatchRequest::default()
    }
}

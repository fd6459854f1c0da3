//! Seats that answer by unary calls: over gRPC-Web on the port of the page, as from a browser.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use bridgemaster_proto::v1::{
    DecideRequest, Decision, DecisionRejected, DecisionRequest, FaultReason, GameDecision, Hello,
    MatchEnded, RefusalReason, Replay, ResignSeatRequest, SeatResult, SeatState, WatchSeatRequest,
    WatchSeatResponse, decision::Choice, play_response::Message, record::Record,
    seat_service_client::SeatServiceClient,
};
use bridgemaster_replay::verify;
use bridgemaster_server::{
    Limits,
    identity::{ApiKey, KEY_METADATA, KeyScope},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::{select, time::timeout};
use tonic::{
    Request, Status, Streaming,
    body::Body,
    codegen::{Service, http},
    transport::{Channel, channel::ResponseFuture},
};
use tonic_web::{GrpcWebCall, GrpcWebClientLayer, GrpcWebClientService};
use tower_layer::Layer as _;

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// A connection to the port of the page.
#[derive(Clone)]
struct PagePort(Channel);

impl Service<http::Request<GrpcWebCall<Body>>> for PagePort {
    type Response = http::Response<Body>;
    type Error = tonic::transport::Error;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<http::Request<Body>>::poll_ready(&mut self.0, context)
    }

    fn call(&mut self, request: http::Request<GrpcWebCall<Body>>) -> Self::Future {
        self.0.call(request.map(Body::new))
    }
}

type Client = SeatServiceClient<GrpcWebClientService<PagePort>>;

async fn client(server: &TestServer) -> Client {
    let page = Channel::from_shared(format!("http://{}", server.page)).unwrap();
    let page = PagePort(page.connect().await.unwrap());
    SeatServiceClient::new(GrpcWebClientLayer::new().layer(page))
}

/// Creates a request that presents a ticket.
fn with_ticket<T>(ticket: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    request
}

async fn watch(
    client: &mut Client,
    ticket: &str,
    hello: Option<Hello>,
) -> Result<Streaming<WatchSeatResponse>, Status> {
    let request = with_ticket(ticket, WatchSeatRequest { hello });
    Ok(client.watch_seat(request).await?.into_inner())
}

/// Returns the refusal of a seat stream that starts with this Hello.
async fn refused(client: &mut Client, ticket: &str, hello: Option<Hello>) -> Status {
    match watch(client, ticket, hello).await {
        Err(status) => status,
        Ok(mut inbound) => loop {
            match inbound.message().await {
                Ok(message) => assert!(message.is_some(), "the stream ended well"),
                Err(status) => return status,
            }
        },
    }
}

/// Returns the result of an answer.
async fn decide(
    client: &mut Client,
    ticket: &str,
    request_id: u32,
    index: u32,
) -> Result<Option<DecisionRejected>, Status> {
    let decision = Some(Decision {
        request_id,
        choice: Some(Choice::Index(index)),
        ..Decision::default()
    });
    let request = with_ticket(ticket, DecideRequest { decision });
    let answered = timeout(PATIENCE, client.decide(request)).await;
    Ok(answered.expect("the server answers")?.into_inner().rejected)
}

/// A seat that is played by unary calls.
struct SeatPlayer {
    client: Client,
    ticket: String,
    inbound: Streaming<WatchSeatResponse>,
    last_sequence: u32,
    history_id: String,
    resumed: bool,
}

impl SeatPlayer {
    async fn join(server: &TestServer, ticket: &str) -> Self {
        Self::join_with(server, ticket, hello()).await
    }

    async fn join_with(server: &TestServer, ticket: &str, hello: Hello) -> Self {
        let mut client = client(server).await;
        let inbound = watch(&mut client, ticket, Some(hello)).await.unwrap();
        let mut player = Self {
            client,
            ticket: ticket.to_owned(),
            inbound,
            last_sequence: 0,
            history_id: String::new(),
            resumed: false,
        };
        match player.next().await.unwrap().unwrap() {
            Message::Welcome(welcome) => {
                player.history_id = welcome.history_id;
                player.resumed = welcome.resumed;
            }
            other => panic!("{other:?} before Welcome"),
        }
        player
    }

    /// Returns the next message other than a Ping; `None` if the stream ended without an error.
    async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            let response = timeout(PATIENCE, self.inbound.message()).await;
            let Some(response) = response.expect("the server sends a message")? else {
                return Ok(None);
            };
            let message = response.message.unwrap();
            if message.sequence > 0 {
                self.last_sequence = message.sequence;
            }
            match message.message.unwrap() {
                Message::Ping(_) => {}
                other => return Ok(Some(other)),
            }
        }
    }

    async fn until<T>(&mut self, mut pick: impl FnMut(Message) -> Option<T>) -> T {
        loop {
            let message = self.next().await.unwrap().expect("the stream continues");
            if let Some(found) = pick(message) {
                return found;
            }
        }
    }

    async fn next_request(&mut self) -> DecisionRequest {
        self.until(|message| match message {
            Message::DecisionRequest(request) => Some(request),
            _ => None,
        })
        .await
    }

    async fn decide(
        &mut self,
        request_id: u32,
        index: u32,
    ) -> Result<Option<DecisionRejected>, Status> {
        decide(&mut self.client, &self.ticket, request_id, index).await
    }

    /// Answers every request with its first legal decision until the match ends.
    async fn play_on(mut self) -> MatchEnded {
        loop {
            match self.next().await.unwrap().expect("the match continues") {
                Message::DecisionRequest(request) => {
                    let rejected = self.decide(request.request_id, 0).await.unwrap();
                    assert_eq!(rejected, None);
                }
                Message::MatchEnded(ended) => {
                    assert_eq!(self.next().await.unwrap(), None, "the stream ends well");
                    return ended;
                }
                _ => {}
            }
        }
    }

    /// Answers requests until `other` completes.
    async fn answer_until<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            select! {
                biased;
                done = &mut other => return done,
                message = self.next() => {
                    if let Ok(Some(Message::DecisionRequest(request))) = message {
                        self.decide(request.request_id, 0).await.unwrap();
                    }
                }
            }
        }
    }

    /// Returns the Hello that resumes after this message.
    fn hello_after(&self, last_sequence: u32) -> Hello {
        Hello {
            last_sequence: Some(last_sequence),
            history_id: Some(self.history_id.clone()),
            ..hello()
        }
    }

    /// Returns the refusal at the end of the stream; `None` if it ended without an error.
    async fn end(&mut self) -> Option<Status> {
        loop {
            match self.next().await {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(status) => return Some(status),
            }
        }
    }
}

/// Returns the decisions of a seat. The order between seats that decide in secret is undefined.
fn decisions(replay: &Replay, seat: u32) -> Vec<Option<GameDecision>> {
    let records = replay.records.iter().filter_map(|record| {
        let Some(Record::Decision(decision)) = &record.record else {
            return None;
        };
        (decision.seat == seat).then(|| decision.decision.clone())
    });
    records.collect()
}

#[tokio::test]
async fn a_match_played_with_calls_equals_one_played_on_streams() {
    let server = TestServer::open().await;
    for game in GAMES {
        let (calls, streams) = (
            server.create(config(game, 2)).await,
            server.create(config(game, 2)).await,
        );
        let (by_calls, beside) = (
            SeatPlayer::join(&server, &calls.tickets[0]).await,
            RawBot::join(&server, &calls.tickets[1]).await,
        );
        let (first, second) = (
            RawBot::join(&server, &streams.tickets[0]).await,
            RawBot::join(&server, &streams.tickets[1]).await,
        );
        let (ended, other, same, _) = tokio::join!(
            by_calls.play_on(),
            beside.play_on(),
            first.play_on(),
            second.play_on()
        );
        assert_eq!(ended.result, other.result, "{game}");
        let [ended, same] = [ended, same].map(|ended| ended.result.unwrap().seats);
        for (seat, same) in ended.iter().zip(&same) {
            let got = |seat: &SeatResult| (seat.place, seat.score, seat.breakdown.clone());
            assert_eq!(got(seat), got(same), "{game}");
            assert_eq!(seat.fault_count, 0, "{game}: {:?}", seat.faults);
        }
        let calls = server.replay(&calls.match_id).await.unwrap();
        let streams = server.replay(&streams.match_id).await.unwrap();
        for seat in 0..2 {
            let by_calls = decisions(&calls, seat);
            assert!(!by_calls.is_empty());
            let is_same = by_calls == decisions(&streams, seat);
            assert!(is_same, "{game}: seat {seat} decided otherwise");
        }
        verify(&calls).unwrap();
    }
}

#[tokio::test]
async fn a_caller_without_the_ticket_neither_watches_nor_plays_a_seat() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut client = client(&server).await;
    let unknown = "0".repeat(seated.tickets[0].len());
    let refusal = refused(&mut client, &unknown, Some(hello())).await;
    assert_eq!(reason(&refusal), "TICKET_UNKNOWN");
    let refusal = decide(&mut client, &unknown, 1, 0).await.unwrap_err();
    assert_eq!(reason(&refusal), "TICKET_UNKNOWN");
    let bare = client.decide(DecideRequest::default()).await.unwrap_err();
    assert_eq!(reason(&bare), "TICKET_MISSING");
    let bare = client.resign_seat(ResignSeatRequest {}).await.unwrap_err();
    assert_eq!(reason(&bare), "TICKET_MISSING");

    let ticket = &seated.tickets[0];
    let refusal = refused(&mut client, ticket, None).await;
    assert_eq!(reason(&refusal), "INVALID_FIELD");
    let strange = Hello {
        protocol_revision: 2,
        ..hello()
    };
    let refusal = refused(&mut client, ticket, Some(strange)).await;
    assert_eq!(reason(&refusal), "PROTOCOL_REVISION_UNSUPPORTED");
    let refusal = decide(&mut client, ticket, 1, 0).await.unwrap_err();
    assert_eq!(
        reason(&refusal),
        "HELLO_EXPECTED",
        "nobody watches the seat"
    );
}

#[tokio::test]
async fn the_newest_stream_of_either_service_has_the_seat() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let ticket = &seated.tickets[0];
    let mut calls = SeatPlayer::join(&server, ticket).await;
    let mut again = SeatPlayer::join(&server, ticket).await;
    assert_eq!(reason(&calls.end().await.unwrap()), "SUPERSEDED");
    let stream = RawBot::join(&server, ticket).await;
    assert_eq!(reason(&again.end().await.unwrap()), "SUPERSEDED");
    let refusal = again.decide(1, 0).await.unwrap_err();
    assert_eq!(reason(&refusal), "HELLO_EXPECTED");
    let back = SeatPlayer::join(&server, ticket).await;
    assert_eq!(reason(&stream.end().await.unwrap()), "SUPERSEDED");

    let other = RawBot::join(&server, &seated.tickets[1]).await;
    let (ended, same) = tokio::join!(back.play_on(), other.play_on());
    assert_eq!(ended.result, same.result);
}

#[tokio::test]
async fn an_answer_reports_whether_it_was_accepted_and_why_not() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut player = SeatPlayer::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    let asked = other.answer_until(player.next_request()).await;
    let id = asked.request_id;

    let rejected = player.decide(id, asked.legal_count).await.unwrap();
    let rejected = rejected.expect("there is no such index");
    assert_eq!(rejected.reason(), RefusalReason::IndexOutOfRange);
    assert_eq!((rejected.request_id, rejected.open_request_id), (id, id));
    let answer = player
        .until(|message| match message {
            Message::DecisionRejected(rejected) => Some(rejected),
            _ => None,
        })
        .await;
    assert_eq!(answer, rejected, "the stream has the same");

    let none = with_ticket(&player.ticket, DecideRequest::default());
    let none = player.client.decide(none).await.unwrap().into_inner();
    let unknown = none.rejected.map(|rejected| rejected.reason());
    assert_eq!(unknown, Some(RefusalReason::UnknownRequest));

    assert_eq!(player.decide(id, 0).await.unwrap(), None);
    assert_eq!(player.decide(id, 0).await.unwrap(), None, "the same again");
    let stale = player.decide(id, 1).await.unwrap().unwrap();
    assert_eq!(stale.reason(), RefusalReason::StaleRequest);

    let (ended, _) = tokio::join!(player.play_on(), other.play_on());
    let seat = &ended.result.unwrap().seats[0];
    let faults: Vec<_> = seat.faults.iter().map(|fault| fault.reason()).collect();
    assert_eq!(faults, [FaultReason::Illegal], "as on a stream");
}

#[tokio::test]
async fn a_seat_whose_stream_is_lost_is_paused_and_resumes() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut player = SeatPlayer::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    let asked = other.answer_until(player.next_request()).await;
    let back = player.hello_after(player.last_sequence - 1);
    drop(player);
    timeout(PATIENCE, async {
        while server.info(&seated.match_id).await.seats[0].state() != SeatState::Paused {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the seat is paused");
    let mut client = client(&server).await;
    let refusal = decide(&mut client, &seated.tickets[0], asked.request_id, 0).await;
    assert_eq!(reason(&refusal.unwrap_err()), "HELLO_EXPECTED");

    let mut player = SeatPlayer::join_with(&server, &seated.tickets[0], back).await;
    assert!(player.resumed);
    let again = player.next_request().await;
    assert_eq!(
        (again.request_id, &again.game),
        (asked.request_id, &asked.game)
    );
    assert_eq!(player.decide(again.request_id, 0).await.unwrap(), None);
    let (ended, same) = tokio::join!(player.play_on(), other.play_on());
    assert_eq!(ended.result, same.result);
    assert_eq!(ended.result.unwrap().seats[0].fault_count, 0);
}

#[tokio::test]
async fn an_accepted_answer_survives_a_restart() {
    for game in GAMES {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut server = TestServer::over(&store, Limits::default()).await;
        let seated = server.create(config(game, 2)).await;
        let mut player = SeatPlayer::join(&server, &seated.tickets[0]).await;
        let mut other = RawBot::join(&server, &seated.tickets[1]).await;
        let asked = other.answer_until(player.next_request()).await;
        assert_eq!(player.decide(asked.request_id, 0).await.unwrap(), None);
        // Nothing may have come of it yet, since seats may decide in secret.
        server.crash().await;

        let server = TestServer::over(&store, Limits::default()).await;
        let mut player = SeatPlayer::join(&server, &seated.tickets[0]).await;
        assert!(!player.resumed);
        let stale = player.decide(asked.request_id, 1).await.unwrap().unwrap();
        assert_eq!(stale.reason(), RefusalReason::StaleRequest, "{game}");
        let other = RawBot::resume(&server, &seated.tickets[1], other.resume_point());
        let (ended, same) = tokio::join!(player.play_on(), other);
        assert_eq!(ended.result, same.result, "{game}");
        for seat in &ended.result.unwrap().seats {
            assert_eq!(seat.fault_count, 0, "{game}: {:?}", seat.faults);
        }
    }
}

#[tokio::test]
async fn a_seat_that_resigns_with_a_call_forfeits() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut player = SeatPlayer::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    other.answer_until(player.next_request()).await;
    let resign = with_ticket(&player.ticket, ResignSeatRequest {});
    player.client.resign_seat(resign).await.unwrap();
    assert_eq!(reason(&player.end().await.unwrap()), "SEAT_CLOSED");
    let refusal = refused(&mut player.client, &player.ticket, Some(hello())).await;
    assert_eq!(reason(&refusal), "SEAT_CLOSED");
    let ended = other.play_on().await;
    let seat = &ended.result.unwrap().seats[0];
    let faults: Vec<_> = seat.faults.iter().map(|fault| fault.reason()).collect();
    assert_eq!(faults, [FaultReason::Resigned]);
}

#[tokio::test]
async fn two_seats_played_with_calls_finish_their_match() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut first = SeatPlayer::join(&server, &seated.tickets[0]).await;
    let mut second = SeatPlayer::join(&server, &seated.tickets[1]).await;
    let asked = second.answer_until(first.next_request()).await;
    assert_eq!(first.decide(asked.request_id, 0).await.unwrap(), None);
    let (ended, same) = tokio::join!(first.play_on(), second.play_on());
    assert_eq!(ended.result, same.result);
}

/// Creates a request that presents a ticket and an API key.
fn with_key<T>(ticket: &str, key: &ApiKey, message: T) -> Request<T> {
    let mut request = with_ticket(ticket, message);
    let key = key.reveal().parse().unwrap();
    request.metadata_mut().insert(KEY_METADATA, key);
    request
}

#[tokio::test]
async fn a_ticket_used_with_another_key_neither_watches_nor_decides() {
    let locked = LockedServer::open().await;
    let scopes = [KeyScope::Create, KeyScope::Play];
    let owner = locked.key("owner", &scopes).await;
    let thief = locked.key("thief", &scopes).await;
    let seated = locked.with(&owner).create(config(GAMES[0], 2)).await;
    let seated = seated.unwrap();
    let ticket = &seated.tickets[0];
    // On the main port, which serves the service too.
    let mut client = SeatServiceClient::new(locked.server.channel.clone());
    let watch = || WatchSeatRequest {
        hello: Some(hello()),
    };
    let watched = client.watch_seat(with_key(ticket, &owner, watch())).await;
    let mut held = watched.unwrap().into_inner();
    let welcome = held.message().await.unwrap().unwrap().message.unwrap();
    assert!(matches!(welcome.message, Some(Message::Welcome(_))));

    let stolen = client.watch_seat(with_key(ticket, &thief, watch())).await;
    let mut stolen = stolen.unwrap().into_inner();
    let refusal = stolen.message().await.unwrap_err();
    assert_eq!(reason(&refusal), "SEAT_OF_ANOTHER_KEY");
    let decide = || DecideRequest {
        decision: Some(Decision::default()),
    };
    let refusal = client.decide(with_key(ticket, &thief, decide())).await;
    assert_eq!(reason(&refusal.unwrap_err()), "SEAT_OF_ANOTHER_KEY");
    let refusal = client.decide(with_ticket(ticket, decide())).await;
    assert_eq!(reason(&refusal.unwrap_err()), "KEY_MISSING");

    let heard = client.decide(with_key(ticket, &owner, decide())).await;
    let rejected = heard.unwrap().into_inner().rejected.unwrap();
    assert_eq!(rejected.reason(), RefusalReason::UnknownRequest);
}

//! Seats that answer by unary calls, over gRPC-Web on the port of the page, as from a browser.

use std::task::{Context, Poll};

use bridgemaster_proto::v1::{
    DecideRequest, Decision, DecisionRejected, FaultReason, GameDecision, Hello, PlayRequest,
    RefusalReason, Replay, ResignSeatRequest, SeatResult, SeatState, WatchSeatRequest,
    WatchSeatResponse, decision::Choice, play_request::Message as Sent, play_response::Message,
    record::Record, seat_service_client::SeatServiceClient,
};
use bridgemaster_replay::verify;
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Create, Play},
};
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::StreamExt as _;
use tonic::{
    Request, Status, Streaming,
    body::Body,
    codegen::{Service, http},
    transport::{Channel, channel::ResponseFuture},
};
use tonic_web::{GrpcWebCall, GrpcWebClientLayer, GrpcWebClientService};
use tower::Layer as _;

use crate::{
    caller::Caller,
    raw_bot::{RawBot, bearer, hello},
    streams::{PATIENCE, end, outcome, reason, until},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two},
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
    let bearer = bearer(ticket).parse().unwrap();
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
        Ok(mut inbound) => end(&mut inbound).await,
    }
}

/// Returns the result of an answer.
async fn decide(
    client: &mut Client,
    ticket: &str,
    request_id: u32,
    index: u32,
) -> Result<Option<DecisionRejected>, Status> {
    let decision =
        Some(Decision { request_id, choice: Some(Choice::Index(index)), ..Decision::default() });
    let request = with_ticket(ticket, DecideRequest { decision });
    let answered = timeout(PATIENCE, client.decide(request)).await;
    Ok(answered.expect("the server answers")?.into_inner().rejected)
}

/// Joins a seat whose bot answers by unary calls.
async fn join(server: &TestServer, ticket: &str) -> RawBot {
    join_with(server, ticket, hello()).await
}

async fn join_with(server: &TestServer, ticket: &str, hello: Hello) -> RawBot {
    let mut client = client(server).await;
    let inbound = watch(&mut client, ticket, Some(hello)).await.unwrap();
    let inbound = inbound.map(|response| response.map(|response| response.message.unwrap()));
    let (outbound, mut messages) = mpsc::channel::<PlayRequest>(1024);
    let ticket = ticket.to_owned();
    tokio::spawn(async move {
        while let Some(message) = messages.recv().await {
            if let Some(Sent::Decision(decision)) = message.message {
                let request = DecideRequest { decision: Some(decision) };
                // The fate of the seat is sent on its stream, so the result of the call is ignored.
                let _ = client.decide(with_ticket(&ticket, request)).await;
            }
        }
    });
    let bot = RawBot::new(outbound, Box::pin(inbound));
    bot.welcomed().await.unwrap()
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
        let calls = server.create(config(game, 2)).await;
        let streams = server.create(config(game, 2)).await;
        let by_calls = join(&server, &calls.tickets[0]).await;
        // In one match, both seats answer by calls.
        let beside = match game == &GAMES[0] {
            true => join(&server, &calls.tickets[1]).await,
            false => server.join(&calls.tickets[1]).await,
        };
        let [first, second] = server.join_all(&streams).await;
        let (ended, other, same, _) =
            tokio::join!(by_calls.play_on(), beside.play_on(), first.play_on(), second.play_on());
        assert_eq!(ended.result, other.result, "{game}");
        let [ended, same] = [ended, same].map(|ended| ended.result.unwrap());
        assert_faultless(&ended);
        for (seat, same) in ended.seats.iter().zip(&same.seats) {
            let got = |seat: &SeatResult| (seat.place, seat.score, seat.breakdown.clone());
            assert_eq!(got(seat), got(same), "{game}");
        }
        let calls = server.replay(&calls.match_id).await.unwrap();
        let streams = server.replay(&streams.match_id).await.unwrap();
        for seat in 0..2 {
            let by_calls = decisions(&calls, seat);
            assert!(!by_calls.is_empty());
            let is_same = by_calls == decisions(&streams, seat);
            assert!(is_same, "{game}: seat {seat} made other decisions");
        }
        verify(&calls).unwrap();
    }
}

#[tokio::test]
async fn a_caller_without_the_ticket_neither_watches_nor_plays_a_seat() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let mut client = client(&server).await;
    let unknown = "0".repeat(seated.tickets[0].len());
    let refusal = refused(&mut client, &unknown, Some(hello())).await;
    assert_eq!(reason(&refusal), "TICKET_UNKNOWN");
    let decided = decide(&mut client, &unknown, 1, 0).await;
    assert_eq!(outcome(decided), "TICKET_UNKNOWN");
    let bare = client.decide(DecideRequest::default()).await;
    assert_eq!(outcome(bare), "TICKET_MISSING");
    let bare = client.resign_seat(ResignSeatRequest {}).await;
    assert_eq!(outcome(bare), "TICKET_MISSING");

    let ticket = &seated.tickets[0];
    let refusal = refused(&mut client, ticket, None).await;
    assert_eq!(reason(&refusal), "INVALID_FIELD");
    let strange = Hello { protocol_revision: 2, ..hello() };
    let refusal = refused(&mut client, ticket, Some(strange)).await;
    assert_eq!(reason(&refusal), "PROTOCOL_REVISION_UNSUPPORTED");
    let decided = decide(&mut client, ticket, 1, 0).await;
    assert_eq!(outcome(decided), "HELLO_EXPECTED", "nobody watches the seat");
}

#[tokio::test]
async fn the_newest_stream_of_either_service_has_the_seat() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let calls = join(&server, ticket).await;
    let again = join(&server, ticket).await;
    assert_eq!(reason(&calls.end().await.unwrap()), "SUPERSEDED");
    let stream = server.join(ticket).await;
    assert_eq!(reason(&again.end().await.unwrap()), "SUPERSEDED");
    let decided = decide(&mut client(&server).await, ticket, 1, 0).await;
    assert_eq!(outcome(decided), "HELLO_EXPECTED");
    let back = join(&server, ticket).await;
    assert_eq!(reason(&stream.end().await.unwrap()), "SUPERSEDED");

    let other = server.join(&seated.tickets[1]).await;
    let (ended, same) = tokio::join!(back.play_on(), other.play_on());
    assert_eq!(ended.result, same.result);
}

#[tokio::test]
async fn an_answer_reports_whether_it_was_accepted_and_why_not() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let mut player = join(&server, ticket).await;
    let mut client = client(&server).await;
    let mut other = server.join(&seated.tickets[1]).await;
    let asked = other.answer_until(player.next_request()).await;
    let id = asked.request_id;

    let rejected = decide(&mut client, ticket, id, asked.legal_count).await;
    let rejected = rejected.unwrap().expect("the index does not exist");
    assert_eq!(rejected.reason(), RefusalReason::IndexOutOfRange);
    assert_eq!((rejected.request_id, rejected.open_request_id), (id, id));
    let answer = player.next_rejection().await;
    assert_eq!(answer, rejected, "the stream has the same rejection");

    let none = with_ticket(ticket, DecideRequest::default());
    let none = client.decide(none).await.unwrap().into_inner();
    let unknown = none.rejected.map(|rejected| rejected.reason());
    assert_eq!(unknown, Some(RefusalReason::UnknownRequest));

    for _ in 0..2 {
        let accepted = decide(&mut client, ticket, id, 0).await.unwrap();
        assert_eq!(accepted, None, "a repeated answer is accepted too");
    }
    let stale = decide(&mut client, ticket, id, 1).await.unwrap().unwrap();
    assert_eq!(stale.reason(), RefusalReason::StaleRequest);

    let (ended, _) = tokio::join!(player.play_on(), other.play_on());
    let seat = &ended.result.unwrap().seats[0];
    let faults: Vec<_> = seat.faults.iter().map(|fault| fault.reason()).collect();
    assert_eq!(faults, [FaultReason::Illegal], "as on a stream");
}

#[tokio::test]
async fn a_seat_whose_stream_is_lost_is_paused_and_resumes() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let mut player = join(&server, &seated.tickets[0]).await;
    let mut other = server.join(&seated.tickets[1]).await;
    let asked = other.answer_until(player.next_request()).await;
    let back = player.hello_after(player.last_sequence - 1);
    drop(player);
    until("the seat is paused", async || {
        server.info(&seated.match_id).await.seats[0].state() == SeatState::Paused
    })
    .await;
    let mut client = client(&server).await;
    let decided = decide(&mut client, &seated.tickets[0], asked.request_id, 0).await;
    assert_eq!(outcome(decided), "HELLO_EXPECTED");

    let mut player = join_with(&server, &seated.tickets[0], back).await;
    assert!(player.resumed);
    let again = player.next_request().await;
    let content = (again.request_id, &again.game);
    assert_eq!(content, (asked.request_id, &asked.game));
    player.answer_first(&again).await;
    let (ended, same) = tokio::join!(player.play_on(), other.play_on());
    assert_eq!(ended.result, same.result);
    assert_faultless(&ended.result.unwrap());
}

#[tokio::test]
async fn an_accepted_answer_survives_a_restart() {
    for game in GAMES {
        let mut server = TestServer::stored().await;
        let seated = server.create(config(game, 2)).await;
        let ticket = &seated.tickets[0];
        let mut player = join(&server, ticket).await;
        let mut other = server.join(&seated.tickets[1]).await;
        let id = other.answer_until(player.next_request()).await.request_id;
        let accepted = decide(&mut client(&server).await, ticket, id, 0).await;
        assert_eq!(accepted.unwrap(), None);
        // The answer may have had no effect yet, since seats may decide in secret.
        server.restart().await;

        let player = join(&server, ticket).await;
        assert!(!player.resumed);
        let stale = decide(&mut client(&server).await, ticket, id, 1).await;
        let stale = stale.unwrap().unwrap();
        assert_eq!(stale.reason(), RefusalReason::StaleRequest, "{game}");
        let other = RawBot::resume(&server, &seated.tickets[1], other.resume_point());
        let (ended, same) = tokio::join!(player.play_on(), other);
        assert_eq!(ended.result, same.result, "{game}");
        assert_faultless(&ended.result.unwrap());
    }
}

#[tokio::test]
async fn a_seat_that_resigns_with_a_call_forfeits() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let mut player = join(&server, ticket).await;
    let mut other = server.join(&seated.tickets[1]).await;
    other.answer_until(player.next_request()).await;
    let mut client = client(&server).await;
    let resign = with_ticket(ticket, ResignSeatRequest {});
    client.resign_seat(resign).await.unwrap();
    assert_eq!(reason(&player.end().await.unwrap()), "SEAT_CLOSED");
    let refusal = refused(&mut client, ticket, Some(hello())).await;
    assert_eq!(reason(&refusal), "SEAT_CLOSED");
    let ended = other.play_on().await;
    let seat = &ended.result.unwrap().seats[0];
    let faults: Vec<_> = seat.faults.iter().map(|fault| fault.reason()).collect();
    assert_eq!(faults, [FaultReason::Resigned]);
}

#[tokio::test]
async fn a_ticket_used_with_another_key_neither_watches_nor_decides() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let owner = server.caller("owner", &[Create, Play]).await;
    let thief = server.caller("thief", &[Create, Play]).await;
    let ticket = &owner.create(of_two()).await.tickets[0];
    // On the main port, which offers the service too.
    let seats = |caller: &Caller| SeatServiceClient::new(caller.keyed());
    let watch = || {
        let hello = Some(hello());
        with_ticket(ticket, WatchSeatRequest { hello })
    };
    let watched = seats(&owner).watch_seat(watch()).await.unwrap();
    let mut held = watched.into_inner();
    let welcome = held.message().await.unwrap().unwrap().message.unwrap();
    assert!(matches!(welcome.message, Some(Message::Welcome(_))));

    let stolen = seats(&thief).watch_seat(watch()).await.unwrap();
    let refusal = end(&mut stolen.into_inner()).await;
    assert_eq!(reason(&refusal), "SEAT_OF_ANOTHER_KEY");
    let decide = async |caller: &Caller| {
        let decision = Some(Decision::default());
        let request = with_ticket(ticket, DecideRequest { decision });
        seats(caller).decide(request).await
    };
    assert_eq!(outcome(decide(&thief).await), "SEAT_OF_ANOTHER_KEY");
    assert_eq!(outcome(decide(&server).await), "KEY_MISSING");
    let heard = decide(&owner).await.unwrap().into_inner();
    let rejected = heard.rejected.unwrap();
    assert_eq!(rejected.reason(), RefusalReason::UnknownRequest);
}

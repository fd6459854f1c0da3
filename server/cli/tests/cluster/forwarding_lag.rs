//! Tests a server that forwards calls and then stalls, dies or is cut off. The bots whose streams
//! it forwards must not be late because of that.

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::{
    BytesCodec,
    v1::{
        ClockRules, CreateMatchRequest, CreateQueueRequest, DecideRequest, Decision,
        ListQueuesRequest, MatchResult, Queue, SeatReservation, TimeControl, WatchSeatRequest,
        decision::Choice, lobby_service_client::LobbyServiceClient, play_response::Message,
        seat_service_client::SeatServiceClient,
    },
};
use bridgemaster_sdk::{AttendOptions, Options};
use tokio::time::{Duration, sleep, timeout};
use tonic::{Code, Request, client::Grpc, codegen::Bytes};

use crate::{
    counted_play::{Ended, Playing, undisturbed},
    kit::{
        calls::{config, create_request, showing},
        program::PATIENCE,
        seat_stream::hello,
        served::Served,
    },
    nodes::{node, node_at, two_servers, until},
    postgres_server::PostgresServer,
};

const GAME: &str = "carcassonne";
const MATCHES: usize = 4;
/// Time for a decision. The bots answer at once.
const CAP_MS: u32 = 1_000;
/// Time for which a server is stopped: longer than the time for a decision, and shorter than a
/// lease.
const STOPPED: Duration = Duration::from_secs(3);
/// The minimum part of that time that must count as lag, in µs.
const LAG_US: u64 = 2_500_000;
const SHORT_CLOCK: ClockRules = ClockRules {
    time_control: Some(TimeControl::fischer(600_000, 500, CAP_MS)),
    startup_ms: Some(30_000),
    reconnect_ms: None,
    round_trip_credit_ms: None,
    referee_lag_limit_ms: Some(60_000),
};

/// Starts matches on a server, whose bots connect to the servers at these addresses.
async fn begin(on: &Served, known: &str) -> Playing {
    let mut playing = Playing::with_clock(SHORT_CLOCK);
    for number in 0..MATCHES {
        let seed = format!("lag-{number}");
        playing.begin(on, known, GAME, &seed).await;
    }
    playing
}

async fn expected() -> Ended {
    undisturbed(async |server| begin(server, &server.url).await).await
}

pub(crate) async fn bots_behind_a_suspended_server_are_not_late() {
    let expected = expected().await;
    let (owner, forwarder) = two_servers();
    let playing = begin(&owner, &forwarder.url).await;
    playing.reaches(expected.decisions / 3).await;
    forwarder.signal("-STOP");
    sleep(STOPPED).await;
    forwarder.signal("-CONT");
    let ended = playing.end(&[&owner]).await;
    ended.assert_as_undisturbed(&expected);
    let lags_us = ended.longest_lags_us();
    assert!(lags_us.iter().all(|lag_us| *lag_us >= LAG_US), "{lags_us:?}");
}

/// Plays behind a server that ends in this way, and is started again after a while.
async fn play_behind_two_lives(end: impl FnOnce(Served)) {
    let expected = expected().await;
    let database = PostgresServer::shared().fresh();
    let owner = node(&database, "owner", "");
    let forwarder = node(&database, "forwarder", "");
    let at = forwarder.address();
    let playing = begin(&owner, &forwarder.url).await;
    playing.reaches(expected.decisions / 3).await;
    end(forwarder);
    // This is longer than the time for a decision.
    sleep(STOPPED).await;
    let _successor = node_at(&database, "forwarder", &at, "");
    playing.end(&[&owner]).await.assert_as_undisturbed(&expected);
}

pub(crate) async fn bots_behind_a_server_that_is_killed_wait_for_its_successor() {
    play_behind_two_lives(Served::kill).await;
}

pub(crate) async fn bots_behind_a_server_that_drains_wait_for_its_successor() {
    play_behind_two_lives(|forwarder| drop(forwarder.stop())).await;
}

pub(crate) async fn a_decision_by_call_through_a_suspended_server_is_not_late() {
    let (owner, forwarder) = two_servers();
    let made = owner.create_with(GAME, "by-call", SHORT_CLOCK).await;
    let (_, tickets) = made.unwrap();
    let options = Options::new(&owner.url, tickets[1].parse().unwrap(), "direct");
    let direct = bridgemaster_sdk::play(Random::new(&Seed::from(1)), options);
    let direct = tokio::spawn(direct);
    let mut seat = SeatServiceClient::new(forwarder.channel().await);
    let hello = Some(hello("by-call"));
    let watched = seat.watch_seat(showing(WatchSeatRequest { hello }, &tickets[0], ""));
    let mut watched = watched.await.unwrap().into_inner();
    let mut is_first = true;
    let played = async {
        loop {
            let message = watched.message().await.unwrap().unwrap();
            match message.message.unwrap().message.unwrap() {
                Message::DecisionRequest(asked) => {
                    let decision = Some(Decision {
                        request_id: asked.request_id,
                        choice: Some(Choice::Index(0)),
                        ..Decision::default()
                    });
                    let decide = showing(DecideRequest { decision }, &tickets[0], "");
                    let mut caller = seat.clone();
                    let stopped = std::mem::take(&mut is_first);
                    if stopped {
                        forwarder.signal("-STOP");
                    }
                    let decided = tokio::spawn(async move { caller.decide(decide).await });
                    if stopped {
                        sleep(STOPPED).await;
                        forwarder.signal("-CONT");
                    }
                    let verdict = decided.await.unwrap().unwrap().into_inner();
                    assert!(verdict.rejected.is_none(), "{verdict:?}");
                }
                Message::MatchEnded(ended) => return ended.result.unwrap(),
                _ => {}
            }
        }
    };
    let result: MatchResult = timeout(PATIENCE, played).await.expect("the match ends");
    assert_eq!(direct.await.unwrap().unwrap(), result);
    assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    let lag_us = |seat: usize| result.seats[seat].clock_use.unwrap().longest_referee_lag_us;
    assert!(lag_us(0) >= LAG_US, "{}", lag_us(0));
    assert!(lag_us(1) < LAG_US, "{}", lag_us(1));
}

pub(crate) async fn an_offer_through_a_suspended_server_is_not_missed() {
    const QUEUE: &str = "behind";
    let (owner, forwarder) = two_servers();
    let mut lobby = LobbyServiceClient::new(owner.channel().await);
    let queue = Some(Queue { queue_id: QUEUE.to_owned(), ..Queue::default() });
    lobby.create_queue(CreateQueueRequest { queue }).await.unwrap();
    let options = AttendOptions { slots: 2, ..AttendOptions::new(&forwarder.url, QUEUE, "ada") };
    let new_bot = || Random::new(&Seed::from(2));
    let attending = tokio::spawn(bridgemaster_sdk::attend(new_bot, options));
    let reservation =
        |seat| SeatReservation { seat, key_name: "ada".to_owned(), queue_id: QUEUE.to_owned() };
    let clock = ClockRules { startup_ms: Some(CAP_MS), ..SHORT_CLOCK };
    let offered = CreateMatchRequest {
        seat_reservations: vec![reservation(0), reservation(1)],
        ..create_request(config(GAME, 2, clock))
    };
    let mut matches = owner.matches().await;
    let attends = async || {
        let queues = lobby.list_queues(ListQueuesRequest::default()).await;
        let queues = queues.unwrap().into_inner().queues;
        (queues[0].attendances == 1).then_some(())
    };
    until("the bot attends", attends).await;
    forwarder.signal("-STOP");
    let made = matches.create_match(offered).await.unwrap().into_inner();
    sleep(STOPPED).await;
    forwarder.signal("-CONT");
    let match_id = made.r#match.unwrap().match_id;
    let ended = async || owner.info(&match_id).await.unwrap().result;
    let result = until("the match ends", ended).await;
    assert!(result.seats.iter().all(|seat| seat.fault_count == 0), "{result:?}");
    attending.abort();
}

pub(crate) async fn nobody_but_a_server_sends_beats() {
    let (owner, _forwarder) = two_servers();
    let channel = owner.channel().await;
    let forged = format!("{} 0.0.0.0 -", "0".repeat(64));
    for credential in [None, Some(forged)] {
        let mut request = Request::new(Bytes::new());
        let metadata = request.metadata_mut();
        metadata.insert("bridgemaster-forwarding-node", "1".parse().unwrap());
        if let Some(credential) = credential {
            metadata.insert("bridgemaster-passed-on", credential.parse().unwrap());
        }
        let path = "/bridgemaster.internal.v1.ForwardingService/SendBeats";
        let mut client = Grpc::new(channel.clone());
        client.ready().await.unwrap();
        let codec = BytesCodec::<DecideRequest>::default();
        let refused = client.unary(request, path.parse().unwrap(), codec).await;
        assert_eq!(refused.unwrap_err().code(), Code::Unimplemented);
    }
}

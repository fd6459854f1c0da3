//! A server that passes calls on stalls, dies or is cut off. No bot behind it is late for that.

use bridgemaster_bots::Random;
use bridgemaster_games::{Seed, with_game};
use bridgemaster_proto::{
    BytesCodec, PROTOCOL_REVISION,
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, CreateQueueRequest, DecideRequest, Decision, Hello,
        ListQueuesRequest, MatchConfig, MatchResult, Queue, SeatReservation, WatchSeatRequest,
        decision::Choice, lobby_service_client::LobbyServiceClient, play_response::Message,
        seat_service_client::SeatServiceClient,
    },
};
use bridgemaster_sdk::{AttendOptions, Options};
use tokio::time::{Duration, sleep, timeout};
use tonic::{
    Code, Request, client::Grpc, codegen::Bytes, metadata::MetadataValue, transport::Channel,
};

use crate::{
    counted_play::{Ended, Playing},
    nodes::{LOOK_AGAIN, free_address, node},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served, serve},
};

const GAME: &str = "carcassonne";
const MATCHES: usize = 4;
/// Time for a decision; bots answer at once.
const CAP_MS: u32 = 1_000;
/// Time for which a server is stopped: longer than the time for a decision, shorter than a lease.
const STOPPED: Duration = Duration::from_secs(3);
/// The part of it that is lag at least, in µs.
const LAG_US: u64 = 2_500_000;

fn short_clock() -> ClockRules {
    ClockRules {
        bank_ms: Some(600_000),
        cap_ms: Some(CAP_MS),
        startup_ms: Some(30_000),
        referee_lag_limit_ms: Some(60_000),
        ..ClockRules::default()
    }
}

/// A server that has the matches, which leads, and one that forwards calls to it.
fn two_servers() -> (Served, Served) {
    let database = PostgresServer::shared().fresh();
    let start = |name| node(&database, name, &free_address(), &[]);
    (start("owner"), start("forwarder"))
}

/// Matches of a server, whose bots know the servers of these addresses.
async fn begin(on: &Served, known: &str) -> Playing {
    let mut playing = Playing::with_clock(short_clock());
    for number in 0..MATCHES {
        let seed = format!("lag-{number}");
        playing.begin(on, known, GAME, &seed).await;
    }
    playing
}

/// Returns the outcomes of the matches on an undisturbed server.
async fn undisturbed() -> Ended {
    let flags = ["--listen", "127.0.0.1:0", "--no-page"];
    let server = Served::of(serve(flags).spawn().unwrap());
    begin(&server, &server.url).await.end(&[&server]).await
}

/// Stops a server, and lets it continue after a while.
async fn stand_still(server: &Served) {
    server.signal("-STOP");
    sleep(STOPPED).await;
    server.signal("-CONT");
}

pub(crate) async fn bots_behind_a_server_that_stood_still_are_not_late() {
    let expected = undisturbed().await;
    let (owner, forwarder) = two_servers();
    let playing = begin(&owner, &forwarder.url).await;
    playing.reaches(expected.decisions / 3).await;
    stand_still(&forwarder).await;
    let ended = playing.end(&[&owner]).await;
    ended.assert_as_undisturbed(&expected);
    let lags_us = ended.longest_lags_us();
    assert!(
        lags_us.iter().all(|lag_us| *lag_us >= LAG_US),
        "{lags_us:?}"
    );
}

pub(crate) async fn bots_behind_a_server_that_is_silent_for_a_lease_go_elsewhere() {
    let expected = undisturbed().await;
    let (owner, forwarder) = two_servers();
    let both = [&*forwarder.url, &*owner.url].join(",");
    let playing = begin(&owner, &both).await;
    playing.reaches(expected.decisions / 3).await;
    forwarder.signal("-STOP");
    let ended = playing.end(&[&owner]).await;
    ended.assert_as_undisturbed(&expected);
}

/// Plays behind a server that ends in this way, and is started again after a while.
async fn play_behind_two_lives(end: impl FnOnce(Served)) {
    let expected = undisturbed().await;
    let database = PostgresServer::shared().fresh();
    let start = |name, address: &str| node(&database, name, address, &[]);
    let owner = start("owner", &free_address());
    let at = free_address();
    let forwarder = start("forwarder", &at);
    let playing = begin(&owner, &forwarder.url).await;
    playing.reaches(expected.decisions / 3).await;
    end(forwarder);
    // Longer than the time for a decision.
    sleep(STOPPED).await;
    let _successor = start("forwarder", &at);
    let ended = playing.end(&[&owner]).await;
    ended.assert_as_undisturbed(&expected);
}

pub(crate) async fn bots_behind_a_server_that_is_killed_wait_for_its_successor() {
    play_behind_two_lives(Served::kill).await;
}

pub(crate) async fn bots_behind_a_server_that_drains_wait_for_its_successor() {
    let drain = |forwarder: Served| {
        forwarder.signal("-TERM");
        assert_eq!(forwarder.end().status.code(), Some(0));
    };
    play_behind_two_lives(drain).await;
}

/// Makes a request that presents a ticket.
fn with_ticket<T>(ticket: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    request
}

pub(crate) async fn a_decision_by_call_through_a_server_that_stood_still_is_not_late() {
    let (owner, forwarder) = two_servers();
    let made = owner.create_with(GAME, "by-call", short_clock()).await;
    let (_, tickets) = made.unwrap();
    let options = Options::new(&owner.url, tickets[1].parse().unwrap(), "direct");
    let direct = bridgemaster_sdk::play(Random::new(&Seed::from(1)), options);
    let direct = tokio::spawn(direct);
    let channel = Channel::from_shared(forwarder.url.clone()).unwrap();
    let mut seat = SeatServiceClient::new(channel.connect().await.unwrap());
    let hello = Some(Hello {
        protocol_revision: PROTOCOL_REVISION,
        bot_name: "by-call".to_owned(),
        ..Hello::default()
    });
    let watched = seat.watch_seat(with_ticket(&tickets[0], WatchSeatRequest { hello }));
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
                    let decide = with_ticket(&tickets[0], DecideRequest { decision });
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

pub(crate) async fn an_offer_through_a_server_that_stood_still_is_not_missed() {
    const QUEUE: &str = "behind";
    let (owner, forwarder) = two_servers();
    let channel = Channel::from_shared(owner.url.clone()).unwrap();
    let channel = channel.connect().await.unwrap();
    let mut lobby = LobbyServiceClient::new(channel);
    let queue = Some(Queue {
        queue_id: QUEUE.to_owned(),
        ..Queue::default()
    });
    lobby
        .create_queue(CreateQueueRequest { queue })
        .await
        .unwrap();
    let options = AttendOptions {
        slots: 2,
        ..AttendOptions::new(&forwarder.url, QUEUE, "ada")
    };
    let attending = tokio::spawn(bridgemaster_sdk::attend(
        || Random::new(&Seed::from(2)),
        options,
    ));
    let reservation = |seat| SeatReservation {
        seat,
        key_name: "ada".to_owned(),
        queue_id: QUEUE.to_owned(),
    };
    let offered = CreateMatchRequest {
        config: Some(MatchConfig {
            game: with_game!(GAME, G => G::config_to_wire(&Default::default())),
            seats: 2,
            clock: Some(ClockRules {
                startup_ms: Some(CAP_MS),
                ..short_clock()
            }),
            ..MatchConfig::default()
        }),
        seat_reservations: vec![reservation(0), reservation(1)],
        ..CreateMatchRequest::default()
    };
    let mut matches = owner.matches().await;
    // The bot attends.
    let watched = async {
        loop {
            let queues = lobby.list_queues(ListQueuesRequest::default());
            let queues = queues.await.unwrap().into_inner().queues;
            if queues[0].attendances == 1 {
                return;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, watched).await.expect("the bot attends");
    forwarder.signal("-STOP");
    let made = matches.create_match(offered).await.unwrap().into_inner();
    sleep(STOPPED).await;
    forwarder.signal("-CONT");
    let match_id = made.r#match.unwrap().match_id;
    let ended = async {
        loop {
            let listed = owner.all_matches().await;
            let played = listed.into_iter().find(|one| one.match_id == match_id);
            if let Some(result) = played.and_then(|played| played.result) {
                return result;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    let result = timeout(PATIENCE, ended).await.expect("the match ends");
    assert!(
        result.seats.iter().all(|seat| seat.fault_count == 0),
        "{result:?}"
    );
    attending.abort();
}

pub(crate) async fn nobody_but_a_server_sends_beats() {
    let (owner, _forwarder) = two_servers();
    let channel = Channel::from_shared(owner.url.clone()).unwrap();
    let channel = channel.connect().await.unwrap();
    let forged = format!("{} 0.0.0.0 -", "0".repeat(64));
    for credential in [None, Some(forged)] {
        let mut request = Request::new(Bytes::new());
        let metadata = request.metadata_mut();
        metadata.insert(
            "bridgemaster-forwarding-node",
            MetadataValue::from_static("1"),
        );
        if let Some(credential) = credential {
            let credential = MetadataValue::try_from(credential).unwrap();
            metadata.insert("bridgemaster-passed-on", credential);
        }
        let path = "/bridgemaster.internal.v1.ForwardingService/SendBeats";
        let mut client = Grpc::new(channel.clone());
        client.ready().await.unwrap();
        let codec = BytesCodec::<DecideRequest>::default();
        let refused = client.unary(request, path.parse().unwrap(), codec).await;
        assert_eq!(refused.unwrap_err().code(), Code::Unimplemented);
    }
}

//! Faults on ladders: matches spoiled by server lag, failing bots, and thousands of streams.

use std::{collections::BTreeSet, thread, time::Duration};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AnnulmentReason, AttendRequest, AttendResponse, AttendanceState, CreateLadderRequest, Hello,
    LadderState, MatchState, Offer, OfferPurpose, attend_response, decision::Choice,
    lobby_service_client::LobbyServiceClient, play_request,
};
use bridgemaster_sdk::AttendOptions;
use bridgemaster_server::identity::{
    ApiKey, KEY_METADATA,
    KeyScope::{Admin, Play},
    PublicRead,
};
use tokio::{task::JoinSet, time::timeout};
use tonic::{Request, Streaming, transport::Channel};

use crate::{
    ladder_fixture::{
        NAME, advance, attend, attend_by_hand, client, csv, first_offer, make, matches, next_offer,
        of_two, until, until_counted,
    },
    locked_server::LockedServer,
    metrics::scrape,
    raw_bot::{RawBot, hello, reason},
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

/// The maximum lag of the server in a match that counts, in ms.
const LAG_LIMIT_MS: u32 = 2_000;
/// The time that a test blocks the server for, longer than the limit.
const BLOCKED_TIME: Duration = Duration::from_millis(2_500);
/// The number of streams that one key opens.
const STREAMS: usize = 10_000;
/// The number of connections of these streams.
const CONNECTIONS: usize = 10;

/// Joins the seat of an offer.
async fn join_offered(server: &TestServer, name: &str, offer: &Offer) -> RawBot {
    let hello = Hello {
        bot_name: name.to_owned(),
        ..hello()
    };
    RawBot::join_with(server, &offer.ticket, hello).await
}

#[tokio::test]
async fn a_match_spoiled_by_server_lag_is_annulled_replayed_and_counted_once() {
    let server = TestServer::open().await;
    let capped = with_clock(config("old_london_bridge", 2), |clock| {
        clock.cap_ms = Some(60_000);
        clock.referee_lag_limit_ms = Some(LAG_LIMIT_MS);
    });
    let mut housed = crate::ladder_fixture::ladder(capped);
    housed.house_bots = vec!["ada".to_owned(), "bob".to_owned()];
    make(&server, housed).await.unwrap();
    let mut ada = attend_by_hand(&server, "ada", "1").await;
    let mut bob = attend_by_hand(&server, "bob", "1").await;
    let (of_ada, of_bob) = (next_offer(&mut ada).await, next_offer(&mut bob).await);
    let mut first = join_offered(&server, "ada", &of_ada).await;
    let mut second = join_offered(&server, "bob", &of_bob).await;
    // Both have to choose a card while the server is blocked.
    let asked = [first.next_request().await, second.next_request().await];
    thread::sleep(BLOCKED_TIME);
    first.answer(&asked[0], Choice::Index(0)).await;
    second.answer(&asked[1], Choice::Index(0)).await;
    let (ended, _) = tokio::join!(first.play_on(), second.play_on());
    assert!(ended.result.unwrap().spoiled_by_referee);

    // It is offered again automatically, to the same bots in the same seats.
    let again = [next_offer(&mut ada).await, next_offer(&mut bob).await];
    assert_eq!(again[0].match_id, again[1].match_id);
    assert_eq!([again[0].seat, again[1].seat], [of_ada.seat, of_bob.seat]);
    assert_eq!(again[0].purpose(), OfferPurpose::Rated);
    let first = join_offered(&server, "ada", &again[0]).await;
    let second = join_offered(&server, "bob", &again[1]).await;
    tokio::join!(first.play_on(), second.play_on());
    until_counted(&server, 1).await;
    advance(&server, LadderState::Closed).await.unwrap();

    let all = matches(&server, "").await;
    let info = |id: &str| {
        let mut all = all.iter().filter_map(|one| one.r#match.as_ref());
        all.find(|info| info.match_id == id).unwrap()
    };
    let annulment = info(&of_ada.match_id).annulment.as_ref().unwrap();
    assert_eq!(annulment.reason(), AnnulmentReason::RefereeLag);
    assert_eq!(annulment.replaced_by_match_id, again[0].match_id);
    let replay = info(&again[0].match_id);
    assert_eq!(
        (replay.state(), &replay.annulment),
        (MatchState::Ended, &None)
    );
    let csv = csv(&server).await;
    let lines = |outcome: &str| csv.lines().filter(|line| line.contains(outcome)).count();
    assert_eq!(lines(",rated,annulled,,"), 2, "{csv}");
    assert_eq!(lines(",rated,played,0,"), 2, "it replaces match 0: {csv}");
    let numbers = scrape(&server).await;
    let counted = |outcome: &str| {
        numbers[&format!("bridgemaster_ladder_matches_total{{outcome=\"{outcome}\"}}")]
    };
    assert_eq!((counted("annulled"), counted("played")), (1.0, 1.0));
}

#[tokio::test]
async fn a_version_that_fails_validation_is_reported_with_match_and_fault() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (mut stream, mut offer) = first_offer(&server, "ada", "1").await;
    for failed in 1..=3 {
        assert_eq!(offer.purpose(), OfferPurpose::Validation);
        let bot = join_offered(&server, "ada", &offer).await;
        bot.send(play_request::Message::Resign(Default::default()))
            .await;
        let detail = timeout(PATIENCE, validation_detail(&mut stream, &offer.match_id)).await;
        let detail = detail.expect("the bot gets a detail");
        let expected = format!("match {}: resigned", offer.match_id);
        match detail {
            Ok(detail) => {
                assert!(detail.contains(&expected), "{detail}");
                assert!(failed < 3, "it is benched after three");
                offer = next_offer(&mut stream).await;
            }
            Err(refused) => {
                assert_eq!(failed, 3, "{refused}");
                assert_eq!(reason(&refused), "BOT_BENCHED");
                assert!(refused.message().contains(&expected), "{refused}");
            }
        }
    }
    // Readers of the ladder see the reason too.
    let all = crate::ladder_fixture::standings(&server, true).await;
    let ada = all.iter().find(|standing| standing.bot_name == "ada");
    assert!(ada.unwrap().detail.contains("resigned"), "{ada:?}");
}

/// Waits until the detail of a bot in validation names a match. Fails with the status if the stream
/// ends.
async fn validation_detail(
    stream: &mut Streaming<AttendResponse>,
    match_id: &str,
) -> Result<String, tonic::Status> {
    loop {
        let response = stream.message().await?.expect("the stream continues");
        if let Some(attend_response::Message::Attendance(attendance)) = response.message
            && attendance.state() == AttendanceState::Validating
            && attendance.detail.contains(match_id)
        {
            return Ok(attendance.detail);
        }
    }
}

fn with_key<T>(key: &ApiKey, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let shown = key.reveal().parse().unwrap();
    request.metadata_mut().insert(KEY_METADATA, shown);
    request
}

/// Opens streams with one key on one connection. Returns the reasons for which streams were refused
/// or ended, and the number of those that remain open.
async fn open_streams(channel: Channel, key: ApiKey, streams: usize) -> (BTreeSet<String>, usize) {
    let mut reasons = BTreeSet::new();
    let mut held: Vec<Streaming<AttendResponse>> = Vec::new();
    for _ in 0..streams {
        let request = AttendRequest {
            queue_id: NAME.to_owned(),
            slots: 64,
            protocol_revision: 1,
            ..AttendRequest::default()
        };
        let mut lobby = LobbyServiceClient::new(channel.clone());
        match lobby.attend(with_key(&key, request)).await {
            Ok(stream) => held.push(stream.into_inner()),
            Err(refused) => {
                reasons.insert(reason(&refused));
            }
        }
        // Collects them in order, as they end. Open ones are counted afterwards.
        if held.len() > 1 {
            let ended = end_reason(held.remove(0)).await;
            reasons.extend(ended);
        }
    }
    let mut alive = 0;
    for stream in held {
        match timeout(Duration::ZERO, end_reason(stream)).await {
            Ok(ended) => reasons.extend(ended),
            Err(_) => alive += 1,
        }
    }
    (reasons, alive)
}

/// Reads a stream to its end. Returns its reason, or `None` without an error.
async fn end_reason(mut stream: Streaming<AttendResponse>) -> Option<String> {
    loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(ended) => return Some(reason(&ended)),
        }
    }
}

#[tokio::test]
async fn ten_thousand_streams_of_one_key_count_once_and_others_get_their_matches() {
    let locked = LockedServer::with_public_read(PublicRead::All).await;
    let server = &locked.server;
    let admin = locked.key("organizer", &[Admin, Play]).await;
    let quick = with_clock(config(GAMES[0], 2), |clock| clock.startup_ms = Some(1_000));
    let mut housed = crate::ladder_fixture::ladder(quick);
    housed.house_bots = vec!["house".to_owned()];
    let create = CreateLadderRequest {
        ladder: Some(housed),
    };
    client(server)
        .create_ladder(with_key(&admin, create))
        .await
        .unwrap();
    let mut fair = JoinSet::new();
    for name in ["house", "ada"] {
        let key = locked.key(name, &[Play]).await;
        let options = AttendOptions {
            slots: 4,
            key: Some(key.reveal().parse().unwrap()),
            ..AttendOptions::new(&server.url, NAME, name)
        };
        fair.spawn(bridgemaster_sdk::attend(
            || Random::new(&Seed::from(1)),
            options,
        ));
    }
    let key = locked.key("hoarder", &[Play]).await;
    let mut hoards = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let channel = Channel::from_shared(server.url.clone()).unwrap();
        let channel = channel.connect().await.unwrap();
        hoards.spawn(open_streams(channel, key.clone(), STREAMS / CONNECTIONS));
    }
    until_counted(server, 3).await;
    assert!(!hoards.is_empty());
    let (mut reasons, mut alive) = (BTreeSet::new(), 0);
    while let Some(hoarded) = hoards.join_next().await {
        let (ended, goes_on) = hoarded.unwrap();
        reasons.extend(ended);
        alive += goes_on;
    }
    assert!(alive <= 1, "{alive} streams of one bot");
    let known = ["SUPERSEDED", "LIMIT_REACHED", "BOT_BENCHED"];
    assert!(
        reasons.iter().all(|reason| known.contains(&&**reason)),
        "{reasons:?}"
    );
    assert!(reasons.contains("SUPERSEDED"), "{reasons:?}");
    let counted = crate::ladder_fixture::get(server).await.matches;
    until_counted(server, counted + 3).await;
    until(server, |update| {
        let attending = update.standings.iter();
        attending.filter(|one| one.bot_name == "hoarder").count() <= 1
    })
    .await;
}

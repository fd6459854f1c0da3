//! Faults on ladders: matches spoiled by server lag, failing bots, and thousands of streams.

use std::{collections::BTreeSet, thread, time::Duration};

use bridgemaster_proto::v1::{
    AnnulmentReason, AttendRequest, AttendResponse, AttendanceState, LadderState, MatchState,
    OfferPurpose, TimeControl, attend_response,
};
use bridgemaster_server::{
    ServerOptions,
    identity::{
        KeyScope::{Admin, Play},
        PublicRead,
    },
};
use tokio::{task::JoinSet, time::timeout};
use tonic::{Status, Streaming};

use crate::{
    caller::Caller,
    ladder_fixture::{
        NAME, advance, attend_by_hand, csv, first_offer, get, join_offered, ladder, make,
        make_housed, matches, next_offer, standings, until, until_counted,
    },
    metrics::scrape,
    streams::{next, reason},
    test_server::{TestServer, config, of_two, with_clock},
};

/// The maximum lag of the server in a match that counts, in ms.
const LAG_LIMIT_MS: u32 = 2_000;
/// The time for which a test blocks the server, longer than the limit.
const BLOCKED_TIME: Duration = Duration::from_millis(2_500);
/// The number of streams that one key opens.
const STREAMS: usize = 10_000;
/// The number of connections of these streams.
const CONNECTIONS: usize = 10;

#[tokio::test]
async fn a_match_spoiled_by_server_lag_is_annulled_replayed_and_counted_once() {
    let server = TestServer::open().await;
    let capped = with_clock(config("old_london_bridge", 2), |clock| {
        clock.time_control = Some(TimeControl::fischer(30_000, 500, 60_000));
        clock.referee_lag_limit_ms = Some(LAG_LIMIT_MS);
    });
    let mut housed = ladder(capped);
    housed.house_bots = vec!["ada".to_owned(), "bob".to_owned()];
    make(&server, housed).await.unwrap();
    let mut ada = attend_by_hand(&server, "ada").await.unwrap();
    let mut bob = attend_by_hand(&server, "bob").await.unwrap();
    let mut offers = async || {
        let of_ada = next_offer(&mut ada).await.unwrap();
        (of_ada, next_offer(&mut bob).await.unwrap())
    };
    let (of_ada, of_bob) = offers().await;
    let mut first = join_offered(&server, "ada", &of_ada).await;
    let mut second = join_offered(&server, "bob", &of_bob).await;
    // Both bots have to choose a card while the server is blocked.
    let asked = [first.next_request().await, second.next_request().await];
    thread::sleep(BLOCKED_TIME);
    first.answer_first(&asked[0]).await;
    second.answer_first(&asked[1]).await;
    let (ended, _) = tokio::join!(first.play_on(), second.play_on());
    assert!(ended.result.unwrap().spoiled_by_referee);

    // The match is offered again automatically, to the same bots in the same seats.
    let (again, of_other) = offers().await;
    assert_eq!(again.match_id, of_other.match_id);
    assert_eq!([again.seat, of_other.seat], [of_ada.seat, of_bob.seat]);
    assert_eq!(again.purpose(), OfferPurpose::Rated);
    let first = join_offered(&server, "ada", &again).await;
    let second = join_offered(&server, "bob", &of_other).await;
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
    assert_eq!(annulment.replaced_by_match_id, again.match_id);
    let replay = info(&again.match_id);
    assert_eq!((replay.state(), &replay.annulment), (MatchState::Ended, &None));
    let csv = csv(&server).await;
    let lines = |outcome: &str| csv.lines().filter(|line| line.contains(outcome)).count();
    assert_eq!(lines(",rated,annulled,,"), 2, "{csv}");
    assert_eq!(lines(",rated,played,0,"), 2, "the match must replace match 0: {csv}");
    let numbers = scrape(&server).await;
    let counted = |outcome: &str| {
        numbers[&format!("bridgemaster_ladder_matches_total{{outcome=\"{outcome}\"}}")]
    };
    assert_eq!((counted("annulled"), counted("played")), (1.0, 1.0));
}

#[tokio::test]
async fn a_version_that_fails_validation_is_reported_with_match_and_fault() {
    let server = TestServer::open().await;
    let _house = make_housed(&server).await;
    let (mut stream, mut offer) = first_offer(&server, "ada").await;
    for failed in 1..=3 {
        assert_eq!(offer.purpose(), OfferPurpose::Validation);
        let bot = join_offered(&server, "ada", &offer).await;
        bot.resign().await;
        let detail = validation_detail(&mut stream, &offer.match_id).await;
        let expected = format!("match {}: resigned", offer.match_id);
        match detail {
            Ok(detail) => {
                assert!(detail.contains(&expected), "{detail}");
                assert!(failed < 3, "the version is benched after three failures");
                offer = next_offer(&mut stream).await.unwrap();
            }
            Err(refused) => {
                assert_eq!(failed, 3, "{refused}");
                assert_eq!(reason(&refused), "BOT_BENCHED");
                assert!(refused.message().contains(&expected), "{refused}");
            }
        }
    }
    // Readers of the ladder see the reason too.
    let all = standings(&server, true).await;
    let ada = all.iter().find(|standing| standing.bot_name == "ada");
    assert!(ada.unwrap().detail.contains("resigned"), "{ada:?}");
}

/// Waits until the status detail of a bot that is being validated names a match. Fails with the
/// status if the stream ends.
async fn validation_detail(
    stream: &mut Streaming<AttendResponse>,
    match_id: &str,
) -> Result<String, Status> {
    loop {
        let response = next(stream).await?.expect("the stream continues");
        if let Some(attend_response::Message::Attendance(attendance)) = response.message
            && attendance.state() == AttendanceState::Validating
            && attendance.detail.contains(match_id)
        {
            return Ok(attendance.detail);
        }
    }
}

/// Opens streams on one connection. Returns the reasons for which streams were refused or ended,
/// and the number of those that remain open.
async fn open_streams(caller: Caller, streams: usize) -> (BTreeSet<String>, usize) {
    let mut reasons = BTreeSet::new();
    let mut held: Vec<Streaming<AttendResponse>> = Vec::new();
    for _ in 0..streams {
        let request = AttendRequest {
            queue_id: NAME.to_owned(),
            slots: 64,
            protocol_revision: 1,
            ..AttendRequest::default()
        };
        match caller.lobby().attend(request).await {
            Ok(stream) => held.push(stream.into_inner()),
            Err(refused) => {
                reasons.insert(reason(&refused));
            }
        }
        // Collects the results in order, as the streams end. Open streams are counted afterwards.
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

/// Reads a stream to its end. Returns the reason, or `None` if it ended without an error.
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
    let server = TestServer::locked(ServerOptions {
        public_read: PublicRead::All,
        ..ServerOptions::default()
    })
    .await;
    let admin = server.caller("organiser", &[Admin, Play]).await;
    let quick = with_clock(of_two(), |clock| clock.startup_ms = Some(1_000));
    let mut housed = ladder(quick);
    housed.house_bots = vec!["house".to_owned()];
    make(&admin, housed).await.unwrap();
    let mut fair = Vec::new();
    for name in ["house", "ada"] {
        let caller = server.caller(name, &[Play]).await;
        fair.push(caller.attend(NAME, name, "1", 4));
    }
    let hoarder = server.caller("hoarder", &[Play]).await;
    let mut hoards = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let hoarder = hoarder.at("127.0.0.1");
        hoards.spawn(open_streams(hoarder, STREAMS / CONNECTIONS));
    }
    until_counted(&server, 3).await;
    assert!(!hoards.is_empty());
    let (mut reasons, mut alive) = (BTreeSet::new(), 0);
    while let Some(hoarded) = hoards.join_next().await {
        let (ended, goes_on) = hoarded.unwrap();
        reasons.extend(ended);
        alive += goes_on;
    }
    assert!(alive <= 1, "{alive} streams of one bot");
    let known = ["SUPERSEDED", "LIMIT_REACHED", "BOT_BENCHED"];
    let mut all = reasons.iter();
    assert!(all.all(|reason| known.contains(&&**reason)), "{reasons:?}");
    assert!(reasons.contains("SUPERSEDED"), "{reasons:?}");
    let counted = get(&server).await.matches;
    until_counted(&server, counted + 3).await;
    until(&server, |update| {
        let attending = update.standings.iter();
        attending.filter(|one| one.bot_name == "hoarder").count() <= 1
    })
    .await;
}

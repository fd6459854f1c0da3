//! Stray answers: late, repeated, or without a request. They are refused without penalty, and the
//! match continues.

use bridgemaster_proto::v1::{RefusalReason, decision::Choice};

use crate::{
    raw_bot::RawBot,
    test_server::{GAMES, TestServer, config, with_clock},
};

#[tokio::test]
async fn an_answer_after_its_deadline_is_refused_as_stale() {
    let server = TestServer::open().await;
    // Enough for the good bot on a busy machine.
    let slow = with_clock(config(GAMES[0], 2), |c| c.cap_ms = Some(1_000));
    let seated = server.create(slow).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut late = RawBot::join(&server, &seated.tickets[1]).await;
    let missed = late.next_request().await;
    late.next_request().await;
    late.answer(&missed, Choice::Index(0)).await;
    let rejected = late.next_rejection().await;
    assert_eq!(rejected.reason(), RefusalReason::StaleRequest);
    assert_eq!(rejected.request_id, missed.request_id);
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_repeated_answer_is_ignored_and_a_different_one_refused_without_penalty() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut twice = RawBot::join(&server, &seated.tickets[1]).await;
        let asked = twice.next_request().await;
        twice.answer(&asked, Choice::Index(0)).await;
        twice.answer(&asked, Choice::Index(0)).await;
        twice.answer(&asked, Choice::Index(1)).await;
        let rejected = twice.next_rejection().await;
        assert_eq!(rejected.reason(), RefusalReason::StaleRequest);
        assert_eq!(
            (rejected.request_id, rejected.strikes),
            (asked.request_id, 0)
        );

        drop(twice);
        let back = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
        assert!(
            back.seats.iter().all(|seat| seat.fault_count == 0),
            "{back:?}"
        );
        good.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_answer_to_an_unknown_request_is_refused_without_penalty() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut guessing = RawBot::join(&server, &seated.tickets[1]).await;
    let mut asked = guessing.next_request().await;
    let open = asked.request_id;
    asked.request_id += 1;
    guessing.answer(&asked, Choice::Index(0)).await;
    let rejected = guessing.next_rejection().await;
    assert_eq!(rejected.reason(), RefusalReason::UnknownRequest);
    assert_eq!((rejected.open_request_id, rejected.strikes), (open, 0));
    asked.request_id = open;
    guessing.answer(&asked, Choice::Index(0)).await;
    guessing.play_on().await;
    good.await.unwrap().unwrap();
}

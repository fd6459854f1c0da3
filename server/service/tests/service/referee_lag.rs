//! The server's own lag. A test, its bots and its server share one thread, so a blocking test
//! delays all of them, like a machine without a free processor.

use std::{thread, time::Duration};

use bridgemaster_proto::v1::{AnnulmentReason, decision::Choice};

use crate::{
    raw_bot::RawBot,
    test_server::{TestServer, config, with_clock},
};

/// Time for a decision, in ms: enough for a bot that answers at once, even on a busy machine.
const CAP_MS: u32 = 1_000;
/// The time that a test blocks the server for, much longer than the time for a decision.
const BLOCKED_TIME: Duration = Duration::from_millis(2_500);
/// The minimum part of it that counts as server lag, in µs.
const LAG_US: u64 = 2_400_000;

#[tokio::test]
async fn a_bot_is_not_late_when_the_server_lagged_and_the_match_reports_the_lag() {
    let server = TestServer::open().await;
    let capped = with_clock(config("old_london_bridge", 2), |clock| {
        clock.cap_ms = Some(CAP_MS);
        clock.referee_lag_limit_ms = Some(1000);
    });
    let seated = server.create(capped).await;
    let mut first = RawBot::join(&server, &seated.tickets[0]).await;
    let mut second = RawBot::join(&server, &seated.tickets[1]).await;
    // Both choose a card at the same time.
    let asked = [first.next_request().await, second.next_request().await];
    thread::sleep(BLOCKED_TIME);
    first.answer(&asked[0], Choice::Index(0)).await;
    second.answer(&asked[1], Choice::Index(0)).await;
    let next = first.next_request().await;
    let charge = next.clock.unwrap().last_charge.unwrap();
    assert!(charge.referee_lag_us >= LAG_US, "{charge:?}");
    assert!(charge.charged_us < u64::from(CAP_MS) * 1_000, "{charge:?}");
    assert_eq!(
        charge.elapsed_us,
        charge.charged_us + charge.credit_us + charge.referee_lag_us
    );
    first.answer(&next, Choice::Index(0)).await;

    let (ended, _) = tokio::join!(first.play_on(), second.play_on());
    let result = ended.result.unwrap();
    for seat in &result.seats {
        assert_eq!(seat.fault_count, 0, "{:?}", seat.faults);
        let longest_us = seat.clock_use.unwrap().longest_referee_lag_us;
        assert!(longest_us >= LAG_US, "{longest_us}");
    }
    assert!(result.spoiled_by_referee);
    assert!(result.referee_lag_us >= 2 * LAG_US);
    let replay = server.replay(&seated.match_id).await.unwrap();
    let verified = bridgemaster_replay::verify(&replay).unwrap();
    assert!(verified.spoiled_by_referee);
    let annulment = server.info(&seated.match_id).await.annulment;
    let reason = annulment.map(|annulment| annulment.reason());
    assert_eq!(reason, Some(AnnulmentReason::RefereeLag));
}

#[tokio::test]
async fn a_server_lag_does_not_shorten_the_time_to_join() {
    let server = TestServer::open().await;
    let short = with_clock(config("old_london_bridge", 2), |clock| {
        // Shorter than the lag, and enough for a bot that joins at once.
        clock.startup_ms = Some(2 * CAP_MS);
    });
    let seated = server.create(short).await;
    let first = server.good_bot(&seated.tickets[0]);
    thread::sleep(BLOCKED_TIME);
    let second = server.good_bot(&seated.tickets[1]);
    let result = first.await.unwrap().unwrap();
    assert_eq!(result, second.await.unwrap().unwrap());
    assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
}

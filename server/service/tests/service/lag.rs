//! Time that must not be charged to a bot: the server's own lag. Also round trips that bots only
//! pretend to have.
//!
//! A test, its bots and its server share one thread, so a blocking test delays all of them, as on a
//! machine without a free CPU.

use std::{thread, time::Duration};

use bridgemaster_proto::v1::{AnnulmentReason, TimeControl};

use crate::test_server::{TestServer, assert_faultless, config, with_clock};

/// Time for a decision, in ms: enough for a bot that answers at once, even on a busy machine.
const CAP_MS: u32 = 1_000;
/// The time for which a test blocks the server, much longer than the time for a decision.
const BLOCKED_TIME: Duration = Duration::from_millis(2_500);
/// The minimum part of [`BLOCKED_TIME`] that must count as server lag, in µs.
const LAG_US: u64 = 2_400_000;

#[tokio::test]
async fn a_bot_is_not_late_when_the_server_lagged_and_the_match_reports_the_lag() {
    let server = TestServer::open().await;
    let capped = with_clock(config("old_london_bridge", 2), |clock| {
        clock.time_control = Some(TimeControl::fischer(30_000, 500, CAP_MS));
        clock.referee_lag_limit_ms = Some(1000);
    });
    let seated = server.create(capped).await;
    let [mut first, mut second] = server.join_all(&seated).await;
    // Both choose a card at the same time.
    let asked = [first.next_request().await, second.next_request().await];
    thread::sleep(BLOCKED_TIME);
    first.answer_first(&asked[0]).await;
    second.answer_first(&asked[1]).await;
    let next = first.next_request().await;
    let charge = next.clock.unwrap().last_charge.unwrap();
    assert!(charge.referee_lag_us >= LAG_US, "{charge:?}");
    assert!(charge.charged_us < u64::from(CAP_MS) * 1_000, "{charge:?}");
    assert_eq!(charge.elapsed_us, charge.charged_us + charge.credit_us + charge.referee_lag_us);
    first.answer_first(&next).await;

    let (ended, _) = tokio::join!(first.play_on(), second.play_on());
    let result = ended.result.unwrap();
    assert_faultless(&result);
    for seat in &result.seats {
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

    // Lag does not shorten the time to join, even if it is longer than that time.
    let short = with_clock(config("old_london_bridge", 2), |clock| {
        clock.startup_ms = Some(2 * CAP_MS);
    });
    let seated = server.create(short).await;
    let first = server.good_bot(&seated.tickets[0]);
    thread::sleep(BLOCKED_TIME);
    let second = server.good_bot(&seated.tickets[1]);
    assert_faultless(&first.await.unwrap().unwrap());
    second.await.unwrap().unwrap();
}

/// A bot that delays its Pongs appears to be far away. The round-trip time of TCP shows that it is
/// not.
#[cfg(target_os = "linux")]
pub(crate) mod slow_pongs {
    use std::time::Duration;

    use bridgemaster_proto::v1::{Pong, play_request};
    use tokio::time::sleep;

    use crate::{
        caller::Caller,
        test_server::{TestServer, config},
    };

    /// The delay of the Pongs: the whole latency credit of the standard rules.
    const PONG_DELAY: Duration = Duration::from_millis(100);
    /// The thinking time of the bot, so that no quick answer reveals the real round trip.
    const THINKING_TIME: Duration = Duration::from_millis(150);
    /// More than a round trip on loopback takes, and far less than the pretended one, in µs.
    const LOOPBACK_US: u64 = 20_000;

    /// Asserts that a bot that delays its Pongs gets no credit for that.
    pub(crate) async fn assert_uncredited(caller: &Caller) {
        let seated = caller.create(config("old_london_bridge", 2)).await;
        let mut slow = caller.join(&seated.tickets[0]).await;
        let nonce = slow.pings(1).await[0];
        sleep(PONG_DELAY).await;
        slow.send(play_request::Message::Pong(Pong { nonce })).await;
        let honest = caller.join(&seated.tickets[1]).await;
        let last_credit = async {
            let mut credit_us = 0;
            // The first request may have been sent before the Pong arrived.
            for _ in 0..3 {
                let asked = slow.next_request().await;
                let charge = asked.clock.unwrap().last_charge.unwrap_or_default();
                credit_us = charge.credit_us;
                sleep(THINKING_TIME).await;
                slow.answer_first(&asked).await;
            }
            credit_us
        };
        let credit_us = tokio::select! {
            credit_us = last_credit => credit_us,
            _ = honest.play_on() => panic!("the match ended"),
        };
        assert!(credit_us < LOOPBACK_US, "{credit_us} µs");
    }

    #[tokio::test]
    async fn slow_pongs_are_credited_no_more_than_the_network_round_trip() {
        let server = TestServer::open().await;
        assert_uncredited(&server).await;
    }
}

//! A bot that delays its Pongs seems to be far away. The round-trip time of TCP shows that it is
//! not.
#![cfg(target_os = "linux")]

use std::time::Duration;

use bridgemaster_proto::v1::{
    CreateMatchRequest, Pong, decision::Choice, match_service_client::MatchServiceClient,
    play_request, play_service_client::PlayServiceClient,
};
use tokio::time::sleep;
use tonic::transport::Channel;

use crate::{
    raw_bot::RawBot,
    test_server::{TestServer, config},
};

/// The delay of the Pongs: the whole latency credit of the standard rules.
const PONG_DELAY: Duration = Duration::from_millis(100);
/// The thinking time of the bot, so that no quick answer reveals the real round trip.
const THINKING_TIME: Duration = Duration::from_millis(150);
/// More than loopback takes, and far less than the claimed round trip, in µs.
pub(crate) const LOOPBACK_US: u64 = 20_000;

/// Returns the credit in µs for an answer of a bot that delays its Pongs.
pub(crate) async fn claimed_credit_us(channel: Channel) -> u64 {
    let create = CreateMatchRequest {
        config: Some(config("old_london_bridge", 2)),
        ..CreateMatchRequest::default()
    };
    let mut client = MatchServiceClient::new(channel.clone());
    let created = client.create_match(create).await.unwrap();
    let tickets = created.into_inner().tickets;
    let join = |seat: usize| {
        let client = PlayServiceClient::new(channel.clone());
        let ticket = tickets[seat].ticket.clone();
        async move { RawBot::try_join(client, &ticket).await.unwrap() }
    };
    let mut slow = join(0).await;
    let nonce = slow.pings(1).await[0];
    sleep(PONG_DELAY).await;
    slow.send(play_request::Message::Pong(Pong { nonce })).await;
    let honest = tokio::spawn(join(1).await.play_on());
    let mut credit_us = 0;
    // The first request may have been sent before the Pong arrived.
    for _ in 0..3 {
        let asked = slow.next_request().await;
        let charge = asked.clock.unwrap().last_charge.unwrap_or_default();
        credit_us = charge.credit_us;
        sleep(THINKING_TIME).await;
        slow.answer(&asked, Choice::Index(0)).await;
    }
    honest.abort();
    credit_us
}

#[tokio::test]
async fn slow_pongs_are_credited_no_more_than_the_network_round_trip() {
    let server = TestServer::open().await;
    let credit_us = claimed_credit_us(server.channel.clone()).await;
    assert!(credit_us < LOOPBACK_US, "{credit_us} µs");
}

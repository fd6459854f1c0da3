//! A bot that puts its Pongs off looks as if it were far away. TCP knows better.
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

/// How long the bot puts its Pong off: the whole credit of the standard rules.
const PUT_OFF: Duration = Duration::from_millis(100);
/// How long it thinks, so that no quick answer gives it away.
const THOUGHT: Duration = Duration::from_millis(150);
/// More than loopback takes, and far less than what is claimed, in µs.
pub(crate) const LOOPBACK_US: u64 = 20_000;

/// What a bot that puts its Pongs off is credited for an answer, in µs.
pub(crate) async fn claimed_credit_us(channel: Channel) -> u64 {
    let create = CreateMatchRequest {
        config: Some(config("old_london_bridge", 2)),
        ..CreateMatchRequest::default()
    };
    let mut desk = MatchServiceClient::new(channel.clone());
    let created = desk.create_match(create).await.unwrap();
    let tickets = created.into_inner().tickets;
    let join = |seat: usize| {
        let client = PlayServiceClient::new(channel.clone());
        let ticket = tickets[seat].ticket.clone();
        async move { RawBot::try_join(client, &ticket).await.unwrap() }
    };
    let mut slow = join(0).await;
    let nonce = slow.pings(1).await[0];
    sleep(PUT_OFF).await;
    slow.send(play_request::Message::Pong(Pong { nonce })).await;
    let honest = tokio::spawn(join(1).await.play_on());
    let mut credit_us = 0;
    // The first request may have left before the Pong came.
    for _ in 0..3 {
        let asked = slow.asked().await;
        let charge = asked.clock.unwrap().last_charge.unwrap_or_default();
        credit_us = charge.credit_us;
        sleep(THOUGHT).await;
        slow.answer(&asked, Choice::Index(0)).await;
    }
    honest.abort();
    credit_us
}

#[tokio::test]
async fn slow_pongs_earn_no_more_than_the_way_takes() {
    let server = TestServer::open().await;
    let credit_us = claimed_credit_us(server.channel.clone()).await;
    assert!(credit_us < LOOPBACK_US, "{credit_us} µs");
}

//! Checks with redirects to another server.

use std::net::SocketAddr;

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_server::Refusal;
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use crate::{
    catalog::section,
    environment::{BotMatch, CheckEnvironment},
    report::Verdict,
    scripted_proxy::ScriptedProxy,
    session::Event,
};

/// Redirects the bot's first stream, and later redirects the bot again while a request is open.
pub(super) async fn moved(bot_match: &mut BotMatch, environment: &CheckEnvironment) -> Verdict<()> {
    bot_match.wait_for_first_stream().await?;
    let _first = move_match(bot_match, environment).await?;
    wait_for_redirect(bot_match).await?;
    let (sequence, asked) = bot_match.wait_for_request(2).await?;
    bot_match.deliver(sequence, asked).await;
    let _second = move_match(bot_match, environment).await?;
    wait_for_redirect(bot_match).await?;
    bot_match.finish(0).await
}

/// Moves the match to a new proxy. The old proxy ends the bot's stream with MOVED. Later streams
/// are also refused with MOVED, until the returned handle is dropped.
async fn move_match(
    bot_match: &mut BotMatch,
    environment: &CheckEnvironment,
) -> Verdict<AbortOnDropHandle<()>> {
    let new = environment.open_proxy().await?;
    let address = new.local_addr();
    let old = std::mem::replace(&mut bot_match.session.proxy, new);
    bot_match.session.end_stream(Some(moved_to(address))).await;
    Ok(AbortOnDropHandle::new(tokio::spawn(redirect_streams(
        old, address,
    ))))
}

async fn redirect_streams(mut old: ScriptedProxy, address: SocketAddr) {
    loop {
        let arrival = old.arrival().await;
        arrival.stream.refuse(moved_to(address)).await;
    }
}

fn moved_to(address: SocketAddr) -> Status {
    let message = format!("the match is played on another server: {address}");
    let refusal = Refusal::new(RefusalReason::Moved, message);
    refusal.with("address", address.to_string()).into()
}

async fn wait_for_redirect(bot_match: &mut BotMatch) -> Verdict<()> {
    let time = bot_match.session.times.reconnect;
    let expected = format!(
        "a stream with the same ticket at the address of MOVED within {} ms",
        time.as_millis()
    );
    bot_match
        .session
        .expect_within(expected, time, section::RECONNECTING);
    let is_connected = |event: &Event| matches!(event, Event::Connected(_));
    let connected = bot_match.session.forward_until(is_connected).await?;
    bot_match.session.forward(connected).await
}

//! Checks with forced requests, Pings and long pauses.

use bridgemaster_proto::v1::{play_request::Message as FromBot, play_response::Message};
use tokio::time::Instant;

use crate::{
    bot_match::{BotMatch, Event},
    catalog::section,
    report::{StopReason, Verdict, failed},
};

/// Nonces that a faulty bot might not copy exactly: the largest number, the first integer that a
/// double cannot represent, and a small number that follows large ones.
const NONCES: [u64; 3] = [u64::MAX, (1 << 53) + 1, 77];
/// The number of Pings in a long pause.
const PINGS_IN_A_PAUSE: u32 = 12;

/// Plays a whole match in which forced decisions are requested, too.
pub(super) async fn ask_forced(bot_match: &mut BotMatch) -> Verdict<()> {
    bot_match.finish(0).await?;
    let mut requests = bot_match.transcript.requests.values();
    if requests.any(|(_, asked)| asked.legal_count == 1) {
        return Ok(());
    }
    Err(StopReason::Skipped("no request of this match had only one legal decision".to_owned()))
}

/// Sends Pings before a request and while the request is open.
pub(super) async fn ping(bot_match: &mut BotMatch) -> Verdict<()> {
    // These nonces differ from the server's nonces, which start at 1.
    for nonce_while_open in [2_000_002, 2_000_003] {
        // The bot might already have answered the previous request, so any request is accepted
        // here.
        let request = bot_match.next_request().await?;
        for nonce in NONCES {
            bot_match.send_ping(nonce).await;
        }
        all_pongs(bot_match).await?;
        bot_match.deliver_request(&request).await;
        bot_match.send_ping(nonce_while_open).await;
        all_pongs(bot_match).await?;
    }
    bot_match.finish(0).await?;
    match bot_match.transcript.unexpected_pongs.first() {
        None => Ok(()),
        Some(nonce) => Err(failed(
            "one Pong for each Ping, with the nonce of the Ping",
            format!("a Pong with the nonce {nonce}, which matches no open Ping"),
            section::MESSAGE_FLOW,
        )),
    }
}

/// Forwards all messages until every Ping has been answered. The messages can include an answer to
/// the request.
async fn all_pongs(bot_match: &mut BotMatch) -> Verdict<()> {
    while let Some((nonce, sent)) = bot_match.transcript.oldest_ping() {
        let deadline = sent + bot_match.times.pong;
        let Some(event) = bot_match.event_before(deadline).await? else {
            let waited = bot_match.times.pong.as_millis();
            return Err(failed(
                format!("a Pong with the nonce {nonce} within {waited} ms"),
                match bot_match.transcript.unexpected_pongs.first() {
                    Some(other) => format!("a Pong with the nonce {other}"),
                    None => "timed out waiting for a Pong".to_owned(),
                },
                section::MESSAGE_FLOW,
            ));
        };
        bot_match.forward(event).await?;
    }
    Ok(())
}

/// Withholds the next request for a long time, while the bot keeps receiving Pings.
pub(super) async fn slow_clock(bot_match: &mut BotMatch) -> Verdict<()> {
    let request = bot_match.wait_for_request(2).await?;
    let streams = bot_match.transcript.streams;
    let part = bot_match.times.pause / PINGS_IN_A_PAUSE;
    for nonce in 1..=u64::from(PINGS_IN_A_PAUSE) {
        bot_match.send_ping(1_000_000 + nonce).await;
        let end = Instant::now() + part;
        while let Some(event) = bot_match.event_before(end).await? {
            match event {
                // Another check covers the answers to Pings.
                Event::FromBot(FromBot::Pong(_))
                | Event::FromServer(_, Message::Ping(_) | Message::SeatStatus(_)) => {
                    bot_match.forward(event).await?;
                }
                Event::BotDisconnected(how) => return Err(disconnected_early(how)),
                Event::Exited(status) => {
                    return Err(disconnected_early(format!("the process ended with {status}")));
                }
                other => bot_match.forward(other).await?,
            }
        }
    }
    if bot_match.transcript.streams != streams {
        return Err(disconnected_early("the bot opened another stream".to_owned()));
    }
    bot_match.deliver_request(&request).await;
    bot_match.finish(0).await
}

fn disconnected_early(seen: String) -> StopReason {
    failed(
        "a bot that keeps its stream open while Pings arrive, even if no request arrives for a \
         long time",
        seen,
        section::MESSAGE_FLOW,
    )
}

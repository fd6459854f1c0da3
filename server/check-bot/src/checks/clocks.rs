//! Being asked: forced requests, Pings, long pauses.

use bridgemaster_proto::v1::{play_request::Message as FromBot, play_response::Message};
use tokio::time::Instant;

use crate::{
    arena::Bout,
    catalog::section,
    failure::{Stop, Verdict, failed},
    session::Event,
};

/// Nonces that a bot gets wrong which does not copy them: the largest number, the first that a
/// floating-point number cannot hold, and a small one after a large one.
const NONCES: [u64; 3] = [u64::MAX, (1 << 53) + 1, 77];
/// Pings in a long pause.
const PINGS_IN_A_PAUSE: u32 = 12;

/// A whole match in which the bot is asked for forced decisions too.
pub(super) async fn ask_forced(bout: &mut Bout) -> Verdict<()> {
    bout.finish(0).await?;
    let mut requests = bout.session.told.requests.values();
    if requests.any(|(_, asked)| asked.legal_count == 1) {
        return Ok(());
    }
    Err(Stop::Skipped(
        "no request of this match had one legal decision".to_owned(),
    ))
}

/// Pings before a request and while it is open.
pub(super) async fn ping(bout: &mut Bout) -> Verdict<()> {
    // The server counts its own Pings from 1.
    for nonce_while_open in [2_000_002, 2_000_003] {
        // The next one, whatever its number: the bot may have answered the one before already.
        let (sequence, asked) = bout.until_asked().await?;
        for nonce in NONCES {
            bout.session.ping(nonce).await;
        }
        all_pongs(bout).await?;
        bout.deliver(sequence, asked).await;
        bout.session.ping(nonce_while_open).await;
        all_pongs(bout).await?;
    }
    bout.finish(0).await?;
    match bout.session.told.unasked_pongs.first() {
        None => Ok(()),
        Some(nonce) => Err(failed(
            "one Pong for each Ping, with the nonce of the Ping",
            format!("a Pong with the nonce {nonce}, which no open Ping has"),
            section::CONVERSATION,
        )),
    }
}

/// Passes everything on until every Ping is answered; an answer to the request may come too.
async fn all_pongs(bout: &mut Bout) -> Verdict<()> {
    while let Some((nonce, sent)) = bout.session.told.oldest_ping() {
        let deadline = sent + bout.session.times.pong();
        let Some(event) = bout.session.event_before(deadline).await? else {
            let waited = bout.session.times.pong().as_millis();
            return Err(failed(
                format!("a Pong with the nonce {nonce} within {waited} ms"),
                match bout.session.told.unasked_pongs.first() {
                    Some(other) => format!("a Pong with the nonce {other}"),
                    None => "timed out waiting for a Pong".to_owned(),
                },
                section::CONVERSATION,
            ));
        };
        bout.session.pass(event).await?;
    }
    Ok(())
}

/// The next request is held back for long, while Pings come.
pub(super) async fn slow_clock(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(2).await?;
    let streams = bout.session.told.streams;
    let part = bout.session.times.pause() / PINGS_IN_A_PAUSE;
    for nonce in 1..=u64::from(PINGS_IN_A_PAUSE) {
        bout.session.ping(1_000_000 + nonce).await;
        let end = Instant::now() + part;
        while let Some(event) = bout.session.event_before(end).await? {
            match event {
                // Whether Pings are answered well is another check.
                Event::FromBot(FromBot::Pong(_))
                | Event::FromServer(_, Message::Ping(_) | Message::SeatStatus(_)) => {
                    bout.session.pass(event).await?;
                }
                Event::BotLeft(how) => return Err(impatient(how)),
                Event::Exited(status) => {
                    return Err(impatient(format!("the process ended with {status}")));
                }
                other => bout.session.pass(other).await?,
            }
        }
    }
    if bout.session.told.streams != streams {
        return Err(impatient("the bot opened another stream".to_owned()));
    }
    bout.deliver(sequence, asked).await;
    bout.finish(0).await
}

fn impatient(seen: String) -> Stop {
    failed(
        "the stream is kept while Pings come, however long the others think",
        seen,
        section::CONVERSATION,
    )
}

//! Coming back after a lost stream.

use bridgemaster_proto::v1::{Draining, RefusalReason, play_response::Message as FromServer};
use tokio::time::Instant;
use tonic::Status;

use crate::check_bot::{
    arena::Bout,
    catalog::section,
    failure::{Verdict, failed},
    session::{Event, refusal},
    wire,
};

/// What Draining says, in ms.
const DRAIN_TIME_LEFT_MS: u32 = 2_000;

/// How a stream is lost.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loss {
    /// The connection is reset.
    Reset,
    /// The server ends the stream with OK.
    Eof,
    /// The server ends the stream with UNAVAILABLE and no reason.
    Unavailable,
    /// The server ends the stream with SLOW_CONSUMER.
    SlowConsumer,
}

async fn lose(bout: &mut Bout, loss: Loss) {
    match loss {
        Loss::Reset => bout.session.reset(),
        Loss::Eof => bout.session.end_stream(None).await,
        Loss::Unavailable => {
            let status = Status::unavailable("a check cuts the stream");
            bout.session.end_stream(Some(status)).await;
        }
        Loss::SlowConsumer => {
            let status = refusal(RefusalReason::SlowConsumer);
            bout.session.end_stream(Some(status)).await;
        }
    }
}

/// The stream is lost once with an open request, and once after an answer.
pub(super) async fn after_loss(bout: &mut Bout, loss: Loss) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(2).await?;
    bout.deliver(sequence, asked).await;
    lose(bout, loss).await;
    bout.until_back().await?;

    let (sequence, asked) = bout.until_request(4).await?;
    bout.deliver(sequence, asked).await;
    let answer = bout.answer_to(4).await?;
    bout.pass_answer(answer).await;
    lose(bout, loss).await;
    bout.until_back().await?;
    bout.finish(0).await
}

/// The stream is lost when the bot has sent its answer and the server has not got it.
pub(super) async fn answer_lost(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(3).await?;
    bout.deliver(sequence, asked).await;
    bout.answer_to(3).await?;
    lose(bout, Loss::Reset).await;
    bout.until_back().await?;
    let answer = bout.answer_to(3).await?;
    bout.pass_answer(answer).await;
    bout.finish(0).await
}

/// The stream is lost in place of MatchEnded.
pub(super) async fn end_missed(bout: &mut Bout) -> Verdict<()> {
    let time = bout.session.times.whole_match();
    let what = "a match that is played to its end";
    bout.session.wait_for(what, time, section::CONVERSATION);
    let is_end = |event: &Event| matches!(event, Event::FromServer(_, FromServer::MatchEnded(_)));
    bout.session.pass_until(is_end).await?;
    lose(bout, Loss::Reset).await;
    bout.until_back().await?;
    bout.finish(0).await
}

/// The server drains, stops, and is back after a while.
pub(super) async fn drain(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(2).await?;
    let draining = FromServer::Draining(Draining {
        time_left_ms: DRAIN_TIME_LEFT_MS,
        matches_resume: true,
    });
    bout.session.say(wire::encode(0, draining)).await;
    bout.deliver(sequence, asked).await;
    let answer = bout.answer_to(2).await?;
    bout.pass_answer(answer).await;

    let (sequence, asked) = bout.until_request(3).await?;
    bout.deliver(sequence, asked).await;
    let stopping = || refusal(RefusalReason::ServerStopping);
    bout.session.end_stream(Some(stopping())).await;
    // The status is on its way; a bot that is back too soon hears it again.
    let end = Instant::now() + bout.session.times.quiet();
    while let Some(event) = bout.session.event_before(end).await? {
        match event {
            Event::Came(_) => bout.session.end_stream(Some(stopping())).await,
            other => still_there(&other)?,
        }
    }
    bout.session.reset();
    bout.session.front.go_away().await?;
    let end = Instant::now() + bout.session.times.away();
    while let Some(event) = bout.session.event_before(end).await? {
        still_there(&event)?;
    }
    bout.session.front.come_back().await?;
    bout.until_back().await?;
    bout.finish(0).await
}

fn still_there(event: &Event) -> Verdict<()> {
    match event {
        Event::Exited(status) => Err(failed(
            "a bot that waits for the server to be back after SERVER_STOPPING",
            format!("the process ended with {status}"),
            section::SERVER_STOPS,
        )),
        _ => Ok(()),
    }
}

//! Coming back after a lost stream.

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Draining, RefusalReason, play_request::Message as FromBot,
    play_response::Message as FromServer,
};
use tokio::time::Instant;
use tonic::Status;

use crate::{
    arena::Bout,
    catalog::section,
    failure::{Stop, Verdict, failed},
    session::{Event, refusal},
    wire,
};

/// A history that the server of the checks is not in.
const ANOTHER_HISTORY: &str = "00112233445566778899aabbccddeeff";
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
        Loss::Reset => bout.session.reset().await,
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

/// For the bot the server has lost what happened last: request 3 is open again, and request 4 was
/// never asked. The stream is lost once more there, to see what the bot remembers.
pub(super) async fn begin_anew(bout: &mut Bout) -> Verdict<()> {
    let lost_once = bout.until_request(3).await?;
    bout.deliver(lost_once.0, lost_once.1.clone()).await;
    let answer = bout.answer_to(3).await?;
    bout.pass_answer(answer).await;
    let never_asked = bout.until_request(4).await?;
    bout.deliver(never_asked.0, never_asked.1.clone()).await;
    bout.answer_to(4).await?;

    bout.session.reset_bot().await;
    bout.until_it_came().await?;
    bout.session.welcome_to(ANOTHER_HISTORY, false).await;
    let end = Instant::now() + bout.session.times.quiet();
    while let Some(event) = bout.session.event_before(end).await? {
        match event {
            Event::FromBot(FromBot::Decision(answer)) => return Err(not_dropped(&answer)),
            other => bout.session.pass(other).await?,
        }
    }
    bout.session.start_again().await;
    ask_anew(bout, lost_once).await?;

    bout.session.reset_bot().await;
    bout.until_it_came().await?;
    bout.session.welcome_to(ANOTHER_HISTORY, true).await;
    let answer = ask_anew(bout, never_asked).await?;
    bout.pass_answer(answer).await;
    bout.finish(0).await
}

/// Asks for what the bot was asked before it began anew. Its answer to the request before may come
/// again first: the stream may have lost it.
async fn ask_anew(bout: &mut Bout, (sequence, asked): (u32, DecisionRequest)) -> Verdict<Decision> {
    let request_id = asked.request_id;
    bout.deliver(sequence, asked).await;
    let time = bout.session.times.answer();
    let what = format!("an answer to request {request_id}, which is asked anew");
    bout.session.wait_for(what, time, section::COMING_BACK);
    loop {
        match bout.session.event().await? {
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id == request_id => {
                return Ok(answer);
            }
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id > request_id => {
                return Err(not_dropped(&answer));
            }
            Event::FromBot(FromBot::Decision(_)) => {}
            other => bout.session.pass(other).await?,
        }
    }
}

fn not_dropped(answer: &Decision) -> Stop {
    failed(
        "a bot that begins anew, and forgets its answers, when Welcome says that it is not resumed",
        format!("an answer to request {}", answer.request_id),
        section::COMING_BACK,
    )
}

/// The server drains, stops, and is back after a while.
pub(super) async fn drain(bout: &mut Bout) -> Verdict<()> {
    let (sequence, asked) = bout.until_request(2).await?;
    let draining = FromServer::Draining(Draining {
        time_left_ms: DRAIN_TIME_LEFT_MS,
        matches_resume: true,
        ..Draining::default()
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
    bout.session.reset().await;
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

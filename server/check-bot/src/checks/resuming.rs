//! Checks how a bot resumes after a lost stream.

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Draining, RefusalReason, play_request::Message as FromBot,
    play_response::Message as FromServer,
};
use tokio::time::Instant;
use tonic::Status;

use crate::{
    catalog::section,
    environment::BotMatch,
    report::{StopReason, Verdict, failed},
    session::{Event, refusal},
    wire,
};

/// A history id that the real server never uses.
const ANOTHER_HISTORY: &str = "00112233445566778899aabbccddeeff";
/// The value of `time_left_ms` in the Draining message, in ms.
const DRAIN_TIME_LEFT_MS: u32 = 2_000;

/// The cause of a lost stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum StreamLoss {
    /// The connection is reset.
    Reset,
    /// The server closes the stream with OK.
    Eof,
    /// The server closes the stream with UNAVAILABLE and without a reason.
    Unavailable,
    /// The server closes the stream with SLOW_CONSUMER.
    SlowConsumer,
}

async fn lose_stream(bot_match: &mut BotMatch, loss: StreamLoss) {
    match loss {
        StreamLoss::Reset => bot_match.session.reset().await,
        StreamLoss::Eof => bot_match.session.end_stream(None).await,
        StreamLoss::Unavailable => {
            let status = Status::unavailable("stream closed by a check");
            bot_match.session.end_stream(Some(status)).await;
        }
        StreamLoss::SlowConsumer => {
            let status = refusal(RefusalReason::SlowConsumer);
            bot_match.session.end_stream(Some(status)).await;
        }
    }
}

/// Cuts the stream once while a request is open, and once after an answer.
pub(super) async fn after_loss(bot_match: &mut BotMatch, loss: StreamLoss) -> Verdict<()> {
    let (sequence, asked) = bot_match.wait_for_request(2).await?;
    bot_match.deliver(sequence, asked).await;
    lose_stream(bot_match, loss).await;
    bot_match.wait_for_resume().await?;

    let (sequence, asked) = bot_match.wait_for_request(4).await?;
    bot_match.deliver(sequence, asked).await;
    let answer = bot_match.wait_for_answer(4).await?;
    bot_match.forward_answer(answer).await;
    lose_stream(bot_match, loss).await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}

/// Cuts the stream before the bot's answer is forwarded.
pub(super) async fn answer_lost(bot_match: &mut BotMatch) -> Verdict<()> {
    let (sequence, asked) = bot_match.wait_for_request(3).await?;
    bot_match.deliver(sequence, asked).await;
    bot_match.wait_for_answer(3).await?;
    lose_stream(bot_match, StreamLoss::Reset).await;
    bot_match.wait_for_resume().await?;
    let answer = bot_match.wait_for_answer(3).await?;
    bot_match.forward_answer(answer).await;
    bot_match.finish(0).await
}

/// Cuts the stream instead of delivering MatchEnded.
pub(super) async fn end_missed(bot_match: &mut BotMatch) -> Verdict<()> {
    let time = bot_match.session.times.whole_match;
    let expected = "a match that the bot plays to the end";
    bot_match
        .session
        .expect_within(expected, time, section::MESSAGE_FLOW);
    let is_end = |event: &Event| matches!(event, Event::FromServer(_, FromServer::MatchEnded(_)));
    bot_match.session.forward_until(is_end).await?;
    lose_stream(bot_match, StreamLoss::Reset).await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}

/// Simulates a server that lost the last part of the match: request 3 is open again, and request 4
/// was never sent. Then cuts the stream again and checks the bot's next Hello.
pub(super) async fn start_over(bot_match: &mut BotMatch) -> Verdict<()> {
    let repeated = bot_match.wait_for_request(3).await?;
    bot_match.deliver(repeated.0, repeated.1.clone()).await;
    let answer = bot_match.wait_for_answer(3).await?;
    bot_match.forward_answer(answer).await;
    let not_yet_sent = bot_match.wait_for_request(4).await?;
    bot_match
        .deliver(not_yet_sent.0, not_yet_sent.1.clone())
        .await;
    bot_match.wait_for_answer(4).await?;

    bot_match.session.reset_bot().await;
    bot_match.wait_for_next_stream().await?;
    bot_match.session.welcome_to(ANOTHER_HISTORY, false).await;
    let end = Instant::now() + bot_match.session.times.quiet;
    while let Some(event) = bot_match.session.event_before(end).await? {
        match event {
            Event::FromBot(FromBot::Decision(answer)) => return Err(not_dropped(&answer)),
            other => bot_match.session.forward(other).await?,
        }
    }
    bot_match.session.resend_started().await;
    repeat_request(bot_match, repeated).await?;

    bot_match.session.reset_bot().await;
    bot_match.wait_for_next_stream().await?;
    bot_match.session.welcome_to(ANOTHER_HISTORY, true).await;
    let answer = repeat_request(bot_match, not_yet_sent).await?;
    bot_match.forward_answer(answer).await;
    bot_match.finish(0).await
}

/// Repeats a request that was open before the simulated loss. The bot is allowed to repeat its
/// answer to the previous request first, in case that answer was lost with the stream.
async fn repeat_request(
    bot_match: &mut BotMatch,
    (sequence, asked): (u32, DecisionRequest),
) -> Verdict<Decision> {
    let request_id = asked.request_id;
    bot_match.deliver(sequence, asked).await;
    let time = bot_match.session.times.answer;
    let expected = format!("an answer to the repeated request {request_id}");
    bot_match
        .session
        .expect_within(expected, time, section::RECONNECTING);
    loop {
        match bot_match.session.event().await? {
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id == request_id => {
                return Ok(answer);
            }
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id > request_id => {
                return Err(not_dropped(&answer));
            }
            Event::FromBot(FromBot::Decision(_)) => {}
            other => bot_match.session.forward(other).await?,
        }
    }
}

fn not_dropped(answer: &Decision) -> StopReason {
    failed(
        "a bot that starts over and forgets its answers after a Welcome with resumed = false",
        format!("an answer to request {}", answer.request_id),
        section::RECONNECTING,
    )
}

/// Drains, stops and restarts the server.
pub(super) async fn drain(bot_match: &mut BotMatch) -> Verdict<()> {
    let (sequence, asked) = bot_match.wait_for_request(2).await?;
    let draining = FromServer::Draining(Draining {
        time_left_ms: DRAIN_TIME_LEFT_MS,
        matches_resume: true,
        ..Draining::default()
    });
    bot_match.session.send_raw(wire::encode(0, draining)).await;
    bot_match.deliver(sequence, asked).await;
    let answer = bot_match.wait_for_answer(2).await?;
    bot_match.forward_answer(answer).await;

    let (sequence, asked) = bot_match.wait_for_request(3).await?;
    bot_match.deliver(sequence, asked).await;
    let stopping = || refusal(RefusalReason::ServerStopping);
    bot_match.session.end_stream(Some(stopping())).await;
    // A bot that reconnects before the status arrives receives the status again.
    let end = Instant::now() + bot_match.session.times.quiet;
    while let Some(event) = bot_match.session.event_before(end).await? {
        match event {
            Event::Connected(_) => bot_match.session.end_stream(Some(stopping())).await,
            other => check_running(&other)?,
        }
    }
    bot_match.session.reset().await;
    bot_match.session.proxy.stop_listening().await?;
    let end = Instant::now() + bot_match.session.times.away;
    while let Some(event) = bot_match.session.event_before(end).await? {
        check_running(&event)?;
    }
    bot_match.session.proxy.resume_listening().await?;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}

fn check_running(event: &Event) -> Verdict<()> {
    match event {
        Event::Exited(status) => Err(failed(
            "a bot that reconnects after SERVER_STOPPING once the server has restarted",
            format!("the process ended with {status}"),
            section::SERVER_SHUTDOWN,
        )),
        _ => Ok(()),
    }
}

//! Checks how a bot resumes after a lost stream.

use bridgemaster_proto::v1::{
    Decision, Draining, RefusalReason, play_request::Message as FromBot,
    play_response::Message as FromServer,
};
use tokio::time::Instant;
use tonic::Status;

use crate::{
    bot_match::{BotMatch, Event, refusal},
    catalog::section,
    report::{StopReason, Verdict, failed},
    steps::Request,
    wire,
};

/// A history id that the real server never uses.
const ANOTHER_HISTORY: &str = "00112233445566778899aabbccddeeff";
/// The value of `time_left_ms` in the Draining message, in ms.
const DRAIN_TIME_LEFT_MS: u32 = 2_000;

/// The cause of a lost stream.
#[derive(Debug)]
pub(super) enum StreamLoss {
    /// The connection is reset.
    Reset,
    /// The server closes the stream with this status, or with OK.
    End(Option<Status>),
}

async fn lose_stream(bot_match: &mut BotMatch, loss: &StreamLoss) {
    match loss {
        StreamLoss::Reset => bot_match.reset().await,
        StreamLoss::End(status) => bot_match.end_stream(status.clone()).await,
    }
}

/// Cuts the stream once while a request is open, and once after an answer.
pub(super) async fn after_loss(bot_match: &mut BotMatch, loss: StreamLoss) -> Verdict<()> {
    let request = bot_match.wait_for_request(2).await?;
    bot_match.deliver_request(&request).await;
    lose_stream(bot_match, &loss).await;
    bot_match.wait_for_resume().await?;

    bot_match.play_request(4).await?;
    lose_stream(bot_match, &loss).await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}

/// Cuts the stream before the bot's answer is forwarded.
pub(super) async fn answer_lost(bot_match: &mut BotMatch) -> Verdict<()> {
    bot_match.ask(3).await?;
    bot_match.reset().await;
    bot_match.wait_for_resume().await?;
    bot_match.pass_answer(3).await?;
    bot_match.finish(0).await
}

/// Cuts the stream instead of delivering MatchEnded.
pub(super) async fn end_missed(bot_match: &mut BotMatch) -> Verdict<()> {
    bot_match.wait_for_end().await?;
    bot_match.reset().await;
    bot_match.wait_for_resume().await?;
    bot_match.finish(0).await
}

/// Simulates a server that lost the last part of the match: request 3 is open again, and request 4
/// was never sent. Then cuts the stream again and checks the bot's next Hello.
pub(super) async fn start_over(bot_match: &mut BotMatch) -> Verdict<()> {
    let repeated = bot_match.wait_for_request(3).await?;
    bot_match.deliver_request(&repeated).await;
    bot_match.pass_answer(3).await?;
    let not_yet_sent = bot_match.wait_for_request(4).await?;
    bot_match.deliver_request(&not_yet_sent).await;
    bot_match.wait_for_answer(4).await?;

    bot_match.reset_bot().await;
    bot_match.wait_for_next_stream().await?;
    bot_match.welcome_to(ANOTHER_HISTORY, false).await;
    let end = Instant::now() + bot_match.times.quiet;
    while let Some(event) = bot_match.event_before(end).await? {
        match event {
            Event::FromBot(FromBot::Decision(answer)) => return Err(not_dropped(&answer)),
            other => bot_match.forward(other).await?,
        }
    }
    bot_match.resend_started().await;
    repeat_request(bot_match, repeated).await?;

    bot_match.reset_bot().await;
    bot_match.wait_for_next_stream().await?;
    bot_match.welcome_to(ANOTHER_HISTORY, true).await;
    let answer = repeat_request(bot_match, not_yet_sent).await?;
    bot_match.forward_answer(answer).await;
    bot_match.finish(0).await
}

/// Repeats a request that was open before the simulated loss. The bot is allowed to repeat its
/// answer to the previous request first, in case that answer was lost with the stream.
async fn repeat_request(bot_match: &mut BotMatch, request: Request) -> Verdict<Decision> {
    bot_match.deliver_request(&request).await;
    let request_id = request.1.request_id;
    let time = bot_match.times.answer;
    let expected = format!("an answer to the repeated request {request_id}");
    bot_match.expect_within(expected, time, section::RECONNECTING);
    loop {
        match bot_match.event().await? {
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id == request_id => {
                return Ok(answer);
            }
            Event::FromBot(FromBot::Decision(answer)) if answer.request_id > request_id => {
                return Err(not_dropped(&answer));
            }
            Event::FromBot(FromBot::Decision(_)) => {}
            other => bot_match.forward(other).await?,
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
    let request = bot_match.wait_for_request(2).await?;
    let draining = FromServer::Draining(Draining {
        time_left_ms: DRAIN_TIME_LEFT_MS,
        matches_resume: true,
        ..Draining::default()
    });
    bot_match.send_raw(wire::encode(0, draining)).await;
    bot_match.deliver_request(&request).await;
    bot_match.pass_answer(2).await?;

    let request = bot_match.wait_for_request(3).await?;
    bot_match.deliver_request(&request).await;
    let stopping = || refusal(RefusalReason::ServerStopping);
    bot_match.end_stream(Some(stopping())).await;
    // A bot that reconnects before the status arrives receives the status again.
    let end = Instant::now() + bot_match.times.quiet;
    while let Some(event) = bot_match.event_before(end).await? {
        match event {
            Event::Connected(_) => bot_match.end_stream(Some(stopping())).await,
            other => check_running(&other)?,
        }
    }
    bot_match.reset().await;
    bot_match.proxy.stop_listening().await?;
    let end = Instant::now() + bot_match.times.away;
    while let Some(event) = bot_match.event_before(end).await? {
        check_running(&event)?;
    }
    bot_match.proxy.listener.resume_listening().await?;
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

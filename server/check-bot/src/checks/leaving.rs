//! Checks how a bot stops: after the match, after a refusal, and after losing its seat.

use std::process::ExitStatus;

use bridgemaster_proto::v1::{Hello, RefusalReason};
use tokio::{
    select,
    time::{Instant, sleep_until},
};
use tonic::Status;
use tonic_types::StatusExt as _;

use bridgemaster_server::reason_name;

use crate::{
    bot_match::{BotMatch, Event, refusal},
    catalog::section,
    environment::CheckEnvironment,
    first_message::read_hello,
    report::{StopReason, Verdict, broken_check, failed},
};

const UNKNOWN_TICKET: &str = "unknown-ticket";
/// Maximum number of streams that a bot opens after a final refusal. The bot might have opened the
/// streams before the refusal arrived.
const STREAMS_AFTER_STOP: u32 = 2;

/// Checks that the process exits by itself, in time and with code 0.
pub(super) async fn exit_code(bot_match: &mut BotMatch) -> Verdict<()> {
    let ended = bot_match.wait_for_end().await?;
    bot_match.forward(ended).await?;
    let time = bot_match.times.exit;
    let expected = format!("exit code 0 within {} ms after MatchEnded", time.as_millis());
    bot_match.expect_within(expected.clone(), time, section::MESSAGE_FLOW);
    let exited = bot_match.forward_until(|event| matches!(event, Event::Exited(_))).await?;
    match exited {
        Event::Exited(status) if !status.success() => {
            Err(failed(expected, format!("the process ended with {status}"), section::MESSAGE_FLOW))
        }
        _ => Ok(()),
    }
}

/// Checks how the bot stops after its ticket is refused. Returns the verdict with the Hello of the
/// bot's first stream.
pub(crate) async fn unknown_ticket(environment: &CheckEnvironment) -> (Option<Hello>, Verdict<()>) {
    match refuse_ticket(environment).await {
        Ok((hello, verdict)) => (Some(hello), verdict),
        Err(stop) => (None, Err(stop)),
    }
}

/// Starts the bot with an unknown ticket and refuses each of its streams.
async fn refuse_ticket(environment: &CheckEnvironment) -> Verdict<(Hello, Verdict<()>)> {
    let mut proxy = environment.open_proxy().await?;
    let url = format!("http://{}", proxy.listener.local_addr());
    let process = environment.command.start(&url, UNKNOWN_TICKET);
    let mut process = environment.record_started(process.await)?;
    let mut deadline = Instant::now() + environment.times.start;
    let mut first = None;
    let mut streams = 0;
    let exited = loop {
        select! {
            biased;
            arrival = proxy.arrival() => {
                streams += 1;
                let (stream, hello) = read_hello(arrival, UNKNOWN_TICKET, environment.times)
                    .await
                    .map_err(|stop| stop.with_stderr_of(&process))?;
                stream.refuse(refusal(RefusalReason::TicketUnknown)).await;
                if first.is_none() {
                    first = Some(hello);
                    deadline = Instant::now() + environment.times.exit;
                }
            }
            status = process.ended() => {
                break Some(status.map_err(|error| broken_check("cannot wait for the bot", error))?);
            }
            () = sleep_until(deadline) => break None,
        }
    };
    if first.is_none() && exited.is_some() {
        process.final_stderr().await;
    }
    let with_stderr = |stop: StopReason| stop.with_stderr_of(&process);
    let hello = first.ok_or_else(|| with_stderr(no_stream(exited, environment)))?;
    let verdict = check_stop(exited, streams, environment);
    Ok((hello, verdict.map_err(with_stderr)))
}

fn no_stream(exited: Option<ExitStatus>, environment: &CheckEnvironment) -> StopReason {
    let seen = match exited {
        Some(status) => format!("the process ended with {status} without opening a stream"),
        None => format!(
            "timed out waiting for a stream, {} ms after the start of the process",
            environment.times.start.as_millis()
        ),
    };
    let expected = "a bot that connects to the server in BRIDGEMASTER_SERVER";
    failed(expected, seen, section::MESSAGE_FLOW)
}

/// Checks a bot's behaviour after TICKET_UNKNOWN.
fn check_stop(
    exited: Option<ExitStatus>,
    streams: u32,
    environment: &CheckEnvironment,
) -> Verdict<()> {
    let seen = match exited {
        Some(status) if status.success() => format!("the process ended with {status}"),
        _ if streams > STREAMS_AFTER_STOP => format!("{streams} streams"),
        None => "timed out waiting for the process to exit".to_owned(),
        Some(_) => return Ok(()),
    };
    let expected = format!(
        "an exit code other than 0 within {} ms after TICKET_UNKNOWN, and no further streams",
        environment.times.exit.as_millis()
    );
    Err(failed(expected, seen, section::REFUSALS))
}

/// Takes over the seat with another stream, as a second process of the bot would.
pub(super) async fn superseded(bot_match: &mut BotMatch) -> Verdict<()> {
    bot_match.wait_for_request(2).await?;
    let _rival = bot_match.start_rival()?;
    let time = bot_match.times.answer;
    let expected = "the end of the bot's stream with SUPERSEDED";
    bot_match.expect_within(expected, time, section::RECONNECTING);
    let superseded = reason_name(RefusalReason::Superseded);
    let is_taken_over = |event: &Event| match event {
        Event::ServerEnded(Some(status)) => reason(status).as_deref() == Some(superseded),
        _ => false,
    };
    bot_match.forward_until(is_taken_over).await?;
    let status = || refusal(RefusalReason::Superseded);
    bot_match.end_stream(Some(status())).await;

    let end = Instant::now() + bot_match.times.no_reconnect_time;
    let mut streams = 0;
    while let Some(event) = bot_match.event_before(end).await? {
        if let Event::Connected(_) = event {
            streams += 1;
            bot_match.end_stream(Some(status())).await;
        }
    }
    if streams > STREAMS_AFTER_STOP {
        return Err(failed(
            "no attempt to reconnect after SUPERSEDED",
            format!(
                "{streams} new streams in {} ms",
                bot_match.times.no_reconnect_time.as_millis()
            ),
            section::RECONNECTING,
        ));
    }
    Ok(())
}

fn reason(status: &Status) -> Option<String> {
    status.get_details_error_info().map(|info| info.reason)
}

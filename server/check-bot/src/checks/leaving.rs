//! How a bot leaves: after the match, when it is refused, when another stream plays.

use bridgemaster_proto::v1::{Hello, RefusalReason, play_response::Message as FromServer};
use tokio::{
    select,
    time::{Instant, sleep_until},
};
use tonic::Status;
use tonic_types::StatusExt as _;

use bridgemaster_bot_process::BotProcess;
use bridgemaster_server::reason_name;

use crate::{
    arena::{Arena, Bout, broken},
    catalog::section,
    failure::{Stop, Verdict, failed},
    hello::first_hello,
    session::{Event, refusal},
};

const UNKNOWN_TICKET: &str = "a-ticket-of-no-match";
/// Streams that a bot may open although it was told to stop: a message may have crossed another.
const STREAMS_AFTER_STOP: u32 = 2;

/// The process must end by itself, in time, with exit code 0.
pub(super) async fn exit_code(bout: &mut Bout) -> Verdict<()> {
    let session = &mut bout.session;
    let time = session.times.whole_match();
    let what = "a match that is played to its end";
    session.wait_for(what, time, section::CONVERSATION);
    let is_end = |event: &Event| matches!(event, Event::FromServer(_, FromServer::MatchEnded(_)));
    let ended = session.pass_until(is_end).await?;
    session.pass(ended).await?;
    let time = session.times.exit();
    let what = format!(
        "exit code 0 within {} ms after MatchEnded",
        time.as_millis()
    );
    session.wait_for(what.clone(), time, section::CONVERSATION);
    let exited = session
        .pass_until(|event| matches!(event, Event::Exited(_)))
        .await?;
    match exited {
        Event::Exited(status) if !status.success() => Err(failed(
            what,
            format!("the process ended with {status}"),
            section::CONVERSATION,
        )),
        _ => Ok(()),
    }
}

/// What a bot did that was refused with TICKET_UNKNOWN.
pub(crate) struct Refused {
    /// Its first Hello.
    pub(crate) hello: Hello,
    /// Its process, and how it ended.
    process: BotProcess,
    exited: Option<std::process::ExitStatus>,
    streams: u32,
}

/// Starts the bot with a ticket of no match, hears its Hello and refuses it, again if need be.
pub(crate) async fn refuse_ticket(arena: &Arena) -> Verdict<Refused> {
    let mut front = arena.front().await?;
    let url = format!("http://{}", front.local_addr());
    let process = arena.command.start(&url, UNKNOWN_TICKET);
    let mut process = process.map_err(|error| broken("the bot cannot be started", error))?;
    let mut deadline = Instant::now() + arena.times.start();
    let mut first: Option<Hello> = None;
    let mut streams = 0;
    loop {
        select! {
            biased;
            arrival = front.arrival() => {
                streams += 1;
                let (stream, hello) = first_hello(arrival, UNKNOWN_TICKET, arena.times)
                    .await
                    .map_err(|stop| with_stderr(stop, &process))?;
                stream.refuse(refusal(RefusalReason::TicketUnknown)).await;
                if first.is_none() {
                    first = Some(hello);
                    deadline = Instant::now() + arena.times.exit();
                }
            }
            status = process.ended() => {
                let status = status.map_err(|error| broken("the bot cannot be waited for", error))?;
                let Some(hello) = first else {
                    process.last_words().await;
                    return Err(with_stderr(no_stream(format!(
                        "the process ended with {status} and had opened no stream"
                    )), &process));
                };
                return Ok(Refused { hello, process, exited: Some(status), streams });
            }
            () = sleep_until(deadline) => {
                let Some(hello) = first else {
                    return Err(with_stderr(no_stream(format!(
                        "timed out waiting for a stream, {} ms after the start of the process",
                        arena.times.start().as_millis()
                    )), &process));
                };
                return Ok(Refused { hello, process, exited: None, streams });
            }
        }
    }
}

fn no_stream(seen: String) -> Stop {
    failed(
        "a bot that connects to the server of BRIDGEMASTER_SERVER",
        seen,
        section::CONVERSATION,
    )
}

fn with_stderr(stop: Stop, process: &BotProcess) -> Stop {
    match stop {
        Stop::Failed(mut failure) => {
            failure.stderr = process.stderr_so_far();
            Stop::Failed(failure)
        }
        other => other,
    }
}

/// The verdict on a bot that was refused.
pub(crate) fn unknown_ticket(refused: &Refused, arena: &Arena) -> Verdict<()> {
    let expected = format!(
        "an exit code other than 0 within {} ms after TICKET_UNKNOWN, and no further streams",
        arena.times.exit().as_millis()
    );
    let wrong = |seen| {
        with_stderr(
            failed(&*expected, seen, section::REFUSALS),
            &refused.process,
        )
    };
    let streams = refused.streams;
    match refused.exited {
        Some(status) if status.success() => Err(wrong(format!("the process ended with {status}"))),
        _ if streams > STREAMS_AFTER_STOP => Err(wrong(format!("{streams} streams"))),
        None => Err(wrong("timed out waiting for the end".to_owned())),
        Some(_) => Ok(()),
    }
}

/// Another stream takes the seat over, as that of a second process of the bot would.
pub(super) async fn superseded(bout: &mut Bout) -> Verdict<()> {
    bout.until_request(2).await?;
    let _rival = bout.seat_rival()?;
    let time = bout.session.times.answer();
    let what = "the end of the bot's stream with SUPERSEDED";
    bout.session.wait_for(what, time, section::COMING_BACK);
    let is_taken_over = |event: &Event| matches!(event, Event::ServerEnded(Some(status)) if reason(status) == Some(superseded_name()));
    bout.session.pass_until(is_taken_over).await?;
    let status = || refusal(RefusalReason::Superseded);
    bout.session.end_stream(Some(status())).await;

    let end = Instant::now() + bout.session.times.leave_alone();
    let mut streams = 0;
    while let Some(event) = bout.session.event_before(end).await? {
        if let Event::Came(_) = event {
            streams += 1;
            bout.session.end_stream(Some(status())).await;
        }
    }
    if streams > STREAMS_AFTER_STOP {
        return Err(failed(
            "a bot that leaves the seat to the newer stream after SUPERSEDED",
            format!(
                "{streams} new streams in {} ms",
                bout.session.times.leave_alone().as_millis()
            ),
            section::COMING_BACK,
        ));
    }
    Ok(())
}

fn superseded_name() -> String {
    reason_name(RefusalReason::Superseded).to_owned()
}

fn reason(status: &Status) -> Option<String> {
    status.get_details_error_info().map(|info| info.reason)
}

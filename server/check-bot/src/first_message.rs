//! Checks the start of a stream: its ticket and its Hello.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, PlayRequest, play_request::Message as FromBot},
};
use tokio::time::timeout;

use super::{
    catalog::section,
    match_settings::TimeLimits,
    report::{Verdict, failed},
    scripted_proxy::{Arrival, BotStream},
};

/// Checks a stream's ticket, and reads its Hello.
pub(super) async fn read_hello(
    arrival: Arrival,
    ticket: &str,
    times: TimeLimits,
) -> Verdict<(BotStream, Hello)> {
    let Arrival { metadata, mut stream } = arrival;
    let authorization = metadata.get("authorization").map(|value| value.to_str());
    let credentials = match authorization {
        Some(Ok(text)) => text.split_once(' '),
        _ => None,
    };
    let is_ticket = credentials.is_some_and(|(scheme, token)| {
        scheme.eq_ignore_ascii_case("bearer") && token.trim() == ticket
    });
    if !is_ticket {
        let seen = match (authorization, credentials) {
            (None, _) => "no `authorization` in the metadata",
            (_, None) => "an `authorization` that is not `SCHEME TICKET`",
            (_, Some(_)) => "a different ticket",
        };
        return Err(failed(
            "`authorization: Bearer TICKET` in the metadata of every stream, with the ticket in \
             BRIDGEMASTER_TICKET",
            seen,
            section::MESSAGE_FLOW,
        ));
    }
    let expected = "Hello as the first message, sent without waiting for the server";
    let failure = |seen: String| failed(expected, seen, section::MESSAGE_FLOW);
    match timeout(times.hello, stream.inbound.message()).await {
        Err(_) => {
            Err(failure(format!("no message within {:?} after the stream started", times.hello)))
        }
        Ok(Ok(Some(PlayRequest { message: Some(FromBot::Hello(hello)) }))) => Ok((stream, hello)),
        Ok(Ok(Some(other))) => Err(failure(format!("{:?} came first", message_kind(&other)))),
        Ok(Ok(None)) => Err(failure("the bot closed its half of the stream".to_owned())),
        Ok(Err(status)) => {
            Err(failure(format!("the stream was lost: {}: {}", status.code(), status.message())))
        }
    }
}

fn message_kind(request: &PlayRequest) -> &'static str {
    match &request.message {
        None => "an empty message",
        Some(FromBot::Hello(_)) => "Hello",
        Some(FromBot::Decision(_)) => "Decision",
        Some(FromBot::Resign(_)) => "Resign",
        Some(FromBot::Pong(_)) => "Pong",
    }
}

/// Checks the protocol revision in a Hello.
pub(super) fn check_revision(hello: &Hello) -> Verdict<()> {
    if hello.protocol_revision == PROTOCOL_REVISION {
        return Ok(());
    }
    Err(failed(
        format!("protocol_revision {PROTOCOL_REVISION} in Hello"),
        format!("protocol_revision {}", hello.protocol_revision),
        section::MESSAGE_FLOW,
    ))
}

//! What a stream must begin with: the ticket and Hello.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, PlayRequest, play_request::Message as FromBot},
};
use tokio::time::timeout;

use super::{
    catalog::section,
    failure::{Verdict, failed},
    front::{Arrival, BotStream},
    limits::Times,
};

/// Reads the Hello of a stream whose ticket must be this one.
pub(super) async fn first_hello(
    arrival: Arrival,
    ticket: &str,
    times: Times,
) -> Verdict<(BotStream, Hello)> {
    let Arrival {
        metadata,
        mut stream,
    } = arrival;
    let authorization = metadata.get("authorization").map(|value| value.to_str());
    let given = match authorization {
        Some(Ok(text)) => text.split_once(' '),
        _ => None,
    };
    let is_ticket = given.is_some_and(|(scheme, given)| {
        scheme.eq_ignore_ascii_case("bearer") && given.trim() == ticket
    });
    if !is_ticket {
        let seen = match (authorization, given) {
            (None, _) => "no `authorization` in the metadata",
            (_, None) => "an `authorization` of another form",
            (_, Some(_)) => "another ticket",
        };
        return Err(failed(
            "`authorization: Bearer TICKET` in the metadata of every stream, with the ticket of \
             BRIDGEMASTER_TICKET",
            seen,
            section::CONVERSATION,
        ));
    }
    let expected = "Hello as the first message, at once and without waiting for one of the server";
    let wrong = |seen: String| failed(expected, seen, section::CONVERSATION);
    match timeout(times.hello(), stream.inbound.message()).await {
        Err(_) => Err(wrong(format!(
            "no message within {:?} of the opening of the stream",
            times.hello()
        ))),
        Ok(Ok(Some(PlayRequest {
            message: Some(FromBot::Hello(hello)),
        }))) => Ok((stream, hello)),
        Ok(Ok(Some(other))) => Err(wrong(format!("{:?} came first", kind(&other)))),
        Ok(Ok(None)) => Err(wrong("the bot closed its half of the stream".to_owned())),
        Ok(Err(status)) => Err(wrong(format!(
            "the stream was lost: {}: {}",
            status.code(),
            status.message()
        ))),
    }
}

fn kind(request: &PlayRequest) -> &'static str {
    match &request.message {
        None => "an empty message",
        Some(FromBot::Hello(_)) => "Hello",
        Some(FromBot::Decision(_)) => "Decision",
        Some(FromBot::Resign(_)) => "Resign",
        Some(FromBot::Pong(_)) => "Pong",
    }
}

/// Checks the revision that a Hello names.
pub(super) fn check_revision(hello: &Hello) -> Verdict<()> {
    if hello.protocol_revision == PROTOCOL_REVISION {
        return Ok(());
    }
    Err(failed(
        format!("protocol_revision {PROTOCOL_REVISION} in Hello"),
        format!("protocol_revision {}", hello.protocol_revision),
        section::CONVERSATION,
    ))
}

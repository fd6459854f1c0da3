//! Tests of the watch that checks the messages to a seat.

use bridgemaster_proto::v1::{
    Clock, DecisionRequest, MatchEnded, MatchStarted, PlayResponse, SeatInfo, SeatStatus,
    play_response::Message,
};

use super::sequence_watch::{Received, SequenceWatch};

fn message(sequence: u32, message: Message) -> PlayResponse {
    PlayResponse {
        sequence,
        message: Some(message),
    }
}

fn started(sequence: u32) -> PlayResponse {
    message(sequence, Message::MatchStarted(MatchStarted::default()))
}

fn asked(sequence: u32, request_id: u32) -> PlayResponse {
    let request = DecisionRequest {
        request_id,
        ..DecisionRequest::default()
    };
    message(sequence, Message::DecisionRequest(request))
}

/// Returns the watch of a seat that received three messages.
fn watch_of_three_messages() -> SequenceWatch {
    let mut watch = SequenceWatch::new();
    watch.stream_begins(None);
    for response in [started(1), asked(2, 1), asked(3, 2)] {
        assert_eq!(watch.receive(&response), Ok(Received::New));
    }
    watch
}

/// Checks that the watch takes a message for new or for repeated.
#[track_caller]
fn takes(watch: &mut SequenceWatch, response: &PlayResponse, expected: Received, why: &str) {
    assert_eq!(watch.receive(response), Ok(expected), "{why}");
}

pub(crate) fn accepts_what_is_in_order() {
    use Received::{New, Repeated};
    let mut watch = watch_of_three_messages();
    watch.stream_begins(Some(2));
    let mut again = asked(3, 2);
    if let Some(Message::DecisionRequest(request)) = &mut again.message {
        request.clock = Some(Clock::default());
    }
    takes(&mut watch, &again, Repeated, "with another clock");
    takes(&mut watch, &asked(4, 3), New, "the next one");

    watch.stream_begins(None);
    let mut again = started(1);
    if let Some(Message::MatchStarted(started)) = &mut again.message {
        started.seats.push(SeatInfo::default());
    }
    takes(&mut watch, &again, Repeated, "with the seats as they are");
    takes(&mut watch, &asked(4, 3), Repeated, "the open request");
    let status = message(6, Message::SeatStatus(SeatStatus::default()));
    takes(&mut watch, &status, New, "5 was lost with a stream");

    watch.stream_begins(None);
    takes(&mut watch, &started(1), Repeated, "the start");
    takes(&mut watch, &asked(7, 4), New, "as it is open");
    let ended = message(9, Message::MatchEnded(MatchEnded::default()));
    takes(&mut watch, &ended, New, "8 was lost with a stream");
    assert_eq!((watch.newest(), watch.requests()), (9, 4));
}

pub(crate) fn sees_what_is_out_of_order() {
    for (known, responses, words) in [
        (Some(3), vec![asked(5, 3)], "message 5 came where 4 was due"),
        (Some(3), vec![asked(3, 2)], "message 3 came where 4 was due"),
        (Some(2), vec![asked(4, 3)], "message 4 came where 3 was due"),
        (Some(2), vec![asked(3, 7)], "message 3 is not what it was"),
        (Some(3), vec![asked(4, 4)], "request 4 came where 3 was due"),
        (None, vec![asked(3, 2)], "was first sent message 3"),
        (
            None,
            vec![started(1), asked(1, 2)],
            "message 1 came after message 1",
        ),
        (
            None,
            vec![started(1), asked(4, 3), asked(6, 4), asked(8, 5)],
            "message 8 came where 7 was due",
        ),
    ] {
        let mut watch = watch_of_three_messages();
        watch.stream_begins(known);
        let taken: Result<Vec<Received>, String> = responses
            .iter()
            .map(|response| watch.receive(response))
            .collect();
        let error = taken.expect_err(words);
        assert!(error.contains(words), "{error} instead of {words}");
    }
}

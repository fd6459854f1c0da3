//! Tests of `cargo test`: two short chaos runs, and unit tests of the watch.

use std::time::Duration;

use bridgemaster_proto::v1::{
    Clock, DecisionRequest, MatchEnded, MatchStarted, PlayResponse, SeatInfo, SeatStatus,
    play_response::Message,
};
use libtest_mimic::{Failed, Trial};

use crate::{
    chaos::chaos,
    plan::{Order, Plan},
    sequence_watch::{Received, SequenceWatch},
    tool::PYTHON,
};

/// Longest time for each of the two runs of a storm; they take some seconds.
const PATIENCE: Duration = Duration::from_secs(240);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("rust_bots_and_their_server_lose_nothing", || {
            let order = order(8, 5, false);
            chaos(&order, None).map(drop).map_err(Failed::from)
        }),
        Trial::ignorable_test("bots_of_both_languages_lose_nothing", || {
            PYTHON.with(|python| {
                let order = order(8, 4, true);
                chaos(&order, Some(python)).map(drop).map_err(Failed::from)
            })
        }),
        Trial::test("a_seed_decides_the_whole_plan", || {
            let one = order(40, 10, true);
            assert_eq!(Plan::new(&one), Plan::new(&one));
            assert_ne!(Plan::new(&one), Plan::new(&Order { seed: 8, ..one }));
            Ok(())
        }),
        Trial::test("the_watch_accepts_what_is_in_order", || {
            accepts_what_is_in_order();
            Ok(())
        }),
        Trial::test("the_watch_sees_what_is_out_of_order", || {
            sees_what_is_out_of_order();
            Ok(())
        }),
    ]
}

fn order(matches: usize, server_kills: usize, with_python: bool) -> Order {
    Order {
        seed: 7,
        matches,
        server_kills,
        with_python,
        with_endless_silence: false,
        at_once: matches,
        patience: PATIENCE,
    }
}

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

fn accepts_what_is_in_order() {
    let mut watch = watch_of_three_messages();
    watch.stream_begins(Some(2));
    let mut again = asked(3, 2);
    if let Some(Message::DecisionRequest(request)) = &mut again.message {
        request.clock = Some(Clock::default());
    }
    assert_eq!(
        watch.receive(&again),
        Ok(Received::Repeated),
        "with another clock"
    );
    assert_eq!(watch.receive(&asked(4, 3)), Ok(Received::New));

    watch.stream_begins(None);
    let mut again = started(1);
    if let Some(Message::MatchStarted(started)) = &mut again.message {
        started.seats.push(SeatInfo::default());
    }
    assert_eq!(
        watch.receive(&again),
        Ok(Received::Repeated),
        "with the seats as they are"
    );
    assert_eq!(watch.receive(&asked(4, 3)), Ok(Received::Repeated));
    let status = message(6, Message::SeatStatus(SeatStatus::default()));
    assert_eq!(
        watch.receive(&status),
        Ok(Received::New),
        "5 was lost with a stream"
    );

    watch.stream_begins(None);
    assert_eq!(watch.receive(&started(1)), Ok(Received::Repeated));
    assert_eq!(
        watch.receive(&asked(7, 4)),
        Ok(Received::New),
        "as it is open"
    );
    let ended = message(9, Message::MatchEnded(MatchEnded::default()));
    assert_eq!(
        watch.receive(&ended),
        Ok(Received::New),
        "8 was lost with a stream"
    );
    assert_eq!((watch.newest(), watch.requests()), (9, 4));
}

fn sees_what_is_out_of_order() {
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

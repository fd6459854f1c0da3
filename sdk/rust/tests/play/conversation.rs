//! The messages that bot and server exchange in a match.

use bridgemaster_sdk::{Bot, Choice, PlayError, Request, play, v1};
use v1::play_request;

use crate::{
    scripted_bot::{
        BotEvent::{Ended, Rejected, Requested, Started, Strikes},
        finish, next_events, options, outcome, start, welcomed, with_open_request,
    },
    scripted_server::{
        SEAT, ScriptedServer, decision_rejected, decision_request, match_ended, match_result,
        match_started, seat_status,
    },
};

#[tokio::test]
async fn a_whole_match_reaches_the_bot_and_its_answers_the_server() {
    let mut server = ScriptedServer::start().await;
    let (playing, control) = start(&server);
    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.authorization.as_deref(), Some("Bearer ticket-7"));
    assert_eq!(
        hello,
        v1::Hello {
            protocol_revision: 1,
            bot_name: "puppet".to_owned(),
            bot_version: "1.0".to_owned(),
            games: vec!["old_london_bridge".to_owned()],
            client_instance_id: hello.client_instance_id.clone(),
            stream_number: 1,
            ..Default::default()
        }
    );
    assert_eq!(hello.client_instance_id.len(), 32);
    stream.send(1, match_started()).await;
    for (sequence, request_id, index) in [(2, 1, 2), (3, 2, 0)] {
        stream.send(sequence, decision_request(request_id)).await;
        control.answer(&mut stream, request_id, index).await;
    }
    stream.send(4, seat_status(1)).await;
    stream.send(5, match_ended()).await;
    assert!(stream.is_closed_by_bot().await);
    drop(stream);
    assert_eq!(outcome(playing).await.unwrap(), match_result());
    assert_eq!(control.events(), [Started(SEAT), Requested(1), Requested(2), Strikes(1), Ended(7)]);
}

#[tokio::test]
async fn a_choice_has_its_note_and_a_resignation_has_none() {
    let (_server, playing, control, mut stream) = with_open_request().await;
    let noted = Choice::Index(2).with_note("the park is nearly full");
    control.choices.send(noted).unwrap();
    let expected = v1::Decision {
        request_id: 1,
        choice: Some(v1::decision::Choice::Index(2)),
        note: "the park is nearly full".to_owned(),
    };
    let expected = play_request::Message::Decision(expected);
    assert_eq!(stream.next().await, expected);
    stream.send(3, decision_request(2)).await;
    let resigned = Choice::Resign.with_note("the budget is used up");
    control.choices.send(resigned).unwrap();
    let expected = play_request::Message::Resign(v1::Resign {});
    assert_eq!(stream.next().await, expected);
    finish(stream, 4, playing).await;
}

#[tokio::test]
async fn a_repeated_message_counts_once() {
    let (_server, playing, control, mut stream) = welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(1, match_started()).await;
    stream.send(2, seat_status(1)).await;
    stream.send(2, seat_status(1)).await;
    stream.send(3, decision_request(1)).await;
    control.answer(&mut stream, 1, 1).await;
    stream.send(3, decision_request(1)).await;
    stream.send(4, decision_request(2)).await;
    control.answer(&mut stream, 2, 2).await;
    finish(stream, 5, playing).await;
    assert_eq!(control.events(), [Started(SEAT), Strikes(1), Requested(1), Requested(2), Ended(7)]);
}

#[tokio::test]
async fn a_ping_is_answered_while_the_bot_thinks() {
    let (_server, playing, control, mut stream) = with_open_request().await;
    assert_eq!(next_events(&control, 2).await.last(), Some(&Requested(1)));
    stream.ping(99).await;
    control.answer(&mut stream, 1, 0).await;
    finish(stream, 3, playing).await;
}

#[tokio::test]
async fn a_refused_decision_is_reported_and_requested_again() {
    let (_server, playing, control, mut stream) = with_open_request().await;
    control.answer(&mut stream, 1, 9).await;
    stream.send(3, decision_rejected(1)).await;
    control.answer(&mut stream, 1, 1).await;
    finish(stream, 4, playing).await;
    assert_eq!(
        control.events()[1..],
        [Requested(1), Rejected(1, "index".to_owned()), Requested(1), Ended(7)]
    );
}

#[tokio::test]
async fn a_bot_that_is_always_refused_ends_with_the_last_refusal() {
    let (_server, playing, control, mut stream) = with_open_request().await;
    for sequence in 3..=5 {
        control.answer(&mut stream, 1, 9).await;
        stream.send(sequence, decision_rejected(1)).await;
    }
    let error = outcome(playing).await.unwrap_err();
    let PlayError::NoLegalDecision { request_id: 1, times: 3, last } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(last.detail, "valid: 0 to 2");
}

#[tokio::test]
async fn a_bot_that_panics_ends_play_with_its_message() {
    struct PanickingBot;
    impl Bot for PanickingBot {
        fn decide(&mut self, request: &Request) -> Choice {
            panic!("no idea about request {}", request.request_id)
        }
    }
    let mut server = ScriptedServer::start().await;
    let playing = tokio::spawn(play(PanickingBot, options(&server.url)));
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    let error = outcome(playing).await.unwrap_err();
    let PlayError::BotPanicked(message) = error else { panic!("{error:?}") };
    assert_eq!(message, "no idea about request 1");
}

/// Computes until its request is cancelled.
struct Ponderer;

impl Bot for Ponderer {
    fn decide(&mut self, request: &Request) -> Choice {
        while !request.is_cancelled() {
            std::thread::yield_now();
        }
        Choice::Index(0)
    }
}

#[tokio::test]
async fn a_request_is_cancelled_when_the_next_one_arrives_and_when_the_match_ends() {
    let mut server = ScriptedServer::start().await;
    let playing = tokio::spawn(play(Ponderer, options(&server.url)));
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    stream.send(3, decision_request(2)).await;
    assert_eq!(finish(stream, 4, playing).await, match_result());
}

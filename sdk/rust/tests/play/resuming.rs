//! Lost streams and how the next one resumes.

use tonic::Status;

use crate::{
    scripted_bot::{
        BotEvent::{Ended, Requested, Started},
        finish, next_events, start, welcomed, with_open_request,
    },
    scripted_server::{
        HISTORY_ID, SEAT, ScriptedServer, decision_request, match_result, match_started,
    },
};

#[tokio::test]
async fn a_lost_stream_is_resumed_and_the_open_request_answered_on_the_new_one() {
    let (mut server, playing, control, stream) = with_open_request().await;
    assert_eq!(next_events(&control, 2).await, [Started(SEAT), Requested(1)]);
    stream.fail(Status::unavailable("gone")).await;

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(HISTORY_ID));
    stream.send(2, decision_request(1)).await;
    control.answer(&mut stream, 1, 1).await;
    assert_eq!(finish(stream, 3, playing).await, match_result());
    assert_eq!(control.events(), [Ended(7)]);
}

#[tokio::test]
async fn the_streams_of_a_seat_are_numbered() {
    let mut server = ScriptedServer::start().await;
    let (_playing, _control) = start(&server);
    let (first, stream) = server.next_welcomed().await;
    drop(stream);
    let (second, _stream) = server.next_welcomed().await;
    assert_eq!([first.stream_number, second.stream_number], [1, 2]);
    assert_eq!(first.client_instance_id, second.client_instance_id);
}

#[tokio::test]
async fn an_answer_on_a_lost_stream_is_sent_again_once() {
    let (mut server, playing, control, mut stream) = with_open_request().await;
    control.answer(&mut stream, 1, 2).await;
    drop(stream);

    let (_, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(2, decision_request(1)).await;
    stream.send(3, decision_request(2)).await;
    control.answer(&mut stream, 2, 0).await;
    finish(stream, 4, playing).await;
    assert_eq!(control.events(), [Started(SEAT), Requested(1), Requested(2), Ended(7)]);
}

#[tokio::test]
async fn a_bot_that_is_not_resumed_starts_over_without_its_unsent_answer() {
    const ANOTHER: &str = "ffffffffffffffffffffffffffffffff";
    let (mut server, playing, control, mut stream) = welcomed().await;
    stream.send(1, match_started()).await;
    for number in [1, 2] {
        stream.send(1 + number, decision_request(number)).await;
        control.answer(&mut stream, number, number).await;
    }
    drop(stream);

    // For this server the first request is still open and unanswered.
    let (_, mut stream) = server.next_not_resumed(ANOTHER).await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    control.answer(&mut stream, 1, 0).await;
    drop(stream);

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(ANOTHER));
    assert_eq!(stream.decision().await, (1, 0), "the new answer is sent again");
    assert_eq!(finish(stream, 3, playing).await, match_result());
    assert_eq!(
        control.events(),
        [Started(SEAT), Requested(1), Requested(2), Started(SEAT), Requested(1), Ended(7)]
    );
}

#[tokio::test]
async fn an_answer_to_a_request_from_before_a_start_over_is_dropped() {
    let (mut server, playing, control, stream) = with_open_request().await;
    assert_eq!(next_events(&control, 2).await.last(), Some(&Requested(1)));
    drop(stream);

    let (_, mut stream) = server.next_not_resumed("another").await;
    stream.send(1, match_started()).await;
    // A different request with the same id.
    stream.send(2, decision_request(1)).await;
    stream.ping(9).await;
    control.choose(1);
    control.answer(&mut stream, 1, 2).await;
    finish(stream, 3, playing).await;
}

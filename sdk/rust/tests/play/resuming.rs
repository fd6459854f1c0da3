//! Lost streams and how the next one resumes.

use bridgemaster_sdk::v1;
use tonic::Status;
use v1::{play_request, play_response};

use crate::{
    scripted_bot::{BotEvent, finish, next_events, welcomed, with_open_request},
    scripted_server::{HISTORY_ID, SEAT, decision_request, match_result, match_started},
};

#[tokio::test]
async fn a_lost_stream_is_resumed_and_the_open_request_answered_on_the_new_one() {
    let (mut server, playing, control, stream) = with_open_request().await;
    assert_eq!(
        next_events(&control, 2).await,
        [BotEvent::Started(SEAT), BotEvent::Requested(1)]
    );
    stream.fail(Status::unavailable("gone")).await;

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(HISTORY_ID));
    stream.send(2, decision_request(1)).await;
    control.choose(1);
    assert_eq!(stream.decision().await, (1, 1));
    assert_eq!(finish(stream, 3, playing).await, match_result());
    assert_eq!(control.events(), [BotEvent::Ended(7)]);
}

#[tokio::test]
async fn an_answer_on_a_lost_stream_is_sent_again_once() {
    let (mut server, playing, control, mut stream) = with_open_request().await;
    control.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    drop(stream);

    let (_, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(2, decision_request(1)).await;
    stream.send(3, decision_request(2)).await;
    control.choose(0);
    assert_eq!(stream.decision().await, (2, 0));
    finish(stream, 4, playing).await;
    assert_eq!(
        control.events(),
        [
            BotEvent::Started(SEAT),
            BotEvent::Requested(1),
            BotEvent::Requested(2),
            BotEvent::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_bot_that_is_not_resumed_starts_over_without_its_unsent_answer() {
    const ANOTHER: &str = "ffffffffffffffffffffffffffffffff";
    let (mut server, playing, control, mut stream) = welcomed().await;
    stream.send(1, match_started()).await;
    for number in [1, 2] {
        stream.send(1 + number, decision_request(number)).await;
        control.choose(number as usize);
        assert_eq!(stream.decision().await, (number, number));
    }
    drop(stream);

    // For this server the first request is still open and unanswered.
    let (_, mut stream) = server.next_not_resumed(ANOTHER).await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    control.choose(0);
    assert_eq!(stream.decision().await, (1, 0));
    drop(stream);

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(ANOTHER));
    assert_eq!(stream.decision().await, (1, 0), "the new one, again");
    assert_eq!(finish(stream, 3, playing).await, match_result());
    assert_eq!(
        control.events(),
        [
            BotEvent::Started(SEAT),
            BotEvent::Requested(1),
            BotEvent::Requested(2),
            BotEvent::Started(SEAT),
            BotEvent::Requested(1),
            BotEvent::Ended(7)
        ]
    );
}

#[tokio::test]
async fn an_answer_to_a_request_from_before_a_start_over_is_dropped() {
    let (mut server, playing, control, stream) = with_open_request().await;
    assert_eq!(
        next_events(&control, 2).await.last(),
        Some(&BotEvent::Requested(1))
    );
    drop(stream);

    let (_, mut stream) = server.next_not_resumed("another").await;
    stream.send(1, match_started()).await;
    // A different request with the same id.
    stream.send(2, decision_request(1)).await;
    stream
        .send(0, play_response::Message::Ping(v1::Ping { nonce: 9 }))
        .await;
    assert_eq!(
        stream.next().await,
        play_request::Message::Pong(v1::Pong { nonce: 9 })
    );
    control.choose(1);
    control.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    finish(stream, 3, playing).await;
}

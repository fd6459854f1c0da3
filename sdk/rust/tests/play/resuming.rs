//! Streams that are lost, and what a bot does on the next one.

use bridgemaster_sdk::v1;
use tonic::Status;
use v1::{play_request, play_response};

use crate::{
    puppet::{Heard, asked, played, soon_heard, start},
    scripted_server::{
        HISTORY_ID, SEAT, ScriptedServer, decision_request, match_ended, match_result,
        match_started,
    },
};

#[tokio::test]
async fn a_lost_stream_is_resumed_and_the_open_request_answered_on_the_new_one() {
    let (mut server, playing, strings, stream) = asked().await;
    assert_eq!(
        soon_heard(&strings, 2).await,
        [Heard::Started(SEAT), Heard::Asked(1)]
    );
    stream.fail(Status::unavailable("gone")).await;

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(HISTORY_ID));
    stream.send(2, decision_request(1)).await;
    strings.choose(1);
    assert_eq!(stream.decision().await, (1, 1));
    stream.send(3, match_ended()).await;
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
    assert_eq!(strings.heard(), [Heard::Ended(7)]);
}

#[tokio::test]
async fn an_answer_that_a_lost_stream_may_have_swallowed_is_sent_again_once() {
    let (mut server, playing, strings, mut stream) = asked().await;
    strings.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    drop(stream);

    let (_, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(2, decision_request(1)).await;
    stream.send(3, decision_request(2)).await;
    strings.choose(0);
    assert_eq!(stream.decision().await, (2, 0));
    stream.send(4, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_bot_that_is_not_resumed_begins_anew_without_its_unsent_answer() {
    const ANOTHER: &str = "ffffffffffffffffffffffffffffffff";
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    for number in [1, 2] {
        stream.send(1 + number, decision_request(number)).await;
        strings.choose(number as usize);
        assert_eq!(stream.decision().await, (number, number));
    }
    drop(stream);

    // For this server the first request is still open, and nobody has answered it.
    let (_, mut stream) = server.next_not_resumed(ANOTHER).await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    strings.choose(0);
    assert_eq!(stream.decision().await, (1, 0));
    drop(stream);

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(ANOTHER));
    assert_eq!(stream.decision().await, (1, 0), "the new one, again");
    stream.send(3, match_ended()).await;
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn what_a_bot_thought_about_before_it_began_anew_answers_nothing() {
    let (mut server, playing, strings, stream) = asked().await;
    assert_eq!(soon_heard(&strings, 2).await.last(), Some(&Heard::Asked(1)));
    drop(stream);

    let (_, mut stream) = server.next_not_resumed("another").await;
    stream.send(1, match_started()).await;
    // Of the same number, and another all the same.
    stream.send(2, decision_request(1)).await;
    stream
        .send(0, play_response::Message::Ping(v1::Ping { nonce: 9 }))
        .await;
    assert_eq!(
        stream.next().await,
        play_request::Message::Pong(v1::Pong { nonce: 9 })
    );
    strings.choose(1);
    strings.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(3, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

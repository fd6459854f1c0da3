//! Refusals of the server, and servers that cannot be reached.

use std::{collections::HashMap, time::Duration};

use bridgemaster_sdk::{Advice, Options, PlayError, play};
use tokio::net::{TcpListener, TcpSocket};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    puppet::{options, played, puppet, start},
    scripted_server::{ScriptedServer, match_ended, match_started, soon},
};

#[tokio::test]
async fn a_refusal_is_surfaced_with_its_reason_and_not_tried_again() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let mut stream = server.next_stream().await;
    stream.hello().await;
    stream
        .fail(refusal(
            Code::Unauthenticated,
            "TICKET_UNKNOWN",
            "no such ticket",
        ))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(error.advice(), Advice::Fix);
    let PlayError::Refused(refusal) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refusal.reason, "TICKET_UNKNOWN");
    assert_eq!(refusal.message, "no such ticket");
}

#[tokio::test]
async fn a_refusal_that_asks_for_another_try_gets_one() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream
        .fail(refusal(
            Code::ResourceExhausted,
            "SLOW_CONSUMER",
            "the queue is full",
        ))
        .await;
    let (hello, stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(1));
    stream.send(2, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_bot_waits_for_a_server_that_starts_after_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (bot, _strings) = puppet();
    let playing = tokio::spawn(play(bot, options(&url)));
    let (first_attempt, _) = soon("a first attempt", listener.accept()).await.unwrap();
    drop(first_attempt);
    let mut server = ScriptedServer::start_on(listener);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable_after_the_time_for_connecting() {
    // Bound, so that nobody else gets the port, and not listening.
    let unheard = TcpSocket::new_v4().unwrap();
    unheard.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", unheard.local_addr().unwrap());
    let (bot, _strings) = puppet();
    let options = Options {
        connect_for: Duration::from_millis(50),
        ..options(&url)
    };
    let error = played(tokio::spawn(play(bot, options))).await.unwrap_err();
    assert!(matches!(error, PlayError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.advice(), Advice::Retry);
}

#[tokio::test]
async fn a_server_that_does_not_come_back_is_lost_after_the_time_for_resuming() {
    let mut server = ScriptedServer::start().await;
    let (bot, _strings) = puppet();
    let options = Options {
        reconnect_for: Duration::from_millis(50),
        ..options(&server.url)
    };
    let playing = tokio::spawn(play(bot, options));
    let (_, stream) = server.next_welcomed().await;
    server.stop();
    drop(stream);
    let error = played(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Lost { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_is_revoked_during_the_match_ends_play_with_that_reason() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream
        .fail(refusal(Code::Unauthenticated, "KEY_REVOKED", "revoked"))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("KEY_REVOKED", Advice::Fix));
}

#[tokio::test]
async fn a_server_that_stops_and_does_not_come_back_is_told_by_its_reason() {
    let mut server = ScriptedServer::start().await;
    let (bot, _strings) = puppet();
    let options = Options {
        reconnect_for: Duration::ZERO,
        ..options(&server.url)
    };
    let playing = tokio::spawn(play(bot, options));
    let (_, stream) = server.next_welcomed().await;
    stream
        .fail(refusal(Code::Unavailable, "SERVER_STOPPING", "until later"))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("SERVER_STOPPING", Advice::Retry));
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_before_dialling() {
    let (bot, _strings) = puppet();
    let error = play(bot, options("not an address")).await.unwrap_err();
    assert!(matches!(error, PlayError::Options(_)), "{error:?}");
}

/// The reason of the server, and what to do.
fn reason(error: &PlayError) -> (&str, Advice) {
    let PlayError::Refused(refusal) = error else {
        panic!("{error:?}")
    };
    (&refusal.reason, error.advice())
}

fn refusal(code: Code, reason: &str, message: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, "bridgemaster", HashMap::new());
    Status::with_error_details(code, message, details)
}

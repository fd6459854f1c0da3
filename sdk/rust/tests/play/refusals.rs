//! Refusals of the server, and servers that cannot be reached.

use std::{collections::HashMap, time::Duration};

use bridgemaster_sdk::{Advice, Options, PlayError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket},
};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    scripted_bot::{finish, options, outcome, start, start_with, welcomed},
    scripted_server::{ScriptedServer, ServerStream, match_started, within_timeout},
};

#[tokio::test]
async fn a_refusal_is_returned_with_its_reason_and_not_retried() {
    let mut server = ScriptedServer::start().await;
    let (playing, _control) = start(&server);
    let mut stream = server.next_stream().await;
    stream.hello().await;
    refuse(stream, Code::Unauthenticated, "TICKET_UNKNOWN", "no such ticket").await;
    let error = outcome(playing).await.unwrap_err();
    assert_eq!(error.advice(), Advice::Fix);
    let PlayError::Refused(refusal) = error else { panic!("{error:?}") };
    assert_eq!(refusal.reason, "TICKET_UNKNOWN");
    assert_eq!(refusal.message, "no such ticket");
}

#[tokio::test]
async fn a_refusal_with_the_advice_retry_is_retried() {
    let (mut server, playing, _control, stream) = welcomed().await;
    stream.send(1, match_started()).await;
    refuse(stream, Code::ResourceExhausted, "SLOW_CONSUMER", "the queue is full").await;
    let (hello, stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(1));
    finish(stream, 2, playing).await;
}

#[tokio::test]
async fn a_bot_waits_for_a_server_that_starts_after_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (playing, _control) = start_with(options(&url));
    let attempt = within_timeout("a first attempt", listener.accept()).await;
    drop(attempt.unwrap());
    let mut server = ScriptedServer::start_on(listener);
    let (_, stream) = server.next_welcomed().await;
    finish(stream, 1, playing).await;
}

#[tokio::test]
async fn an_absent_server_is_unreachable_after_connect_for() {
    // Bound, so that no other process gets the port, but not listening.
    let unused = TcpSocket::new_v4().unwrap();
    unused.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", unused.local_addr().unwrap());
    let (playing, _control) =
        start_with(Options { connect_for: Duration::from_millis(50), ..options(&url) });
    let error = outcome(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.advice(), Advice::Retry);
}

#[tokio::test]
async fn a_server_that_stays_away_is_lost_after_reconnect_for() {
    let mut server = ScriptedServer::start().await;
    let (playing, _control) =
        start_with(Options { reconnect_for: Duration::from_millis(50), ..options(&server.url) });
    let (_, stream) = server.next_welcomed().await;
    server.stop();
    drop(stream);
    let error = outcome(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Lost { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_is_revoked_during_the_match_ends_play_with_that_reason() {
    let (_server, playing, _control, stream) = welcomed().await;
    refuse(stream, Code::Unauthenticated, "KEY_REVOKED", "revoked").await;
    let error = outcome(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("KEY_REVOKED", Advice::Fix));
}

#[tokio::test]
async fn a_server_that_stops_for_good_ends_play_with_its_reason() {
    let mut server = ScriptedServer::start().await;
    let (playing, _control) =
        start_with(Options { reconnect_for: Duration::ZERO, ..options(&server.url) });
    let (_, stream) = server.next_welcomed().await;
    refuse(stream, Code::Unavailable, "SERVER_STOPPING", "until later").await;
    let error = outcome(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("SERVER_STOPPING", Advice::Retry));
}

#[tokio::test]
async fn an_address_without_tls_of_a_server_with_tls_is_named_and_not_retried() {
    for answer in [&b"\x15\x03\x03\x00\x02\x02\x32"[..], b"HTTP/1.1 400 use HTTPS"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 64]).await;
                let _ = stream.write_all(answer).await;
            }
        });
        let (playing, _control) = start_with(options(&url));
        let error = outcome(playing).await.unwrap_err();
        assert!(matches!(error, PlayError::Tls { .. }), "{error:?}");
        assert!(error.to_string().contains("BRIDGEMASTER_CA"), "{error}");
    }
}

#[tokio::test]
async fn an_invalid_address_is_refused_before_connecting() {
    let (playing, _control) = start_with(options("not an address"));
    let error = outcome(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Options(_)), "{error:?}");
}

/// Returns the reason and the advice of a refusal.
fn reason(error: &PlayError) -> (&str, Advice) {
    let PlayError::Refused(refusal) = error else { panic!("{error:?}") };
    (&refusal.reason, error.advice())
}

async fn refuse(stream: ServerStream, code: Code, reason: &str, message: &str) {
    let details = ErrorDetails::with_error_info(reason, "bridgemaster", HashMap::new());
    let status = Status::with_error_details(code, message, details);
    stream.fail(status).await;
}

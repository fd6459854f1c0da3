//! A server that is asked to stop by a signal.

use std::net::TcpStream;

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{CreateMatchRequest, MatchState};
use tonic_types::StatusExt as _;

use crate::served::Served;

/// Far beyond any patience: whoever waits for it fails.
const LONG_DRAIN: &[&str] = &["--drain-time", "3600"];

#[test]
fn a_server_without_matches_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start("127.0.0.1:0", folder.path(), LONG_DRAIN);
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
}

#[tokio::test]
async fn a_draining_server_makes_no_match_and_a_second_signal_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start("127.0.0.1:0", folder.path(), LONG_DRAIN);
    let (match_id, _) = server.create(GAME_IDS[0], "drained").await;
    let mut matches = server.matches().await;
    server.signal("-TERM");
    // A connection from before goes on; until the signal is heard the config is what is refused.
    let refused = loop {
        let refused = matches.create_match(CreateMatchRequest::default()).await;
        let reason = refused
            .unwrap_err()
            .get_details_error_info()
            .unwrap()
            .reason;
        if reason != "INVALID_FIELD" {
            break reason;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refused, "SERVER_STOPPING");
    drop(matches);
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));

    let server = Served::start("127.0.0.1:0", folder.path(), &[]);
    let listed = server.all_matches().await;
    assert_eq!(listed.len(), 1, "it is parked");
    assert_eq!(listed[0].match_id, match_id);
    assert_eq!(listed[0].state(), MatchState::Waiting);
}

#[tokio::test]
async fn a_silent_peer_does_not_keep_a_server_alive() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start("127.0.0.1:0", folder.path(), &["--drain-time", "0"]);
    server.create(GAME_IDS[0], "silent").await;
    let _silent = TcpStream::connect(server.address()).unwrap();
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
}

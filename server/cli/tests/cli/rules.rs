//! `serve rules`: a rules server on the local machine.

#![cfg(unix)]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::{fs::PermissionsExt as _, net::UnixListener},
    process::Stdio,
};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{GetOutcomeRequest, MatchConfig, RulesPosition, rules_service_client::RulesServiceClient},
};
use tonic::transport::Endpoint;

use crate::{
    program::{bridgemaster, run, signal, words},
    served_match::Served,
};

/// Asks for the outcome of the beginning of a match: which seats decide.
async fn seats_to_decide(address: &str) -> Vec<u32> {
    let channel = Endpoint::from_shared(address.to_owned()).unwrap();
    let channel = channel.connect().await.unwrap();
    let config = MatchConfig {
        game: with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default())),
        seats: 2,
        ..MatchConfig::default()
    };
    let position = RulesPosition {
        config: Some(config),
        sample_seed: "beginning".to_owned(),
        ..RulesPosition::default()
    };
    let request = GetOutcomeRequest {
        position: Some(position),
    };
    let response = RulesServiceClient::new(channel).get_outcome(request).await;
    response
        .unwrap()
        .into_inner()
        .status
        .unwrap()
        .seats_to_decide
}

#[tokio::test]
async fn rules_answers_at_the_address_that_it_prints() {
    let process = bridgemaster(words("serve rules --listen 127.0.0.1:0 --threads 1"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let served = Served::of(process);
    assert!(!seats_to_decide(&served.url).await.is_empty());
}

#[tokio::test]
async fn rules_answers_at_a_socket_of_its_user_alone_and_replaces_one_that_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.sock");
    // The file of a socket outlives its program.
    drop(UnixListener::bind(&path).unwrap());
    let text = path.to_str().unwrap();
    let mut process = bridgemaster(["serve", "rules", "--socket", text])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(process.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert!(
        line.starts_with(&format!("rules at unix:{text} ")),
        "{line}"
    );
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let second = run(["serve", "rules", "--socket", text]);
    assert_eq!(second.code, Some(1), "{}", second.err);
    assert!(second.err.contains("--socket"), "{}", second.err);
    assert!(!seats_to_decide(&format!("unix:{text}")).await.is_empty());
    assert!(signal("-INT", process.id()));
    assert!(process.wait().unwrap().success());
    assert!(!path.exists());
}

#[test]
fn rules_takes_no_file_for_its_socket_and_no_address_that_others_reach() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "kept").unwrap();
    let ran = run(["serve", "rules", "--socket", path.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    let ran = run(["serve", "rules", "--listen", "0.0.0.0:0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("serve --rules"), "{}", ran.err);
}

//! Tests `serve rules`: a rules server on the local machine.

use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, net::UnixListener},
};

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{
    ClockRules, GetOutcomeRequest, RulesPosition, rules_service_client::RulesServiceClient,
};

use crate::kit::{
    calls::{config, connected},
    program::{Background, bridgemaster, refused, run},
    served::Served,
};

/// Requests the position at the start of a match, and returns the seats that owe a decision.
async fn seats_to_decide(address: &str) -> Vec<u32> {
    let position = RulesPosition {
        config: Some(config(GAME_IDS[0], 2, ClockRules::default())),
        sample_seed: "beginning".to_owned(),
        ..RulesPosition::default()
    };
    let position = Some(position);
    let mut rules = RulesServiceClient::new(connected(address).await);
    let outcome = rules.get_outcome(GetOutcomeRequest { position }).await;
    outcome.unwrap().into_inner().status.unwrap().seats_to_decide
}

#[tokio::test]
async fn serve_rules_answers_at_the_printed_address() {
    let mut serve = bridgemaster("serve rules --listen 127.0.0.1:0 --threads 1");
    let served = Served::by(&mut serve);
    assert!(!seats_to_decide(&served.url).await.is_empty());
}

#[tokio::test]
async fn serve_rules_answers_at_a_private_socket_and_replaces_an_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.sock");
    // The file of a socket remains after the program has ended.
    drop(UnixListener::bind(&path).unwrap());
    let text = path.to_str().unwrap();
    let mut rules = Background::start(format!("serve rules --socket {text}"));
    let line = rules.line("");
    assert!(line.starts_with(&format!("rules at unix:{text} ")), "{line}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    run(format!("serve rules --socket {text}")).fails(1, &["--socket"]);
    assert!(!seats_to_decide(&format!("unix:{text}")).await.is_empty());
    rules.signal("-INT");
    rules.ended().exits(0);
    assert!(!path.exists());
}

#[test]
fn serve_rules_refuses_an_existing_file_and_a_public_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "kept").unwrap();
    run(format!("serve rules --socket {}", path.display())).exits(1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    refused("serve rules --listen 0.0.0.0:0", &["serve --rules"]);
}

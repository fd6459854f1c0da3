//! Tests that a new match is created on a server with free slots.

use std::fs;

use serde_json::Value;

use crate::{
    kit::{
        calls::{PATIENT_CLOCK, reason},
        program::{assert_has, succeed},
        served::Served,
    },
    nodes::{node, nodes, shown, until},
    postgres_server::PostgresServer,
};

/// Returns the status of all nodes, once they have measured their load.
async fn until_all_tell_their_load(database: &str) -> Vec<Value> {
    let is_told = |node: &Value| {
        let has_load = node["load_percent"].is_u64() == cfg!(target_os = "linux");
        has_load && node["slots"] != 0
    };
    let ask = async || Some(nodes(database)).filter(|nodes| nodes.iter().all(is_told));
    until("all nodes report their load", ask).await
}

/// Starts two servers with this many slots each.
async fn two_with_slots(slots: usize) -> (String, Served, Served) {
    let database = PostgresServer::shared().fresh();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("slots.toml");
    fs::write(&config, format!("[limits]\nopen_matches = {slots}\n")).unwrap();
    let flags = format!("--config {}", config.display());
    // Each server has read the status when it answers.
    let (one, two) = (node(&database, "one", &flags), node(&database, "two", &flags));
    until_all_tell_their_load(&database).await;
    (database, one, two)
}

/// Waits until the two servers have reported these numbers of matches to the database.
async fn until_they_play(database: &str, expected: [u64; 2]) {
    let ask = async || {
        let nodes = nodes(database).into_iter();
        let matches: Vec<_> = nodes.map(|node| node["matches"].as_u64()).collect();
        (matches == expected.map(Some)).then_some(())
    };
    until("the servers report these numbers of matches", ask).await;
}

pub(crate) async fn a_busy_server_creates_a_new_match_on_a_server_with_free_slots() {
    let (database, one, two) = two_with_slots(10).await;
    // Only when the tenth match is created does the server have nine of its ten slots in use.
    for number in 0..10 {
        one.create("alhambra", &number.to_string()).await;
    }
    if !cfg!(target_os = "linux") {
        // If the load cannot be measured, no server counts as busy.
        return until_they_play(&database, [10, 0]).await;
    }
    until_they_play(&database, [9, 1]).await;
    for number in 0..8 {
        two.create("alhambra", &number.to_string()).await;
    }
    until_they_play(&database, [9, 9]).await;
    // If the other server has no more free slots than this one, this one uses its last slot.
    one.create("alhambra", "last").await;
    until_they_play(&database, [10, 9]).await;
}

pub(crate) async fn a_new_match_is_created_on_a_server_with_free_slots() {
    let (database, one, two) = two_with_slots(1).await;
    for expected in [[1, 0], [1, 1]] {
        succeed(format!("match create --game alhambra --server {}", one.url));
        until_they_play(&database, expected).await;
    }
    // Now no server has a free slot.
    for server in [&one, &two] {
        let refused = server.create_with("alhambra", "a", PATIENT_CLOCK).await;
        assert_eq!(reason(&refused.unwrap_err()), "LIMIT_REACHED");
    }
    for node in until_all_tell_their_load(&database).await {
        assert!(node["slots"] == 1 && node["matches"] == 1, "{node}");
        assert!(node["lag_ms"].is_u64(), "{node}");
    }
    assert_has(&shown(&database), &["slots", "load", "lag", " ms"]);
}

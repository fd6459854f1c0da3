//! A new match is made where room is.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;
use tokio::time::{sleep, timeout};
use tonic_types::StatusExt as _;

use crate::{
    nodes::{LOOK_AGAIN, free_address, node, shown},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served},
};

/// Returns the status of all nodes, once they have measured their load.
async fn until_all_tell_their_load(database: &str) -> Vec<Value> {
    let reported = async {
        loop {
            let json: Value = serde_json::from_str(&shown(database, &["--json"])).unwrap();
            let nodes = json["nodes"].as_array().unwrap();
            let is_told = |node: &Value| node["load_percent"].is_u64() == cfg!(target_os = "linux");
            let have_slots = nodes.iter().all(|node| node["slots"] != 0);
            if have_slots && nodes.iter().all(is_told) {
                return nodes.clone();
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, reported)
        .await
        .expect("all nodes report their load")
}

/// Two servers that have so many slots.
fn two_with_slots(slots: usize) -> (String, Served, Served) {
    let database = PostgresServer::shared().fresh();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("slots.toml");
    fs::write(&config, format!("[limits]\nopen_matches = {slots}\n")).unwrap();
    let flags = ["--config", config.to_str().unwrap()];
    // Each has read it when it answers.
    let one = node(&database, "one", &free_address(), &flags);
    let two = node(&database, "two", &free_address(), &flags);
    (database, one, two)
}

/// Waits until the two servers have told the database that they play so many matches.
async fn until_they_play(database: &str, expected: [u64; 2]) {
    let told = async {
        loop {
            let json: Value = serde_json::from_str(&shown(database, &["--json"])).unwrap();
            let nodes = json["nodes"].as_array().unwrap().iter();
            let matches: Vec<_> = nodes.map(|node| node["matches"].as_u64()).collect();
            if matches == expected.map(Some) {
                return;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, told).await.expect("they play so many");
}

pub(crate) async fn a_busy_server_has_a_new_match_made_where_plenty_of_room_is() {
    let (database, one, two) = two_with_slots(10);
    until_all_tell_their_load(&database).await;
    // Nine of ten are in play when the next is asked for, and not before.
    for number in 0..9 {
        one.create("alhambra", &number.to_string()).await;
    }
    one.create("alhambra", "next").await;
    if !cfg!(target_os = "linux") {
        // No server is spared where none can measure its load.
        return until_they_play(&database, [10, 0]).await;
    }
    until_they_play(&database, [9, 1]).await;
    for number in 0..8 {
        two.create("alhambra", &number.to_string()).await;
    }
    until_they_play(&database, [9, 9]).await;
    // Where the other has no more room than this one, the last slot is used.
    one.create("alhambra", "last").await;
    until_they_play(&database, [10, 9]).await;
}

/// Makes a match with the program.
fn make_with_program(server: &Served) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    let create = [
        "match",
        "create",
        "--game",
        "alhambra",
        "--server",
        &*server.url,
    ];
    command.args(create).output().unwrap()
}

pub(crate) async fn a_new_match_is_made_where_room_is() {
    let (database, one, two) = two_with_slots(1);
    until_all_tell_their_load(&database).await;
    for expected in [[1, 0], [1, 1]] {
        let made = make_with_program(&one);
        assert!(made.status.success(), "{made:?}");
        until_they_play(&database, expected).await;
    }
    // Now nobody has room.
    for server in [&one, &two] {
        let refused = server.try_create("alhambra", "a").await.unwrap_err();
        let reason = refused.get_details_error_info().map(|info| info.reason);
        assert_eq!(reason.as_deref(), Some("LIMIT_REACHED"));
    }
    for node in until_all_tell_their_load(&database).await {
        let (slots, matches) = (&node["slots"], &node["matches"]);
        assert_eq!((slots, matches), (&1.into(), &1.into()), "{node}");
        assert!(node["lag_ms"].is_u64(), "{node}");
    }
    let table = shown(&database, &[]);
    for expected in ["slots", "load", "lag", " ms"] {
        assert!(table.contains(expected), "{expected} is not in {table}");
    }
}

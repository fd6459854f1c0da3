//! A new match is made where room is.

use std::{fs, process::Command};

use serde_json::Value;
use tokio::time::{sleep, timeout};
use tonic::Status;
use tonic_types::StatusExt as _;

use crate::{
    nodes::{LOOK_AGAIN, address, free_address, moved_to, node, shown},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served},
};

/// Waits until a server refuses to make a match, for a reason that is expected.
async fn refuses(server: &Served, is_expected: impl Fn(&Status) -> bool) {
    let refused = async {
        loop {
            let refused = server.try_create("alhambra", "a").await.unwrap_err();
            if is_expected(&refused) {
                return;
            }
            // What it knows of the others is a moment old.
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, refused).await.expect("it is refused so");
}

fn reason(refused: &Status) -> Option<String> {
    Some(refused.get_details_error_info()?.reason)
}

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

pub(crate) async fn a_busy_server_sends_a_new_match_to_one_that_has_plenty_of_room() {
    let (database, one, two) = two_with_slots(10);
    until_all_tell_their_load(&database).await;
    // Nine of ten are in play when the next is asked for, and not before.
    for number in 0..9 {
        one.create("alhambra", &number.to_string()).await;
    }
    let next = one.try_create("alhambra", "next").await;
    if !cfg!(target_os = "linux") {
        next.expect("no server is spared where none can measure its load");
        return;
    }
    assert_eq!(moved_to(&next.unwrap_err()), Some(address(&two)));
    for number in 0..9 {
        two.create("alhambra", &number.to_string()).await;
    }
    // Where the other has no more room than this one, the last slot is used.
    let made = async {
        while let Err(refused) = one.try_create("alhambra", "next").await {
            assert_eq!(moved_to(&refused), Some(address(&two)));
            // What it knows of the other is a moment old.
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, made).await.expect("it is made here");
}

pub(crate) async fn a_new_match_is_made_where_room_is() {
    let (database, one, two) = two_with_slots(1);
    one.create("alhambra", "a").await;
    let is_sent_to_two = |refused: &Status| match reason(refused).as_deref() {
        Some("MOVED") => moved_to(refused) == Some(address(&two)),
        _ => false,
    };
    refuses(&one, is_sent_to_two).await;
    // The program goes where it is sent.
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    let create = [
        "match", "create", "--game", "alhambra", "--server", &*one.url,
    ];
    let made = command.args(create).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    // Now nobody has room.
    for server in [&one, &two] {
        refuses(server, |refused| {
            reason(refused).as_deref() == Some("LIMIT_REACHED")
        })
        .await;
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

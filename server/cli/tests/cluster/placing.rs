//! A new match is made where room is.

use std::{fs, process::Command};

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

pub(crate) async fn a_new_match_is_made_where_room_is() {
    let database = PostgresServer::shared().fresh();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("one-place.toml");
    fs::write(&config, "[limits]\nopen_matches = 1\n").unwrap();
    let flags = ["--config", config.to_str().unwrap()];
    let one = node(&database, "one", &free_address(), &flags);
    let two = node(&database, "two", &free_address(), &flags);
    one.create("alhambra", "a").await;
    let is_sent_to_two = |refused: &Status| match reason(refused).as_deref() {
        Some("MOVED") => moved_to(refused) == Some(address(&two)),
        _ => false,
    };
    refuses(&one, is_sent_to_two).await;
    // The program goes where it is sent.
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    let create = ["create", "--game", "alhambra", "--server", &*one.url];
    let made = command.args(create).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    // Now nobody has room.
    for server in [&one, &two] {
        refuses(server, |refused| {
            reason(refused).as_deref() == Some("LIMIT_REACHED")
        })
        .await;
    }
    let told: serde_json::Value = serde_json::from_str(&shown(&database, &["--json"])).unwrap();
    for node in told["nodes"].as_array().unwrap() {
        let (slots, matches) = (&node["slots"], &node["matches"]);
        assert_eq!((slots, matches), (&1.into(), &1.into()), "{node}");
        assert!(node["lag_ms"].is_u64(), "{node}");
        assert_eq!(node["load_percent"].is_u64(), cfg!(target_os = "linux"));
    }
    let table = shown(&database, &[]);
    for told in ["slots", "load", "lag", " ms"] {
        assert!(table.contains(told), "{told} is not in {table}");
    }
}

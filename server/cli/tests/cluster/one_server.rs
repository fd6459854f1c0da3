//! Tests one server without a name, with a database instead of a data folder.

use serde_json::Value;

use crate::{
    kit::{
        program::{Ran, assert_has, bridgemaster, quoted, succeed},
        served::Served,
    },
    postgres_server::PostgresServer,
};

pub(crate) async fn a_database_without_a_node_name_belongs_to_the_newest_server() {
    let store = format!("--store {}", quoted(&PostgresServer::shared().fresh()));
    let key = succeed(format!("key add referee --scope create --scope read {store}"));
    let start = || Served::start(format!("--no-page --require-keys {store}"));
    let call = |server: &Served, words: &str| {
        let mut command = bridgemaster(format!("match {words} --server {}", server.url));
        let output = command.env("BRIDGEMASTER_KEY", key.trim()).output();
        Ran::from(output.unwrap())
    };
    let first = start();
    let created = call(&first, "create --seats 2 --json").exits(0).out;
    let created: Value = serde_json::from_str(&created).unwrap();
    let match_id = created["match"]["matchId"].as_str().unwrap();
    first.kill();

    let second = start();
    assert_has(&call(&second, "list --json").out, &[match_id]);
    let third = start();
    assert_ne!(call(&second, "create --seats 2").code, Some(0));
    let ended = second.ended();
    assert_ne!(ended.code, Some(0));
    assert_has(&ended.err, &["taken over by another server"]);
    let listed = call(&third, "list --json").out;
    assert_eq!(listed.matches(match_id).count(), 1, "{listed}");
}

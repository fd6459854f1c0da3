//! Servers that share a database.

use std::{
    fmt::Display,
    net::TcpListener,
    process::{self, Command},
    sync::atomic::{AtomicU32, Ordering},
};

use bridgemaster_proto::v1::{ListLaddersRequest, ladder_service_client::LadderServiceClient};
use serde_json::Value;
use tokio::time::{Duration, sleep, timeout};
use tonic::Status;

use crate::{
    kit::{
        program::{PATIENCE, all_refused, assert_has, bridgemaster, quoted, run, succeed},
        served::Served,
    },
    postgres_server::PostgresServer,
};

/// Interval at which a condition is polled that takes seconds to hold.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Three servers over one database.
pub(crate) struct Cluster {
    pub(crate) database: String,
    /// The leader.
    pub(crate) one: Served,
    pub(crate) two: Served,
    pub(crate) three: Served,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let database = PostgresServer::shared().fresh();
        let start = |name| node(&database, name, "");
        Self { one: start("one"), two: start("two"), three: start("three"), database }
    }
}

/// Starts two servers with one database; the first one leads.
pub(crate) fn two_servers() -> (Served, Served) {
    let database = PostgresServer::shared().fresh();
    (node(&database, "one", ""), node(&database, "two", ""))
}

/// Returns an address on which nothing listens. Needed because the address of a server must be
/// known before it starts.
fn free_address() -> String {
    /// The first port to use. The system itself assigns ports from 32,768 on.
    const FIRST_PORT: u32 = 20_000;
    const PORTS: u32 = 12_000;
    static CALLS: AtomicU32 = AtomicU32::new(0);
    loop {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let port = FIRST_PORT + process::id().wrapping_mul(97).wrapping_add(call) % PORTS;
        let address = format!("127.0.0.1:{port}");
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

/// Starts a server of this name at a free address. It must start successfully.
pub(crate) fn node(database: &str, name: &str, more: &str) -> Served {
    node_at(database, name, &free_address(), more)
}

/// Starts a server of this name at this address. It must start successfully. It also logs its own
/// events.
pub(crate) fn node_at(database: &str, name: &str, address: &str, more: &str) -> Served {
    let log = "warn,bridgemaster_server::server=info,bridgemaster_live=info";
    Served::by(serve(database, name, address, more).env("RUST_LOG", log))
}

fn serve(database: &str, name: &str, address: &str, more: &str) -> Command {
    let store = format!("--store {} --node {name}", quoted(database));
    let at = format!("--listen {address} --node-address {address}");
    bridgemaster(format!("serve --no-page --drain-time 0 {store} {at} {more}"))
}

/// Waits until a call returns a value.
pub(crate) async fn until<T>(what: impl Display, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    let found = timeout(PATIENCE, found).await;
    found.unwrap_or_else(|_| panic!("{what} did not happen"))
}

/// Returns the output of `bridgemaster cluster nodes` for a database.
pub(crate) fn shown(database: &str) -> String {
    succeed(format!("cluster nodes --store {}", quoted(database)))
}

/// Returns the nodes from the JSON output of `bridgemaster cluster nodes`.
pub(crate) fn nodes(database: &str) -> Vec<Value> {
    let json = succeed(format!("cluster nodes --json --store {}", quoted(database)));
    let json: Value = serde_json::from_str(&json).unwrap();
    json["nodes"].as_array().unwrap().clone()
}

pub(crate) async fn the_nodes_are_shown_as_a_table_and_for_programs() {
    let Cluster { database, one, two, .. } = Cluster::start();
    two.create("alhambra", "a").await;
    // A server logs its number of matches when it stops.
    two.stop();
    let table = shown(&database);
    assert_has(&table, &["one", "two", "three", "leader", "gone", &one.address()]);
    let nodes = nodes(&database);
    let named = |name| nodes.iter().find(|node| node["name"] == name).unwrap();
    assert_eq!(nodes.len(), 3);
    let one = named("one");
    assert!(one["leads"] == true && one["is_live"] == true, "{one}");
    // No calls are forwarded there any more.
    let two = named("two");
    assert!(two["address"] == "" && two["is_live"] == false, "{two}");
    assert!(two["lease_left_ms"].as_i64().unwrap() < 0);
}

pub(crate) async fn a_wrong_address_is_reported_and_a_node_that_ended_is_removed() {
    let database = PostgresServer::shared().fresh();
    let one = node(&database, "one", "--log json");
    let store = format!("--store {} --node two", quoted(&database));
    let at = format!("--listen {} --node-address {}", free_address(), one.address());
    let two = Served::by(&mut bridgemaster(format!("serve --no-page {store} {at}")));
    let wrong = format!("node two cannot be reached at {}: node one answers there", one.address());
    until("the report of the wrong address", async || {
        let nodes = nodes(&database);
        let problems = nodes[0]["problems"].as_array().unwrap().clone();
        problems.iter().any(|one| one.as_str().unwrap().contains(&wrong)).then_some(())
    })
    .await;
    assert_has(&shown(&database), &[&wrong]);
    two.stop();
    let remove = |name| format!("cluster remove {name} --store {}", quoted(&database));
    run(remove("one")).fails(1, &["last minute"]);
    run(remove("none")).fails(2, &["no node has the name"]);
    succeed(remove("two"));
    assert_eq!(nodes(&database).len(), 1);
    let log = one.stop();
    assert_has(&log, &[&wrong]);
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(line["node"], "one", "{line}");
    }
}

pub(crate) async fn ladders(server: &Served) -> Result<usize, Status> {
    let mut ladders = LadderServiceClient::new(server.channel().await);
    let listed = ladders.list_ladders(ListLaddersRequest::default()).await?;
    Ok(listed.into_inner().ladders.len())
}

pub(crate) async fn data_beyond_a_match_is_kept_by_one_server_and_then_by_another() {
    let Cluster { database, one, two, three } = Cluster::start();
    for server in [&one, &two, &three] {
        assert_eq!(ladders(server).await.unwrap(), 0);
    }
    one.kill();
    for server in [&two, &three] {
        until("another one leads", async || ladders(server).await.ok()).await;
    }
    let mut nodes = nodes(&database);
    nodes.retain(|node| node["leads"] == true);
    assert!(nodes.len() == 1 && nodes[0]["name"] != "one", "{nodes:?}");
}

pub(crate) async fn flags_that_a_cluster_does_not_support_are_refused() {
    let named = "serve --node one --node-address 127.0.0.1:1";
    let quick = format!("{named} --store postgres://localhost/x --durability process");
    all_refused(&[
        (named, &["--store URL"]),
        (&quick, &["--durability process"]),
        ("serve --node one", &["--node-address"]),
        ("serve --node one --node-address http://one:1", &["HOST:PORT"]),
    ]);
}

//! Servers that share a database.

use std::{
    net::TcpListener,
    process::{self, Output},
    sync::atomic::{AtomicU32, Ordering},
};

use bridgemaster_proto::v1::{ListLaddersRequest, ladder_service_client::LadderServiceClient};
use tokio::time::{Duration, sleep, timeout};
use tonic::{Status, transport::Channel};

use crate::{
    postgres_server::PostgresServer,
    served::{PATIENCE, Served, serve},
};

/// Pause between two looks at something that takes seconds.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Three servers over one database.
pub(crate) struct Cluster {
    pub(crate) database: String,
    /// It leads.
    pub(crate) one: Served,
    pub(crate) two: Served,
    pub(crate) three: Served,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let database = PostgresServer::shared().fresh();
        let start = |name| node(&database, name, &free_address(), &[]);
        Self {
            one: start("one"),
            two: start("two"),
            three: start("three"),
            database,
        }
    }
}

/// An address that nobody listens on: it has to be known before the server starts.
pub(crate) fn free_address() -> String {
    /// The system gives no port below 32,768 to a connection or a listener that names none.
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

/// A server of this name at this address, which must come up.
pub(crate) fn node(database: &str, name: &str, address: &str, more: &[&str]) -> Served {
    node_that_logs(
        database,
        name,
        address,
        more,
        "bridgemaster_server::server=info",
    )
}

/// Starts a node that also logs its own events, not only warnings. They are so few that the output
/// need not be read while the server runs.
pub(crate) fn node_that_logs(
    database: &str,
    name: &str,
    address: &str,
    more: &[&str],
    log: &str,
) -> Served {
    let flags = ["--listen", address, "--no-page", "--store", database];
    let named = [
        "--node",
        name,
        "--node-address",
        address,
        "--drain-time",
        "0",
    ];
    let flags = flags.iter().chain(&named).chain(more);
    let log = format!("warn,{log}");
    Served::of(serve(flags).env("RUST_LOG", log).spawn().unwrap())
}

pub(crate) fn address(server: &Served) -> String {
    server.address()
}

/// Returns the output of `bridgemaster cluster nodes` for a database.
pub(crate) fn shown(database: &str, more: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    let shown = command
        .args(["cluster", "nodes", "--store", database])
        .args(more);
    let shown = shown.output().unwrap();
    assert!(shown.status.success(), "{shown:?}");
    String::from_utf8(shown.stdout).unwrap()
}

pub(crate) async fn the_nodes_are_shown_as_a_table_and_for_programs() {
    let Cluster {
        database, one, two, ..
    } = Cluster::start();
    two.create("alhambra", "a").await;
    // It tells of its matches when it ends.
    two.signal("-TERM");
    assert_eq!(two.end().status.code(), Some(0));
    let table = shown(&database, &[]);
    for expected in ["one", "two", "three", "leader", "gone", &*address(&one)] {
        assert!(table.contains(expected), "{expected} is not in {table}");
    }
    let json: serde_json::Value = serde_json::from_str(&shown(&database, &["--json"])).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    let named = |name| nodes.iter().find(|node| node["name"] == name).unwrap();
    assert_eq!(nodes.len(), 3);
    assert_eq!(
        (&named("one")["leads"], &named("one")["is_live"]),
        (&true.into(), &true.into())
    );
    // Nothing is forwarded there any more.
    assert_eq!(named("two")["address"], "");
    assert_eq!(named("two")["is_live"], false);
    assert!(named("two")["lease_left_ms"].as_i64().unwrap() < 0);
}

async fn ladders(server: &Served) -> Result<usize, Status> {
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let mut ladders = LadderServiceClient::new(channel.connect().await.unwrap());
    let listed = ladders.list_ladders(ListLaddersRequest::default()).await?;
    Ok(listed.into_inner().ladders.len())
}

pub(crate) async fn what_spans_matches_is_kept_by_one_server_and_then_by_another() {
    let Cluster {
        database,
        one,
        two,
        three,
    } = Cluster::start();
    for server in [&one, &two, &three] {
        assert_eq!(ladders(server).await.unwrap(), 0);
    }
    one.kill();
    let led = async {
        for server in [&two, &three] {
            while ladders(server).await.is_err() {
                sleep(LOOK_AGAIN).await;
            }
        }
    };
    timeout(PATIENCE, led).await.expect("another one leads");
    let json: serde_json::Value = serde_json::from_str(&shown(&database, &["--json"])).unwrap();
    let nodes = json["nodes"].as_array().unwrap().iter();
    let leaders: Vec<_> = nodes.filter(|node| node["leads"] == true).collect();
    assert!(leaders.len() == 1 && leaders[0]["name"] != "one", "{json}");
}

pub(crate) async fn what_a_cluster_cannot_do_is_refused() {
    let refused = |flags: &[&str]| {
        let ended: Output = serve(flags).output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{flags:?}");
        String::from_utf8(ended.stderr).unwrap()
    };
    let named = ["--node", "one", "--node-address", "127.0.0.1:1"];
    let without_database = refused(&named);
    assert!(
        without_database.contains("--store URL"),
        "{without_database}"
    );
    let store = [
        "--store",
        "postgres://localhost/x",
        "--durability",
        "process",
    ];
    let quick = refused(&[&named[..], &store[..]].concat());
    assert!(quick.contains("--durability process"), "{quick}");
    let half = refused(&["--node", "one"]);
    assert!(half.contains("--node-address"), "{half}");
    let wrong = refused(&["--node", "one", "--node-address", "http://one:1"]);
    assert!(wrong.contains("HOST:PORT"), "{wrong}");
}

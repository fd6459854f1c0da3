//! Nodes that lose their database session. A crash of the node ends its lease early; the loss of
//! the session alone does not.

use std::time::{Duration, Instant};

use bridgemaster_store::{
    CrashedNode, NodeStatus, Nodes as _, PostgresStore, Store as _,
    limits::{SESSION_CHECK_INTERVAL, SESSION_LOSS_TIMEOUT},
};
use tokio::time::{sleep, timeout};

use crate::{
    fence::{append, id, open},
    nodes::{journal_of, node, none_is_leader_only, take_over},
    postgres_server::PostgresServer,
};

/// Maximum time of a takeover: far below the rest of the lease, for which another node would
/// otherwise have to wait.
const MAX_TAKEOVER_TIME: Duration = Duration::from_secs(4);

async fn renew(node: &PostgresStore) {
    node.renew_lease(NodeStatus::default()).await.unwrap();
}

/// Loses the session that has ended, and renews the lease on another one, as a live node does.
async fn reconnect(node: &PostgresStore) {
    node.check_session().await.unwrap_err();
    renew(node).await;
}

/// Observes the other nodes until one counts as crashed.
async fn find_crashed(observer: &PostgresStore) -> Vec<CrashedNode> {
    let finding = async {
        loop {
            let crashed = observer.check_session().await.unwrap();
            if !crashed.is_empty() {
                return crashed;
            }
            sleep(SESSION_CHECK_INTERVAL).await;
        }
    };
    timeout(MAX_TAKEOVER_TIME, finding).await.expect("no node counts as crashed")
}

/// Checks that no node counts as crashed for longer than it would take.
async fn assert_none_crashes(observer: &PostgresStore) {
    let started_at = Instant::now();
    while started_at.elapsed() < SESSION_LOSS_TIMEOUT + 2 * SESSION_CHECK_INTERVAL {
        assert_eq!(observer.check_session().await.unwrap(), []);
        sleep(SESSION_CHECK_INTERVAL).await;
    }
}

/// The first node, with the match `a`, and the processes of its sessions; and a second node that
/// has seen its session.
struct Pair {
    one: PostgresStore,
    sessions_of_one: String,
    two: PostgresStore,
    url: String,
}

async fn pair(server: &PostgresServer) -> Pair {
    let (url, database) = server.fresh_database();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    renew(&one).await;
    let sessions_of_one = server.run(&format!(
        "SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE datname = '{database}'"
    ));
    let two = node(&url, "two").await;
    renew(&two).await;
    assert_eq!(two.check_session().await.unwrap(), []);
    Pair { one, sessions_of_one, two, url }
}

fn terminate(server: &PostgresServer, condition: &str) {
    server.run(&format!(
        "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND {condition}"
    ));
}

pub(crate) async fn matches_of_a_crashed_node_continue_on_another_within_seconds() {
    let server = PostgresServer::shared();
    let Pair { one, two, url, .. } = pair(server).await;
    let three = node(&url, "three").await;
    renew(&three).await;
    assert_eq!(three.check_session().await.unwrap(), []);
    let crashed_at = Instant::now();
    drop(one);
    let (crashed, also_crashed) = tokio::join!(find_crashed(&two), find_crashed(&three));
    assert_eq!(crashed, also_crashed);
    let [crashed] = &*crashed else { panic!("{crashed:?}") };
    assert_eq!(crashed.name.as_str(), "one");
    // Both nodes try to end the lease; it is ended once.
    let ended = tokio::join!(two.end_lease(crashed), three.end_lease(crashed));
    assert!(ended.0.unwrap() != ended.1.unwrap());
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a")]);
    let took = crashed_at.elapsed();
    assert!(took >= SESSION_LOSS_TIMEOUT && took < MAX_TAKEOVER_TIME, "{took:?}");
    two.commit(vec![append("a", 1)]).await.unwrap();
    assert_eq!(journal_of(&two, "a").await.len(), 2);
}

pub(crate) async fn terminated_sessions_end_no_lease_of_a_live_node() {
    let server = PostgresServer::start();
    let Pair { one, sessions_of_one, two, .. } = pair(&server).await;
    // A node that is suspended still has its session.
    assert_none_crashes(&two).await;
    terminate(&server, &format!("pid IN ({sessions_of_one})"));
    assert_eq!(two.check_session().await.unwrap(), []);
    reconnect(&one).await;
    assert_none_crashes(&two).await;
    renew(&one).await;
    renew(&two).await;
    terminate(&server, "usename = 'tester'");
    // The second node returns first, and may not conclude anything from the missing session.
    reconnect(&two).await;
    assert_none_crashes(&two).await;
    reconnect(&one).await;
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    one.commit(vec![append("a", 1)]).await.unwrap();
}

pub(crate) async fn a_restart_of_the_database_ends_no_lease() {
    let mut server = PostgresServer::start();
    let Pair { one, two, .. } = pair(&server).await;
    server.stop();
    server.restart();
    reconnect(&two).await;
    assert_none_crashes(&two).await;
    renew(&two).await;
    reconnect(&one).await;
    assert_none_crashes(&two).await;
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    one.commit(vec![append("a", 1)]).await.unwrap();
}

pub(crate) async fn a_node_that_reconnects_late_keeps_its_matches_until_they_are_taken_over() {
    let server = PostgresServer::start();
    let Pair { one, sessions_of_one, two, .. } = pair(&server).await;
    terminate(&server, &format!("pid IN ({sessions_of_one})"));
    let crashed = find_crashed(&two).await;
    reconnect(&one).await;
    assert!(!two.end_lease(&crashed[0]).await.unwrap(), "the node has a session");
    // The node has renewed its lease since, and loses its next session.
    assert_eq!(two.check_session().await.unwrap(), []);
    terminate(&server, "application_name IN (SELECT application_name FROM pg_stat_activity
         JOIN pg_locks USING (pid) WHERE locktype = 'advisory' ORDER BY backend_start DESC LIMIT 1)");
    assert!(!two.end_lease(&crashed[0]).await.unwrap(), "the node has renewed its lease");
    let crashed = find_crashed(&two).await;
    assert!(two.end_lease(&crashed[0]).await.unwrap());
    reconnect(&one).await;
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    one.commit(vec![append("a", 1)]).await.unwrap();
    assert_eq!(journal_of(&one, "a").await.len(), 2);
}

//! Several nodes that share a database.

use bridgemaster_store::{
    Durability, IsLeaderOnly, MatchId, NodeAddress, NodeIdentity, NodeName, NodeStatus, Nodes as _,
    PostgresStore, Store as _, StoreError, StoredNode, Write, limits::MAX_TAKEOVER_MATCHES,
    remove_node, stored_nodes,
};
use tokio::{
    join,
    task::{JoinHandle, yield_now},
};

use crate::{
    fence::{append, finish, id, open},
    postgres_server::PostgresServer,
};

/// Opens a node without renewing its lease.
pub(crate) async fn node(url: &str, name: &str) -> PostgresStore {
    let identity = NodeIdentity {
        name: NodeName::new(name).unwrap(),
        address: Some(NodeAddress::new(format!("{name}.example:50051")).unwrap()),
    };
    let opened = PostgresStore::open_as(url, Durability::Disk, &identity);
    opened.await.unwrap()
}

/// Expires the lease of a node, as if it had been paused.
pub(crate) fn expire_lease(url: &str, name: &str) {
    let schema = url.rsplit('=').next().unwrap();
    PostgresServer::shared().run(&format!(
        "UPDATE {schema}.node SET lease_until = now() - interval '1 second'
         WHERE node_id = '{name}'"
    ));
}

pub(crate) fn rows_of(url: &str, table: &str) -> String {
    let schema = url.rsplit('=').next().unwrap();
    PostgresServer::shared().run(&format!("SELECT count(*) FROM {schema}.{table}"))
}

pub(crate) fn none_is_leader_only(_: &[u8]) -> bool {
    false
}

pub(crate) fn all_are_leader_only(_: &[u8]) -> bool {
    true
}

/// Takes over matches, and returns their ids.
pub(crate) async fn take_over(node: &PostgresStore, is_leader_only: IsLeaderOnly) -> Vec<MatchId> {
    let taken = node.take_over_orphans(is_leader_only).await.unwrap();
    taken.into_iter().map(|open| open.match_id).collect()
}

fn assert_ended<T: std::fmt::Debug>(outcome: Result<T, StoreError>) {
    let refused = outcome.unwrap_err();
    let is_ended = matches!(refused, StoreError::EpochEnded { .. });
    assert!(is_ended, "{refused:?}");
}

pub(crate) async fn journal_of(store: &PostgresStore, match_id: &str) -> Vec<Vec<u8>> {
    let open = store.open_match(&id(match_id)).await.unwrap();
    open.expect("the match is in play here").journal
}

async fn node_of_a(store: &PostgresStore) -> StoredNode {
    let holder = store.node_of(&id("a")).await.unwrap();
    holder.expect("the match is in play").node
}

pub(crate) async fn nodes_write_their_own_matches_concurrently() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    for number in 0..80 {
        if number == 0 {
            one.commit(vec![open("a")]).await.unwrap();
            two.commit(vec![open("b"), open("c")]).await.unwrap();
        }
        let batch = vec![append("b", number), append("c", number)];
        let (first, second) =
            tokio::join!(one.commit(vec![append("a", number)]), two.commit(batch));
        first.unwrap();
        second.unwrap();
    }
    // Leaves node `one` without a match, because a node sweeps only its own journal.
    one.commit(vec![finish("a")]).await.unwrap();
    one.commit(vec![open("d")]).await.unwrap();
    assert_eq!(two.replay(&id("a")).await.unwrap().unwrap(), b"replay of a");
    // A restarted node has its own matches, even though its lease has not expired.
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("d")]);
    assert_eq!(two.open_match_ids().await.unwrap(), [id("b"), id("c")]);
    assert_eq!(journal_of(&two, "c").await.len(), 80);
    assert!(two.open_report().damage_reports.is_empty());
}

pub(crate) async fn matches_of_a_node_without_a_lease_continue_on_another() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), open("b"), open("c")]).await.unwrap();
    for number in 0..70 {
        one.commit(vec![append("a", number), append("b", number)]).await.unwrap();
    }
    let two = node(&url, "two").await;
    assert_eq!(take_over(&two, none_is_leader_only).await, [], "the node has its lease");
    two.commit(vec![open("d"), append("d", 0)]).await.unwrap();

    expire_lease(&url, "one");
    let taken = two.take_over_orphans(none_is_leader_only).await.unwrap();
    let ids: Vec<&MatchId> = taken.iter().map(|open| &open.match_id).collect();
    assert_eq!(ids, [&id("a"), &id("b"), &id("c")]);
    for open in &taken {
        let stored = two.open_match(&open.match_id).await.unwrap();
        assert_eq!(stored.as_ref(), Some(open), "the match is returned as it is stored");
    }
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    assert_eq!(journal_of(&two, "a").await.len(), 70);
    assert_eq!(journal_of(&two, "c").await, [] as [Vec<u8>; 0]);
    two.commit(vec![append("a", 70), append("c", 0), finish("b")]).await.unwrap();
    assert_eq!(journal_of(&two, "a").await[70], b"a 70");
    // The moved matches are complete after a restart, and the old journal is deleted.
    let two = node(&url, "two").await;
    assert!(two.open_report().damage_reports.is_empty());
    let ids = two.open_match_ids().await.unwrap();
    assert_eq!(ids, [id("d"), id("a"), id("c")]);
    let journal = journal_of(&two, "a").await;
    assert_eq!((journal.len(), &journal[69][..]), (71, &b"a 69"[..]));
    two.commit(vec![append("a", 71)]).await.unwrap();
    expire_lease(&url, "two");
    let three = node(&url, "three").await;
    assert_eq!(three.take_over_orphans(none_is_leader_only).await.unwrap().len(), 3);
    assert_eq!(journal_of(&three, "a").await.len(), 72);
    // One batch per node remains, with its assigned numbers.
    assert_eq!(rows_of(&url, "journal"), "4");
}

pub(crate) async fn a_node_that_was_taken_over_changes_nothing() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    expire_lease(&url, "one");
    let two = node(&url, "two").await;
    two.take_over_orphans(none_is_leader_only).await.unwrap();
    assert_ended(one.commit(vec![append("a", 1)]).await);
    assert_ended(one.commit(vec![open("b")]).await);
    assert_ended(one.renew_lease(NodeStatus::default()).await);
    assert_ended(one.acquire_leadership().await);
    let three = node(&url, "three").await;
    three.commit(vec![open("c")]).await.unwrap();
    expire_lease(&url, "three");
    assert_ended(one.take_over_orphans(none_is_leader_only).await);
    two.commit(vec![append("a", 1)]).await.unwrap();
    assert_eq!(journal_of(&two, "a").await, [b"a 0", b"a 1"]);
    one.close().await.unwrap();
    // Closing it changes nothing.
    two.commit(vec![append("a", 2)]).await.unwrap();
    // After a restart it is a node like any other.
    let one = node(&url, "one").await;
    assert_eq!(one.open_match_ids().await.unwrap(), []);
    one.commit(vec![open("b")]).await.unwrap();
}

/// Checks that a commit to the match `a` fails until the lease is renewed. A failed attempt drops
/// its connection.
async fn assert_stored_once_renewed(
    node: &PostgresStore,
    committing: JoinHandle<Result<(), StoreError>>,
    is_connection_gone: impl Fn() -> bool,
) {
    while !is_connection_gone() {
        assert!(!committing.is_finished());
        tokio::task::yield_now().await;
    }
    assert!(!committing.is_finished());
    node.renew_lease(NodeStatus::default()).await.unwrap();
    committing.await.unwrap().unwrap();
    assert_eq!(journal_of(node, "a").await, [b"a 0"]);
}

pub(crate) async fn commits_without_a_lease_wait_for_its_renewal() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = std::sync::Arc::new(node(&url, "one").await);
    one.commit(vec![open("a")]).await.unwrap();
    server.run_in(&database, "UPDATE node SET lease_until = now() - interval '1 second'");
    let connections = format!(
        "SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE datname = '{database}'"
    );
    let pids = server.run(&connections);
    let is_one_gone = format!(
        "SELECT count(*) < cardinality('{{{pids}}}'::int[]) FROM pg_stat_activity
         WHERE pid = ANY ('{{{pids}}}')"
    );
    let writer = std::sync::Arc::clone(&one);
    let committing = tokio::spawn(async move { writer.commit(vec![append("a", 0)]).await });
    assert_stored_once_renewed(&one, committing, || server.run(&is_one_gone) == "t").await;
}

pub(crate) async fn a_commit_that_outwaits_its_lease_is_not_stored() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = std::sync::Arc::new(node(&url, "one").await);
    one.commit(vec![open("a")]).await.unwrap();
    server.run_in(
        &database,
        "UPDATE node SET lease_until = clock_timestamp() + interval '2 seconds'",
    );
    // This simulates a server that starts under the same name, and hangs.
    let in_the_way = server.open_transaction_in(&database, "SELECT 1 FROM node FOR UPDATE");
    let writer = std::sync::Arc::clone(&one);
    let committing = tokio::spawn(async move { writer.commit(vec![append("a", 0)]).await });
    let connected = format!("FROM pg_stat_activity WHERE datname = '{database}'");
    let waiting = format!("SELECT count(*) {connected} AND wait_event_type = 'Lock'");
    let is_over = "SELECT bool_and(lease_until < clock_timestamp()) FROM node";
    while server.run(&waiting) == "0" || server.run_in(&database, is_over) == "f" {
        assert!(!committing.is_finished());
        tokio::task::yield_now().await;
    }
    let pid = server.run(&format!("SELECT pid {connected} AND wait_event_type = 'Lock'"));
    in_the_way.commit();
    let is_there = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
    assert_stored_once_renewed(&one, committing, || server.run(&is_there) == "0").await;
}

pub(crate) async fn survivors_share_the_orphans_of_a_node() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    let count = MAX_TAKEOVER_MATCHES + 40;
    let names: Vec<String> = (0..count).map(|number| format!("m{number:04}")).collect();
    one.commit(names.iter().map(|name| open(name)).collect()).await.unwrap();
    one.commit(names.iter().map(|name| append(name, 0)).collect()).await.unwrap();
    expire_lease(&url, "one");
    let (two, three) = (node(&url, "two").await, node(&url, "three").await);
    let first = take_over(&two, none_is_leader_only).await;
    assert_eq!(first.len(), MAX_TAKEOVER_MATCHES);
    let rest = take_over(&three, none_is_leader_only).await;
    assert_eq!(rest.len(), 40);
    let next: Vec<Write> = rest.iter().map(|taken| append(taken.as_str(), 1)).collect();
    three.commit(next).await.unwrap();
    assert_eq!(journal_of(&three, &names[count - 1]).await.len(), 2);
    assert_eq!(journal_of(&two, &names[0]).await.len(), 1);
    let of_two = two.open_match_ids().await.unwrap().len();
    assert_eq!(of_two + three.open_match_ids().await.unwrap().len(), count);
}

pub(crate) async fn commits_during_a_takeover_move_with_their_matches() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    let count = 4 * MAX_TAKEOVER_MATCHES;
    let names: Vec<String> = (0..count).map(|number| format!("m{number:04}")).collect();
    one.commit(names.iter().map(|name| open(name)).collect()).await.unwrap();
    let (two, three) = (node(&url, "two").await, node(&url, "three").await);
    // Each node has read all matches of the first node before the first node is restarted.
    expire_lease(&url, "one");
    let mut moved = take_over(&two, none_is_leader_only).await;
    moved.extend(take_over(&three, none_is_leader_only).await);
    let one = node(&url, "one").await;
    assert_eq!(one.open_match_ids().await.unwrap().len(), 2 * MAX_TAKEOVER_MATCHES);
    let (changed, ended) = (&names[count - 1], &names[count - 2]);
    one.commit(vec![append(changed, 0), finish(ended), open("new")]).await.unwrap();
    expire_lease(&url, "one");
    for node in [&two, &three] {
        moved.extend(take_over(node, none_is_leader_only).await);
    }
    moved.sort();
    let mut expected: Vec<MatchId> = names.iter().map(|name| id(name)).collect();
    expected.retain(|name| *name != id(ended));
    expected.push(id("new"));
    assert_eq!(moved, expected);
    assert_eq!(journal_of(&three, changed).await.len(), 1);
    for node in [&two, &three] {
        assert_eq!(take_over(node, none_is_leader_only).await, []);
    }
}

pub(crate) async fn a_node_is_read_again_when_a_server_has_opened_it_since() {
    let url = PostgresServer::shared().fresh();
    let schema = url.rsplit('=').next().unwrap();
    // Simulates a crash of the database that loses the newest commit, but not its match.
    let lose_the_newest = || {
        PostgresServer::shared().run(&format!(
            "DELETE FROM {schema}.journal WHERE batch = (
                 SELECT max(batch) FROM {schema}.journal WHERE batch < 1::bigint << 40)"
        ))
    };
    let one = node(&url, "one").await;
    one.commit(vec![open("a")]).await.unwrap();
    expire_lease(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(take_over(&two, all_are_leader_only).await, [], "the node has read them");
    lose_the_newest();
    // After the restart, the node reuses the number of the lost commit.
    let one = node(&url, "one").await;
    one.commit(vec![open("b")]).await.unwrap();
    lose_the_newest();
    expire_lease(&url, "one");
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a"), id("b")]);
}

pub(crate) async fn a_node_that_is_committing_is_skipped() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let schema = url.rsplit('=').next().unwrap().to_owned();
    let one = node(&url, "one").await;
    one.commit(vec![open("a")]).await.unwrap();
    // Simulates a commit that passed the fence in time.
    let running = server.open_transaction(&format!(
        "SELECT 1 FROM {schema}.node WHERE node_id = 'one' FOR KEY SHARE"
    ));
    expire_lease(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    running.commit();
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a")]);
}

pub(crate) async fn one_node_leads_and_alone_takes_leader_only_matches() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert!(one.acquire_leadership().await.unwrap());
    assert!(!two.acquire_leadership().await.unwrap());
    assert!(one.acquire_leadership().await.unwrap(), "the node still leads");
    one.commit(vec![open("a")]).await.unwrap();
    expire_lease(&url, "one");
    assert_eq!(take_over(&two, all_are_leader_only).await, [], "the node does not lead");
    assert!(two.acquire_leadership().await.unwrap());
    assert_ended(one.commit(vec![append("a", 0)]).await);
    assert_eq!(take_over(&two, all_are_leader_only).await, [id("a")]);
    let nodes = two.nodes().await.unwrap();
    let leading: Vec<&str> =
        nodes.iter().filter(|node| node.is_leader).map(|node| node.name.as_str()).collect();
    assert_eq!(leading, ["two"]);
}

pub(crate) async fn an_unreadable_match_is_not_taken_over() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), open("b")]).await.unwrap();
    one.commit(vec![append("a", 0), append("b", 0)]).await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!("UPDATE {schema}.open_match SET header = 'other' WHERE match_id = 'a'"));
    expire_lease(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("b")]);
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    // The original node reports the damage.
    let one = node(&url, "one").await;
    let refused = one.open_match(&id("a")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused:?}");
}

pub(crate) async fn a_node_that_shuts_down_releases_its_matches_at_once() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    assert!(one.acquire_leadership().await.unwrap());
    one.close().await.unwrap();
    let nodes = two.nodes().await.unwrap();
    let live: Vec<bool> = nodes.iter().map(StoredNode::is_live).collect();
    assert_eq!(live, [false, true]);
    let holder = node_of_a(&two).await;
    assert!(!holder.is_live() && !holder.is_leader);
    assert_eq!(holder.address, None);
    assert!(two.acquire_leadership().await.unwrap());
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a")]);
}

pub(crate) async fn a_late_renewal_does_not_renew_a_released_lease() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    let epoch_of_one = two.nodes().await.unwrap()[0].epoch;
    one.close().await.unwrap();
    // Simulates a renewal that reaches the database late.
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!(
        "UPDATE {schema}.node SET lease_until = clock_timestamp() + interval '8 seconds'
         WHERE node_id = 'one' AND epoch = {epoch_of_one}"
    ));
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a")]);
}

pub(crate) async fn every_node_can_locate_a_match() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    let status = NodeStatus {
        draining: true,
        slots: 100,
        load_percent: Some(40),
        lag_ms: 7,
        clock_skew_ms: -9,
        peer_problems: "node three cannot be reached".to_owned(),
    };
    one.renew_lease(status.clone()).await.unwrap();
    let holder = node_of_a(&two).await;
    assert_eq!(holder.name.as_str(), "one");
    assert_eq!(holder.address.as_ref().unwrap().as_str(), "one.example:50051");
    assert!(holder.is_live() && holder.status == status && holder.matches == 1);
    assert_eq!(two.nodes().await.unwrap().len(), 2);
    expire_lease(&url, "one");
    assert!(!node_of_a(&two).await.is_live());
    two.take_over_orphans(none_is_leader_only).await.unwrap();
    let holder = node_of_a(&two).await;
    assert_eq!(holder.name.as_str(), "two");
    two.commit(vec![finish("a")]).await.unwrap();
    assert_eq!(two.node_of(&id("a")).await.unwrap(), None);
}

pub(crate) async fn only_a_node_that_has_ended_can_be_removed() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    two.commit(vec![open("b"), finish("b")]).await.unwrap();
    let remove = async |name: &str| remove_node(&url, &NodeName::new(name).unwrap()).await;
    let refused = remove("three").await.unwrap_err();
    assert!(matches!(refused, StoreError::UnknownNode { .. }), "{refused}");
    let end = |name: &str| {
        let schema = url.rsplit('=').next().unwrap();
        PostgresServer::shared().run(&format!(
            "UPDATE {schema}.node SET lease_until = now() - interval '2 minutes'
             WHERE node_id = '{name}'"
        ));
    };
    end("one");
    for (name, why) in [("one", "matches in play"), ("two", "last minute")] {
        let refused = remove(name).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    end("two");
    // The batches of the second node.
    let journal = "journal WHERE batch >> 40 = 1";
    assert_ne!(rows_of(&url, journal), "0");
    remove("two").await.unwrap();
    let left = stored_nodes(&url).await.unwrap();
    assert!(left.len() == 1 && left[0].name.as_str() == "one");
    assert_eq!(rows_of(&url, journal), "0");
    assert_ended(two.renew_lease(NodeStatus::default()).await);
    // The name is free, and the matches that ended are kept.
    let two = node(&url, "two").await;
    two.commit(vec![open("c")]).await.unwrap();
    assert!(two.finished_match(&id("b")).await.unwrap().is_some());
}

pub(crate) async fn a_node_that_is_removed_while_its_server_starts_is_created_again() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    node(&url, "one").await.close().await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    let delete = format!("DELETE FROM {schema}.node WHERE node_id = 'one'");
    let removal = server.open_transaction(&delete);
    let waiting = format!(
        "SELECT count(*) FROM pg_locks
         WHERE locktype = 'tuple' AND relation = '{schema}.node'::regclass"
    );
    let remove = async {
        while server.run(&waiting) == "0" {
            yield_now().await;
        }
        removal.commit();
    };
    let (one, ()) = join!(node(&url, "one"), remove);
    one.commit(vec![open("a")]).await.unwrap();
}

pub(crate) async fn the_figures_of_the_database_are_read() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let one = node(&url, "one").await;
    let figures = one.database_figures().await.unwrap();
    assert!(figures.sessions >= 1 && one.retries() == 0, "{figures:?}");
    let old = server.open_transaction("SELECT txid_current()");
    let before = one.database_figures().await.unwrap().xmin_age;
    for match_id in ["a", "b", "c"] {
        one.commit(vec![open(match_id)]).await.unwrap();
    }
    assert!(one.database_figures().await.unwrap().xmin_age >= before + 3);
    old.commit();
}

//! Nodes that release matches while they keep their lease.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_store::{
    MatchId, NodeStatus, Nodes as _, PostgresStore, Store as _, StoreError, WriteRefusal,
    limits::MAX_TAKEOVER_MATCHES,
};

use crate::{
    fence::{append, finish, id, open},
    nodes::{
        all_are_leader_only, expire_lease, journal_of, node, none_is_leader_only, rows_of,
        take_over,
    },
    postgres_server::PostgresServer,
};

/// Opens a node with these matches, each with a journal of several commits.
async fn with_matches(url: &str, name: &str, matches: &[&str]) -> PostgresStore {
    let node = node(url, name).await;
    let opened = matches.iter().map(|name| open(name)).collect();
    node.commit(opened).await.unwrap();
    for number in 0..3 {
        let entries = matches.iter().map(|name| append(name, number)).collect();
        node.commit(entries).await.unwrap();
    }
    node
}

async fn is_released(store: &PostgresStore, match_id: &str) -> bool {
    let holder = store.node_of(&id(match_id)).await.unwrap();
    holder.expect("the match is in play").is_released
}

pub(crate) async fn a_released_match_continues_on_another_node() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b", "c"]).await;
    let two = with_matches(&url, "two", &["d"]).await;
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    // A match of another node is skipped.
    one.release(&[id("b"), id("d")]).await.unwrap();
    assert!(is_released(&two, "b").await && !is_released(&two, "a").await);
    assert_eq!(one.released_count().await.unwrap(), 1);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a"), id("c")]);
    let refused = one.commit(vec![append("b", 3)]).await.unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::WriteRefused { refusal: WriteRefusal::UnknownMatch { .. }, .. }
        ),
        "{refused:?}"
    );
    one.commit(vec![append("a", 3)]).await.unwrap();

    let taken = two.take_over_orphans(none_is_leader_only).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].match_id, id("b"));
    assert_eq!(taken[0].journal, [b"b 0", b"b 1", b"b 2"]);
    assert_eq!(two.open_match(&id("b")).await.unwrap().as_ref(), Some(&taken[0]));
    assert_eq!((one.released_count().await.unwrap(), is_released(&one, "b").await), (0, false));
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    two.commit(vec![append("b", 3), append("d", 3)]).await.unwrap();
    one.commit(vec![append("a", 4), finish("c")]).await.unwrap();
    one.renew_lease(NodeStatus::default()).await.unwrap();
    // All matches are complete after a restart.
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert!(
        one.open_report().damage_reports.is_empty() && two.open_report().damage_reports.is_empty()
    );
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a")]);
    assert_eq!(journal_of(&one, "a").await.len(), 5);
    assert_eq!(journal_of(&two, "b").await.len(), 4);
}

pub(crate) async fn batches_are_kept_for_released_matches() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    one.release(&[id("b")]).await.unwrap();
    // The node repeatedly sweeps its journal: first without matches in play, then with many short
    // ones.
    one.commit(vec![finish("a")]).await.unwrap();
    for number in 0..100 {
        let match_id = format!("c{number}");
        one.commit(vec![open(&match_id), append(&match_id, 0)]).await.unwrap();
        one.commit(vec![finish(&match_id)]).await.unwrap();
    }
    let rows: usize = rows_of(&url, "journal").parse().unwrap();
    assert!(rows < 100, "{rows} batches");
    let two = node(&url, "two").await;
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("b")]);
    assert_eq!(journal_of(&two, "b").await, [b"b 0", b"b 1", b"b 2"]);
}

pub(crate) async fn nodes_share_released_matches_and_each_goes_to_one() {
    let url = PostgresServer::shared().fresh();
    let names: Vec<String> =
        (0..MAX_TAKEOVER_MATCHES + 40).map(|number| format!("m{number:04}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let one = with_matches(&url, "one", &names).await;
    let all: Vec<MatchId> = names.iter().map(|name| id(name)).collect();
    one.release(&all).await.unwrap();
    let take_all = async |name| {
        let node = node(&url, name).await;
        let mut taken = Vec::new();
        while one.released_count().await.unwrap() > 0 {
            taken.extend(take_over(&node, none_is_leader_only).await);
        }
        taken
    };
    let (two, three) = tokio::join!(take_all("two"), take_all("three"));
    assert_eq!(two.len() + three.len(), names.len());
    let taken: BTreeSet<MatchId> = two.into_iter().chain(three).collect();
    assert_eq!(taken, all.into_iter().collect());
    assert_eq!(one.open_match_ids().await.unwrap(), []);
}

pub(crate) async fn released_matches_remain_available_after_a_shutdown() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    one.release(&[id("b")]).await.unwrap();
    one.close().await.unwrap();
    let mut taken = take_over(&two, none_is_leader_only).await;
    taken.extend(take_over(&two, none_is_leader_only).await);
    assert_eq!(taken, [id("b"), id("a")], "the matches that were released first");
    assert_eq!(rows_of(&url, "released_match"), "0");

    // Taking over an expired node includes the matches that it had released.
    two.release(&[id("a")]).await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    let released = PostgresServer::shared().run(&format!(
        "DELETE FROM {schema}.released_match RETURNING match_key || ', ' || entries"
    ));
    expire_lease(&url, "two");
    let three = node(&url, "three").await;
    assert_eq!(take_over(&three, none_is_leader_only).await.len(), 2);
    // A stale row of a moved match does not block anything.
    let released = released.lines().next().unwrap();
    PostgresServer::shared().run(&format!(
        "INSERT INTO {schema}.released_match VALUES ({released}, ARRAY[]::bigint[])"
    ));
    expire_lease(&url, "three");
    let four = node(&url, "four").await;
    assert_eq!(take_over(&four, none_is_leader_only).await.len(), 2);
}

pub(crate) async fn leader_only_matches_go_to_the_current_leader() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    assert!(two.acquire_leadership().await.unwrap());
    one.release(&[id("a")]).await.unwrap();
    let three = node(&url, "three").await;
    assert_eq!(take_over(&three, all_are_leader_only).await, []);
    // Orphans of an expired node do not wait for the leader.
    with_matches(&url, "dead", &["c"]).await;
    expire_lease(&url, "dead");
    let only_a_is_leader_only = |header: &[u8]| header == b"header of a";
    assert_eq!(take_over(&three, only_a_is_leader_only).await, [id("c")]);
    assert_eq!(take_over(&two, all_are_leader_only).await, [id("a")]);
    // A node that becomes the leader may take its own match back.
    one.release(&[id("b")]).await.unwrap();
    two.close().await.unwrap();
    assert!(one.acquire_leadership().await.unwrap());
    assert_eq!(take_over(&one, all_are_leader_only).await, [id("b")]);
    one.commit(vec![append("b", 3)]).await.unwrap();
    assert_eq!(journal_of(&one, "b").await.len(), 4);
    let again = node(&url, "one").await;
    assert!(again.open_report().damage_reports.is_empty());
    assert_eq!(journal_of(&again, "b").await.len(), 4);
}

pub(crate) async fn a_restarted_node_reclaims_its_released_matches() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    one.release(&[id("a"), id("b")]).await.unwrap();
    let one = node(&url, "one").await;
    assert_eq!(one.released_count().await.unwrap(), 0);
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a"), id("b")]);
    assert_eq!(journal_of(&one, "b").await.len(), 3);
    one.commit(vec![append("b", 3)]).await.unwrap();
}

pub(crate) async fn released_matches_are_not_taken_during_a_takeover_of_their_node() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = Arc::new(with_matches(&url, "one", &["a"]).await);
    let two = node(&url, "two").await;
    one.release(&[id("a")]).await.unwrap();
    // This simulates a server that starts under the name of the node.
    let lock = "SELECT 1 FROM node WHERE node_id = 'one' FOR UPDATE";
    let taking_over = server.open_transaction_in(&database, lock);
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    assert!(is_released(&two, "a").await);
    taking_over.commit();
    assert_eq!(take_over(&two, none_is_leader_only).await, [id("a")]);
}

pub(crate) async fn an_unreadable_released_match_is_not_taken_over() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    one.commit(vec![append("b", 3)]).await.unwrap();
    let two = node(&url, "two").await;
    let schema = url.rsplit('=').next().unwrap();
    PostgresServer::shared().run(&format!(
        "UPDATE {schema}.journal SET body = 'x' WHERE batch = (SELECT max(batch) - 1
             FROM {schema}.journal WHERE batch < 1::bigint << 40)"
    ));
    one.release(&[id("a"), id("b")]).await.unwrap();
    assert_eq!(take_over(&two, none_is_leader_only).await, []);
    // A node detects damage of its own matches when it restarts.
    let again = node(&url, "one").await;
    assert_eq!(again.open_report().damage_reports.len(), 3, "a batch and two matches are damaged");
}

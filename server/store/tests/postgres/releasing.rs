//! Nodes that release matches while they keep their lease.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_store::{
    MatchId, NodeStanding, Nodes as _, PostgresStore, Store as _, StoreError, WriteRefusal,
    limits::TAKEN_AT_ONCE,
};

use crate::{
    fence::{append, finish, id, open},
    nodes::{all_are_led, journal_of, let_lease_run_out, node, none_is_led, rows_of, taken_by},
    postgres_server::PostgresServer,
};

/// A node with matches of these names, each with a journal over several commits.
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
    holder.expect("it is in play").is_released
}

pub(crate) async fn a_released_match_goes_on_at_another_node_beside_those_of_its_own() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b", "c"]).await;
    let two = with_matches(&url, "two", &["d"]).await;
    assert_eq!(taken_by(&two, none_is_led).await, []);
    // One that it does not have is left out.
    one.release(&[id("b"), id("d")]).await.unwrap();
    assert!(is_released(&two, "b").await && !is_released(&two, "a").await);
    assert_eq!(one.released().await.unwrap(), 1);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a"), id("c")]);
    let refused = one.commit(vec![append("b", 3)]).await.unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::WriteRefused {
                refusal: WriteRefusal::UnknownMatch { .. },
                ..
            }
        ),
        "{refused:?}"
    );
    one.commit(vec![append("a", 3)]).await.unwrap();

    let taken = two.take_orphans(none_is_led).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].match_id, id("b"));
    assert_eq!(taken[0].journal, [b"b 0", b"b 1", b"b 2"]);
    assert_eq!(
        two.open_match(&id("b")).await.unwrap().as_ref(),
        Some(&taken[0])
    );
    assert_eq!(
        (one.released().await.unwrap(), is_released(&one, "b").await),
        (0, false)
    );
    assert_eq!(taken_by(&two, none_is_led).await, []);
    two.commit(vec![append("b", 3), append("d", 3)])
        .await
        .unwrap();
    one.commit(vec![append("a", 4), finish("c")]).await.unwrap();
    one.renew_lease(NodeStanding::default()).await.unwrap();
    // What moved, and what did not, is whole after a restart.
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert!(one.opening().damages.is_empty() && two.opening().damages.is_empty());
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a")]);
    assert_eq!(journal_of(&one, "a").await.len(), 5);
    assert_eq!(journal_of(&two, "b").await.len(), 4);
}

pub(crate) async fn what_a_node_stores_no_more_of_its_own_matches_is_kept_for_released_ones() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    one.release(&[id("b")]).await.unwrap();
    // It has no match in play any more, and then many that come and go: each time it removes what
    // nobody needs.
    one.commit(vec![finish("a")]).await.unwrap();
    for number in 0..100 {
        let match_id = format!("c{number}");
        one.commit(vec![open(&match_id), append(&match_id, 0)])
            .await
            .unwrap();
        one.commit(vec![finish(&match_id)]).await.unwrap();
    }
    let rows: usize = rows_of(&url, "journal").parse().unwrap();
    assert!(rows < 100, "{rows} batches");
    let two = node(&url, "two").await;
    assert_eq!(taken_by(&two, none_is_led).await, [id("b")]);
    assert_eq!(journal_of(&two, "b").await, [b"b 0", b"b 1", b"b 2"]);
}

pub(crate) async fn nodes_share_what_is_released_and_each_match_goes_to_one() {
    let url = PostgresServer::shared().fresh();
    let names: Vec<String> = (0..TAKEN_AT_ONCE + 40)
        .map(|number| format!("m{number:04}"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let one = with_matches(&url, "one", &names).await;
    let all: Vec<MatchId> = names.iter().map(|name| id(name)).collect();
    one.release(&all).await.unwrap();
    let take_all = async |name| {
        let node = node(&url, name).await;
        let mut taken = Vec::new();
        while one.released().await.unwrap() > 0 {
            taken.extend(taken_by(&node, none_is_led).await);
        }
        taken
    };
    let (two, three) = tokio::join!(take_all("two"), take_all("three"));
    assert_eq!(two.len() + three.len(), names.len());
    let taken: BTreeSet<MatchId> = two.into_iter().chain(three).collect();
    assert_eq!(taken, all.into_iter().collect());
    assert_eq!(one.open_match_ids().await.unwrap(), []);
}

pub(crate) async fn what_is_released_and_not_taken_is_left_with_the_rest() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    one.release(&[id("b")]).await.unwrap();
    one.close().await.unwrap();
    let mut taken = taken_by(&two, none_is_led).await;
    taken.extend(taken_by(&two, none_is_led).await);
    assert_eq!(taken, [id("b"), id("a")], "what is released first");
    assert_eq!(rows_of(&url, "released_match"), "0");

    // A node that takes all that another one leaves has what that released too.
    two.release(&[id("a")]).await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    let released = PostgresServer::shared().run(&format!(
        "DELETE FROM {schema}.released_match RETURNING match_key || ', ' || entries"
    ));
    let_lease_run_out(&url, "two");
    let three = node(&url, "three").await;
    assert_eq!(taken_by(&three, none_is_led).await.len(), 2);
    // What is left behind of a match that has moved holds nobody up.
    let released = released.lines().next().unwrap();
    PostgresServer::shared().run(&format!(
        "INSERT INTO {schema}.released_match VALUES ({released}, ARRAY[]::bigint[])"
    ));
    let_lease_run_out(&url, "three");
    let four = node(&url, "four").await;
    assert_eq!(taken_by(&four, none_is_led).await.len(), 2);
}

pub(crate) async fn what_belongs_to_the_lead_goes_to_who_leads_by_then() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    assert!(two.lead().await.unwrap());
    one.release(&[id("a")]).await.unwrap();
    let three = node(&url, "three").await;
    assert_eq!(taken_by(&three, all_are_led).await, []);
    // What a dead node has left does not wait for that.
    with_matches(&url, "dead", &["c"]).await;
    let_lease_run_out(&url, "dead");
    let only_a_is_led = |header: &[u8]| header == b"header of a";
    assert_eq!(taken_by(&three, only_a_is_led).await, [id("c")]);
    assert_eq!(taken_by(&two, all_are_led).await, [id("a")]);
    // It is taken back, if its node leads before anybody has taken it.
    one.release(&[id("b")]).await.unwrap();
    two.close().await.unwrap();
    assert!(one.lead().await.unwrap());
    assert_eq!(taken_by(&one, all_are_led).await, [id("b")]);
    one.commit(vec![append("b", 3)]).await.unwrap();
    assert_eq!(journal_of(&one, "b").await.len(), 4);
    let again = node(&url, "one").await;
    assert!(again.opening().damages.is_empty());
    assert_eq!(journal_of(&again, "b").await.len(), 4);
}

pub(crate) async fn a_node_that_starts_again_has_what_it_released_and_nobody_took() {
    let url = PostgresServer::shared().fresh();
    let one = with_matches(&url, "one", &["a", "b"]).await;
    let two = node(&url, "two").await;
    one.release(&[id("a"), id("b")]).await.unwrap();
    let one = node(&url, "one").await;
    assert_eq!(one.released().await.unwrap(), 0);
    assert_eq!(taken_by(&two, none_is_led).await, []);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("a"), id("b")]);
    assert_eq!(journal_of(&one, "b").await.len(), 3);
    one.commit(vec![append("b", 3)]).await.unwrap();
}

pub(crate) async fn nothing_released_is_taken_while_its_node_is_taken_over() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = Arc::new(with_matches(&url, "one", &["a"]).await);
    let two = node(&url, "two").await;
    one.release(&[id("a")]).await.unwrap();
    // As a server does that starts under the name of the node.
    let lock = "SELECT 1 FROM node WHERE node_id = 'one' FOR UPDATE";
    let taking_over = server.open_transaction_in(&database, lock);
    assert_eq!(taken_by(&two, none_is_led).await, []);
    assert!(is_released(&two, "a").await);
    taking_over.commit();
    assert_eq!(taken_by(&two, none_is_led).await, [id("a")]);
}

pub(crate) async fn a_released_match_that_cannot_be_read_stays_where_it_is() {
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
    assert_eq!(taken_by(&two, none_is_led).await, []);
    // Of its own matches the node learns when it starts again.
    let again = node(&url, "one").await;
    assert_eq!(again.opening().damages.len(), 3, "a batch and two matches");
}

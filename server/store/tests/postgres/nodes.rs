//! Several nodes over one database.

use bridgemaster_store::{
    Durability, IsLed, KeyName, MatchId, NodeAddress, NodeIdentity, NodeName, NodeStanding,
    Nodes as _, PostgresStore, Store as _, StoreError, StoredNode, ToldCursor, ToldMatch, Write,
    limits::TAKEN_AT_ONCE,
};
use tokio::task::JoinHandle;

use crate::{
    fence::{append, finish, id, open},
    postgres_server::PostgresServer,
};

/// Opens a node, which nobody renews the lease of.
pub(crate) async fn node(url: &str, name: &str) -> PostgresStore {
    let identity = NodeIdentity {
        name: NodeName::new(name).unwrap(),
        address: Some(NodeAddress::new(format!("{name}.example:50051")).unwrap()),
    };
    let opened = PostgresStore::open_as(url, Durability::Power, &identity);
    opened.await.unwrap()
}

/// As after a time in which a node did nothing.
pub(crate) fn let_lease_run_out(url: &str, name: &str) {
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

pub(crate) fn none_is_led(_: &[u8]) -> bool {
    false
}

pub(crate) fn all_are_led(_: &[u8]) -> bool {
    true
}

/// The matches that a node takes over.
pub(crate) async fn taken_by(node: &PostgresStore, is_led: IsLed) -> Vec<MatchId> {
    let taken = node.take_orphans(is_led).await.unwrap();
    taken.into_iter().map(|open| open.match_id).collect()
}

fn assert_ended<T: std::fmt::Debug>(outcome: Result<T, StoreError>) {
    let refused = outcome.unwrap_err();
    let is_ended = matches!(refused, StoreError::EpochOver { .. });
    assert!(is_ended, "{refused:?}");
}

pub(crate) async fn journal_of(store: &PostgresStore, match_id: &str) -> Vec<Vec<u8>> {
    let open = store.open_match(&id(match_id)).await.unwrap();
    open.expect("it is in play here").journal
}

async fn holder_of_a(store: &PostgresStore) -> StoredNode {
    let holder = store.node_of(&id("a")).await.unwrap();
    holder.expect("it is in play").node
}

pub(crate) async fn nodes_write_side_by_side_each_its_own_matches() {
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
    // Leaves node `one` without a match: what it sweeps is its own.
    one.commit(vec![finish("a")]).await.unwrap();
    one.commit(vec![open("d")]).await.unwrap();
    assert_eq!(two.replay(&id("a")).await.unwrap().unwrap(), b"replay of a");
    // Started again, a node has its own, though its lease has not run out.
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert_eq!(one.open_match_ids().await.unwrap(), [id("d")]);
    assert_eq!(two.open_match_ids().await.unwrap(), [id("b"), id("c")]);
    assert_eq!(journal_of(&two, "c").await.len(), 80);
    assert!(two.opening().damages.is_empty());
}

pub(crate) async fn matches_of_a_node_without_a_lease_go_on_at_another() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), open("b"), open("c")])
        .await
        .unwrap();
    for number in 0..70 {
        one.commit(vec![append("a", number), append("b", number)])
            .await
            .unwrap();
    }
    let two = node(&url, "two").await;
    assert_eq!(taken_by(&two, none_is_led).await, [], "it has its lease");
    two.commit(vec![open("d"), append("d", 0)]).await.unwrap();

    let_lease_run_out(&url, "one");
    let taken = two.take_orphans(none_is_led).await.unwrap();
    let ids: Vec<&MatchId> = taken.iter().map(|open| &open.match_id).collect();
    assert_eq!(ids, [&id("a"), &id("b"), &id("c")]);
    for open in &taken {
        let stored = two.open_match(&open.match_id).await.unwrap();
        assert_eq!(stored.as_ref(), Some(open), "it is given as it is stored");
    }
    assert_eq!(taken_by(&two, none_is_led).await, []);
    assert_eq!(journal_of(&two, "a").await.len(), 70);
    assert_eq!(journal_of(&two, "c").await, [] as [Vec<u8>; 0]);
    two.commit(vec![append("a", 70), append("c", 0), finish("b")])
        .await
        .unwrap();
    assert_eq!(journal_of(&two, "a").await[70], b"a 70");
    // What moved is whole after a restart, and the journal that it came from is gone.
    let two = node(&url, "two").await;
    assert!(two.opening().damages.is_empty());
    let ids = two.open_match_ids().await.unwrap();
    assert_eq!(ids, [id("d"), id("a"), id("c")]);
    let journal = journal_of(&two, "a").await;
    assert_eq!((journal.len(), &journal[69][..]), (71, &b"a 69"[..]));
    two.commit(vec![append("a", 71)]).await.unwrap();
    let_lease_run_out(&url, "two");
    let three = node(&url, "three").await;
    assert_eq!(three.take_orphans(none_is_led).await.unwrap().len(), 3);
    assert_eq!(journal_of(&three, "a").await.len(), 72);
    // One batch of each node that says how far its numbers go.
    assert_eq!(rows_of(&url, "journal"), "4");
}

pub(crate) async fn a_node_that_was_taken_over_harms_nothing() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    let_lease_run_out(&url, "one");
    let two = node(&url, "two").await;
    two.take_orphans(none_is_led).await.unwrap();
    assert_ended(one.commit(vec![append("a", 1)]).await);
    assert_ended(one.commit(vec![open("b")]).await);
    assert_ended(one.renew_lease(NodeStanding::default()).await);
    assert_ended(one.lead().await);
    let three = node(&url, "three").await;
    three.commit(vec![open("c")]).await.unwrap();
    let_lease_run_out(&url, "three");
    assert_ended(one.take_orphans(none_is_led).await);
    two.commit(vec![append("a", 1)]).await.unwrap();
    assert_eq!(journal_of(&two, "a").await, [b"a 0", b"a 1"]);
    one.close().await.unwrap();
    // Its end gives nothing back.
    two.commit(vec![append("a", 2)]).await.unwrap();
    // Started again it is a node as any other.
    let one = node(&url, "one").await;
    assert_eq!(one.open_match_ids().await.unwrap(), []);
    one.commit(vec![open("b")]).await.unwrap();
}

/// A commit to the match `a` is tried without success, and succeeds once the lease is renewed. A try
/// that failed leaves its connection, which is gone then.
async fn is_stored_once_renewed(
    node: &PostgresStore,
    committing: JoinHandle<Result<(), StoreError>>,
    is_connection_gone: impl Fn() -> bool,
) {
    while !is_connection_gone() {
        assert!(!committing.is_finished());
        tokio::task::yield_now().await;
    }
    assert!(!committing.is_finished());
    node.renew_lease(NodeStanding::default()).await.unwrap();
    committing.await.unwrap().unwrap();
    assert_eq!(journal_of(node, "a").await, [b"a 0"]);
}

pub(crate) async fn nothing_is_stored_without_a_lease_until_it_is_renewed() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = std::sync::Arc::new(node(&url, "one").await);
    one.commit(vec![open("a")]).await.unwrap();
    server.run_in(
        &database,
        "UPDATE node SET lease_until = now() - interval '1 second'",
    );
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
    is_stored_once_renewed(&one, committing, || server.run(&is_one_gone) == "t").await;
}

pub(crate) async fn nothing_is_stored_by_a_commit_that_waited_longer_than_its_lease() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let one = std::sync::Arc::new(node(&url, "one").await);
    one.commit(vec![open("a")]).await.unwrap();
    server.run_in(
        &database,
        "UPDATE node SET lease_until = clock_timestamp() + interval '2 seconds'",
    );
    // As that of a server which starts under the same name, and does not come to its end.
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
    let pid = server.run(&format!(
        "SELECT pid {connected} AND wait_event_type = 'Lock'"
    ));
    in_the_way.commit();
    let is_there = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
    is_stored_once_renewed(&one, committing, || server.run(&is_there) == "0").await;
}

pub(crate) async fn survivors_share_what_a_node_leaves() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    let count = TAKEN_AT_ONCE + 40;
    let names: Vec<String> = (0..count).map(|number| format!("m{number:04}")).collect();
    one.commit(names.iter().map(|name| open(name)).collect())
        .await
        .unwrap();
    one.commit(names.iter().map(|name| append(name, 0)).collect())
        .await
        .unwrap();
    let_lease_run_out(&url, "one");
    let (two, three) = (node(&url, "two").await, node(&url, "three").await);
    let first = taken_by(&two, none_is_led).await;
    assert_eq!(first.len(), TAKEN_AT_ONCE);
    let rest = taken_by(&three, none_is_led).await;
    assert_eq!(rest.len(), 40);
    let next: Vec<Write> = rest.iter().map(|taken| append(taken.as_str(), 1)).collect();
    three.commit(next).await.unwrap();
    assert_eq!(journal_of(&three, &names[count - 1]).await.len(), 2);
    assert_eq!(journal_of(&two, &names[0]).await.len(), 1);
    assert_eq!(two.match_counts().await.unwrap().open as usize, count);
}

pub(crate) async fn what_a_node_commits_while_others_take_from_it_moves_with_its_matches() {
    let url = PostgresServer::shared().fresh();
    let one = node(&url, "one").await;
    let count = 4 * TAKEN_AT_ONCE;
    let names: Vec<String> = (0..count).map(|number| format!("m{number:04}")).collect();
    one.commit(names.iter().map(|name| open(name)).collect())
        .await
        .unwrap();
    let (two, three) = (node(&url, "two").await, node(&url, "three").await);
    // Each node has read all that the first left before it is started again.
    let_lease_run_out(&url, "one");
    let mut moved = taken_by(&two, none_is_led).await;
    moved.extend(taken_by(&three, none_is_led).await);
    let one = node(&url, "one").await;
    assert_eq!(one.open_match_ids().await.unwrap().len(), 2 * TAKEN_AT_ONCE);
    let (changed, ended) = (&names[count - 1], &names[count - 2]);
    one.commit(vec![append(changed, 0), finish(ended), open("new")])
        .await
        .unwrap();
    let_lease_run_out(&url, "one");
    for node in [&two, &three] {
        moved.extend(taken_by(node, none_is_led).await);
    }
    moved.sort();
    let mut expected: Vec<MatchId> = names.iter().map(|name| id(name)).collect();
    expected.retain(|name| *name != id(ended));
    expected.push(id("new"));
    assert_eq!(moved, expected);
    assert_eq!(journal_of(&three, changed).await.len(), 1);
    for node in [&two, &three] {
        assert_eq!(taken_by(node, none_is_led).await, []);
    }
}

pub(crate) async fn a_node_is_read_again_when_a_server_has_opened_it_since() {
    let url = PostgresServer::shared().fresh();
    let schema = url.rsplit('=').next().unwrap();
    // As a crash of the database does it that loses the newest commit, but for its match.
    let lose_the_newest = || {
        PostgresServer::shared().run(&format!(
            "DELETE FROM {schema}.journal WHERE batch = (
                 SELECT max(batch) FROM {schema}.journal WHERE batch < 1::bigint << 40)"
        ))
    };
    let one = node(&url, "one").await;
    one.commit(vec![open("a")]).await.unwrap();
    let_lease_run_out(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(taken_by(&two, all_are_led).await, [], "it has read them");
    lose_the_newest();
    // Its opening has the number of the commit that is lost.
    let one = node(&url, "one").await;
    one.commit(vec![open("b")]).await.unwrap();
    lose_the_newest();
    let_lease_run_out(&url, "one");
    assert_eq!(taken_by(&two, none_is_led).await, [id("a"), id("b")]);
}

pub(crate) async fn a_node_that_commits_right_now_is_left_alone() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let schema = url.rsplit('=').next().unwrap().to_owned();
    let one = node(&url, "one").await;
    one.commit(vec![open("a")]).await.unwrap();
    // As a commit is that passed the fence in time.
    let running = server.open_transaction(&format!(
        "SELECT 1 FROM {schema}.node WHERE node_id = 'one' FOR KEY SHARE"
    ));
    let_lease_run_out(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(taken_by(&two, none_is_led).await, []);
    running.commit();
    assert_eq!(taken_by(&two, none_is_led).await, [id("a")]);
}

pub(crate) async fn one_node_leads_and_takes_alone_what_is_led() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    assert!(one.lead().await.unwrap());
    assert!(!two.lead().await.unwrap());
    assert!(one.lead().await.unwrap(), "it still does");
    one.commit(vec![open("a")]).await.unwrap();
    let_lease_run_out(&url, "one");
    assert_eq!(taken_by(&two, all_are_led).await, [], "it does not lead");
    assert!(two.lead().await.unwrap());
    assert_ended(one.commit(vec![append("a", 0)]).await);
    assert_eq!(taken_by(&two, all_are_led).await, [id("a")]);
    let nodes = two.nodes().await.unwrap();
    let leading: Vec<&str> = nodes
        .iter()
        .filter(|node| node.leads)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(leading, ["two"]);
}

pub(crate) async fn a_match_that_cannot_be_read_stays_where_it_is() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let one = node(&url, "one").await;
    one.commit(vec![open("a"), open("b")]).await.unwrap();
    one.commit(vec![append("a", 0), append("b", 0)])
        .await
        .unwrap();
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!(
        "UPDATE {schema}.open_match SET header = 'other' WHERE match_id = 'a'"
    ));
    let_lease_run_out(&url, "one");
    let two = node(&url, "two").await;
    assert_eq!(taken_by(&two, none_is_led).await, [id("b")]);
    assert_eq!(taken_by(&two, none_is_led).await, []);
    // The node that it is of tells what is wrong with it.
    let one = node(&url, "one").await;
    let refused = one.open_match(&id("a")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused:?}");
}

pub(crate) async fn a_node_that_ends_leaves_its_matches_at_once() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    assert!(one.lead().await.unwrap());
    one.close().await.unwrap();
    let nodes = two.nodes().await.unwrap();
    let live: Vec<bool> = nodes.iter().map(StoredNode::is_live).collect();
    assert_eq!(live, [false, true]);
    let holder = holder_of_a(&two).await;
    assert!(!holder.is_live() && !holder.leads);
    assert_eq!(holder.address, None);
    assert!(two.lead().await.unwrap());
    assert_eq!(taken_by(&two, none_is_led).await, [id("a")]);
}

pub(crate) async fn nobody_is_sent_to_a_node_that_withdraws_until_its_name_is_used_again() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    let holder = async || holder_of_a(&two).await;
    assert!(holder().await.address.is_some());
    one.withdraw().await.unwrap();
    one.renew_lease(NodeStanding::default()).await.unwrap();
    let withdrawn = holder().await;
    assert_eq!(withdrawn.address, None);
    assert!(withdrawn.is_live(), "its matches are its own");
    one.commit(vec![append("a", 0)]).await.unwrap();
    // What an earlier server of the name still says does not count.
    let again = node(&url, "one").await;
    assert_ended(one.withdraw().await);
    assert!(holder().await.address.is_some());
    assert_eq!(journal_of(&again, "a").await, [b"a 0"]);
}

pub(crate) async fn a_renewal_that_is_late_gives_a_node_that_has_ended_no_lease() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    let epoch_of_one = two.nodes().await.unwrap()[0].epoch;
    one.close().await.unwrap();
    // As the database does it when its message comes late.
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!(
        "UPDATE {schema}.node SET lease_until = clock_timestamp() + interval '8 seconds'
         WHERE node_id = 'one' AND epoch = {epoch_of_one}"
    ));
    assert_eq!(taken_by(&two, none_is_led).await, [id("a")]);
}

pub(crate) async fn every_node_knows_where_a_match_is() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a")]).await.unwrap();
    let standing = NodeStanding {
        draining: true,
        slots: 100,
        load_percent: Some(40),
        lag_ms: 7,
    };
    one.renew_lease(standing).await.unwrap();
    let holder = holder_of_a(&two).await;
    assert_eq!(holder.name.as_str(), "one");
    assert_eq!(
        holder.address.as_ref().unwrap().as_str(),
        "one.example:50051"
    );
    assert!(holder.is_live() && holder.standing == standing && holder.matches == 1);
    assert_eq!(two.nodes().await.unwrap().len(), 2);
    let_lease_run_out(&url, "one");
    assert!(!holder_of_a(&two).await.is_live());
    two.take_orphans(none_is_led).await.unwrap();
    let holder = holder_of_a(&two).await;
    assert_eq!(holder.name.as_str(), "two");
    two.commit(vec![finish("a")]).await.unwrap();
    assert_eq!(two.node_of(&id("a")).await.unwrap(), None);
}

/// What is told of a match that was made then.
fn told(match_id: &str, created_at_unix_ms: i64, party: &str) -> ToldMatch {
    ToldMatch {
        match_id: id(match_id),
        created_at_unix_ms,
        parties: vec![KeyName::new(party).unwrap()],
        shown: format!("shown of {match_id}").into_bytes(),
    }
}

async fn ids_told(node: &PostgresStore, of: Option<&str>, limit: u32) -> Vec<String> {
    let of = of.map(|name| KeyName::new(name).unwrap());
    let (mut ids, mut after) = (Vec::new(), Some(ToldCursor::first()));
    while let Some(place) = after {
        let page = node.told_elsewhere(&place, limit, of.as_ref()).await;
        let page = page.unwrap();
        assert!(page.matches.len() <= limit as usize && page.damaged.is_empty());
        ids.extend(page.matches.iter().map(|one| one.match_id.to_string()));
        after = page.next;
    }
    ids
}

pub(crate) async fn each_node_is_told_of_the_matches_in_play_of_the_others() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a"), open("b"), open("c")])
        .await
        .unwrap();
    two.commit(vec![open("d")]).await.unwrap();
    let of_one = [
        told("a", 5, "north"),
        told("b", 5, "south"),
        told("c", 9, "north"),
        // Of another node, and of none.
        told("d", 7, "north"),
        told("e", 7, "north"),
    ];
    one.tell(&of_one).await.unwrap();
    for limit in [1, 2, 3, 100] {
        assert_eq!(ids_told(&two, None, limit).await, ["c", "b", "a"]);
        assert_eq!(ids_told(&two, Some("north"), limit).await, ["c", "a"]);
        assert_eq!(ids_told(&one, None, limit).await, [] as [String; 0]);
    }
    // It is told anew, and one that ends is told no more.
    let mut changed = told("a", 5, "south");
    changed.shown = b"changed".to_vec();
    one.tell(std::slice::from_ref(&changed)).await.unwrap();
    one.commit(vec![finish("c")]).await.unwrap();
    let page = two.told_elsewhere(&ToldCursor::first(), 2, None).await;
    assert_eq!(page.unwrap().matches[1], changed);
    assert_eq!(ids_told(&two, None, 9).await, ["b", "a"]);
    one.sweep_told().await.unwrap();
    assert_eq!(rows_of(&url, "told_match"), "2");
    // One that moves is told of by its new node; the one before changes nothing any more.
    let_lease_run_out(&url, "one");
    two.take_orphans(none_is_led).await.unwrap();
    one.tell(&of_one).await.unwrap();
    for node in [&one, &two] {
        let page = node.told_elsewhere(&ToldCursor::first(), 9, None).await;
        assert_eq!(page.unwrap().matches[1], changed);
    }
    // Until its new node tells of it, its list has it too, since it may not have taken it in yet.
    two.tell(&[told("a", 5, "south")]).await.unwrap();
    assert_eq!(ids_told(&two, None, 9).await, ["b"]);
    assert_eq!(ids_told(&one, None, 9).await, ["b", "a"]);
}

pub(crate) async fn what_is_told_and_cannot_be_read_harms_no_other() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a"), open("b")]).await.unwrap();
    one.tell(&[told("a", 5, "north"), told("b", 6, "north")])
        .await
        .unwrap();
    let schema = url.rsplit('=').next().unwrap();
    PostgresServer::shared().run(&format!(
        "UPDATE {schema}.told_match SET shown = 'x' WHERE match_id = 'b'"
    ));
    let page = two.told_elsewhere(&ToldCursor::first(), 9, None).await;
    let page = page.unwrap();
    assert_eq!((&page.damaged[..], page.next), (&[id("b")][..], None));
    assert_eq!(page.matches, [told("a", 5, "north")]);
}

//! Servers whose connection is held within a transaction.

use std::{
    collections::BTreeSet,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_store::{
    KeyStore as _, LadderChange, LadderId, MatchId, NodeStatus, Nodes as _, PostgresStore,
    RecordStore as _, ReplayMetadata, Store as _, StoreError, Write,
};
use tokio::{task::yield_now, time::timeout};

use crate::{
    fence::{append, finish, id, key, open},
    nodes::{node, none_is_leader_only},
    postgres_server::PostgresServer,
    proxy::Proxy,
};

/// Maximum duration of an operation of a node while another node is held.
const MAX_WAIT: Duration = Duration::from_secs(4);

type Work = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

fn record(name: &str) -> Write {
    Write::PutRecord { name: name.to_owned(), value: vec![1] }
}

/// Returns a batch with every kind of write of a match, and with a ladder.
fn batch(name: &str) -> Vec<Write> {
    let ladder_id = LadderId::new(name).unwrap();
    let value = b"rules".to_vec();
    let pair = LadderChange::Pair { term: 0, number: 0, value: value.clone() };
    let change = |change| Write::ChangeLadder { ladder_id: ladder_id.clone(), change };
    let ended = format!("ended-{name}");
    vec![
        open(name),
        append(name, 0),
        record(name),
        change(LadderChange::Open { value }),
        change(pair),
        open(&ended),
        finish(&ended),
        Write::ForgetReplay { match_id: id(&ended) },
    ]
}

/// Runs `work` on a node repeatedly, each time with the next one of its messages held back. While
/// the message is held, calls `meanwhile` with the name of the round.
async fn hold_each_message(
    one: &Arc<PostgresStore>,
    proxy: &Proxy,
    work: impl Fn(Arc<PostgresStore>, String) -> Work,
    meanwhile: impl AsyncFn(String),
) {
    for round in 0.. {
        one.renew_lease(NodeStatus::default()).await.unwrap();
        let name = format!("r{round}");
        proxy.hold(round);
        let running = tokio::spawn(work(Arc::clone(one), name.clone()));
        while proxy.stopped() == 0 && !running.is_finished() {
            yield_now().await;
        }
        let is_held = proxy.stopped() > 0;
        if is_held {
            meanwhile(name).await;
        }
        proxy.release();
        running.await.unwrap().unwrap();
        if !is_held {
            assert!(round > 3, "{round} messages");
            return;
        }
    }
}

/// Two nodes of a database, the first of them behind a proxy.
struct Pair {
    proxy: Proxy,
    one: Arc<PostgresStore>,
    two: PostgresStore,
    url: String,
    database: String,
}

async fn nodes() -> Pair {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let proxy = Proxy::start(server);
    let one = node(&proxy.url(server, &url), "one").await;
    Pair { proxy, one: Arc::new(one), two: node(&url, "two").await, url, database }
}

async fn in_time<T>(work: impl Future<Output = Result<T, StoreError>>) -> T {
    let done = timeout(MAX_WAIT, work).await;
    done.expect("the operation waits for another node").unwrap()
}

/// Plays a whole match and renews the lease, as a live node does.
async fn play(node: &PostgresStore, name: &str) {
    let name = &format!("{name}-of-two");
    in_time(async {
        node.renew_lease(NodeStatus::default()).await?;
        node.commit(vec![open(name), record(name)]).await?;
        node.commit(vec![append(name, 0)]).await?;
        node.commit(vec![finish(name)]).await
    })
    .await;
}

pub(crate) async fn no_message_of_a_commit_blocks_another_node() {
    let Pair { proxy, one, two, .. } = nodes().await;
    let commit = |one: Arc<PostgresStore>, name: String| -> Work {
        Box::pin(async move { one.commit(batch(&name)).await })
    };
    hold_each_message(&one, &proxy, commit, async |name| {
        in_time(one.renew_lease(NodeStatus::default())).await;
        play(&two, &name).await;
        // The held call is repeated at this node.
        in_time(two.commit(vec![record(&name)])).await;
        in_time(two.commit(vec![Write::RemoveRecord { name: name.clone() }])).await;
        in_time(two.add_key(key(&name))).await;
        in_time(two.get_or_insert_secret(&name, vec![1])).await;
        in_time(two.acquire_leadership()).await;
    })
    .await;
}

pub(crate) async fn no_message_of_another_transaction_blocks_the_matches_of_a_node() {
    let Pair { proxy, one, two, url, database } = nodes().await;
    let three = node(&url, "three").await;
    let others = |one: Arc<PostgresStore>, name: String| -> Work {
        let without_leader = "UPDATE node SET leads = false WHERE leads";
        PostgresServer::shared().run_in(&database, without_leader);
        Box::pin(async move {
            one.acquire_leadership().await?;
            one.add_key(key(&name)).await?;
            one.get_or_insert_secret(&name, vec![1]).await?;
            one.commit(vec![open(&name)]).await?;
            one.release(&[id(&name)]).await?;
            one.take_over_orphans(none_is_leader_only).await?;
            Ok(())
        })
    };
    hold_each_message(&one, &proxy, others, async |name| {
        three.renew_lease(NodeStatus::default()).await.unwrap();
        let released = format!("released-{name}");
        three.commit(vec![open(&released)]).await.unwrap();
        three.release(&[id(&released)]).await.unwrap();
        in_time(two.acquire_leadership()).await;
        in_time(two.take_over_orphans(none_is_leader_only)).await;
        play(&two, &name).await;
    })
    .await;
}

pub(crate) async fn a_locked_key_table_does_not_delay_the_shutdown_of_a_node() {
    let Pair { two, database, .. } = nodes().await;
    let server = PostgresServer::shared();
    let lock = "LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE";
    let locked = server.open_transaction_in(&database, lock);
    two.renew_lease(NodeStatus::default()).await.unwrap();
    let two = Arc::new(two);
    let writer = Arc::clone(&two);
    let adding = tokio::spawn(async move { writer.add_key(key("north")).await });
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = '{database}' AND wait_event_type = 'Lock'"
    );
    while server.run(&waiting) == "0" {
        assert!(!adding.is_finished());
        yield_now().await;
    }
    in_time(two.close()).await;
    let refused = adding.await.unwrap().unwrap_err();
    assert!(matches!(refused, StoreError::EpochEnded { .. }), "{refused:?}");
    locked.commit();
}

/// Opens and finishes a match by a clock that is wrong by decades.
fn by_a_wrong_clock(name: &str) -> Vec<Write> {
    let mut writes = vec![open(name), finish(name)];
    let wrong_ms = [1, 4_000_000_000_000][name.len() % 2];
    for write in &mut writes {
        match write {
            Write::OpenMatch { opened_at_unix_ms: ms, .. }
            | Write::FinishMatch { ended_at_unix_ms: ms, .. } => *ms = wrong_ms,
            _ => {}
        }
    }
    writes
}

async fn all_finished(store: &PostgresStore) -> u64 {
    store.finished(None, 500).await.unwrap().matches.len() as u64
}

pub(crate) async fn reads_in_ascending_order_skip_no_match_that_is_committed_late() {
    let Pair { proxy, one, two, database, .. } = nodes().await;
    let terminate = format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE datname = '{database}' AND state LIKE 'idle in transaction%'"
    );
    let read = Mutex::new(Vec::<ReplayMetadata>::new());
    let read_on = async || loop {
        let after = read.lock().unwrap().last().map(|replay| replay.cursor);
        let next = two.stored_replays(after, 9, 0).await.unwrap();
        if next.is_empty() {
            return read.lock().unwrap().len() as u64;
        }
        read.lock().unwrap().extend(next);
    };
    let terminated = AtomicUsize::new(0);
    for does_die in [false, true] {
        let finish_one = |one: Arc<PostgresStore>, name: String| -> Work {
            let name = format!("{name}{}", if does_die { "-dying" } else { "" });
            Box::pin(async move { one.commit(by_a_wrong_clock(&name)).await })
        };
        hold_each_message(&one, &proxy, finish_one, async |name| {
            if does_die {
                let count: usize = PostgresServer::shared().run(&terminate).parse().unwrap();
                terminated.fetch_add(count, Ordering::Relaxed);
            }
            play(&two, &format!("{name}-{does_die}")).await;
            let newest = two.finished(None, 1).await.unwrap();
            let is_read = read_on().await == all_finished(&two).await;
            assert!(is_read || newest.unsettled == 1);
        })
        .await;
    }
    assert!(terminated.into_inner() > 0, "no session was terminated");
    let all = all_finished(&two).await;
    let reading = async {
        while read_on().await < all {
            yield_now().await;
        }
    };
    // The timeout is long, because other tests hold transactions of this database server open for
    // some seconds.
    let is_complete = timeout(30 * MAX_WAIT, reading).await.is_ok();
    assert!(is_complete, "a match is missing");
    let read = read.into_inner().unwrap();
    let ids: BTreeSet<&MatchId> = read.iter().map(|replay| &replay.match_id).collect();
    assert_eq!(ids.len(), read.len());
    assert!(read.is_sorted_by_key(|replay| replay.cursor));
}

/// The documented maximum number of sessions of a node.
const MAX_SESSIONS: usize = 10;

/// More attempts than sessions, and more renewals than fit into a lease.
const ATTEMPTS: usize = 12;

pub(crate) async fn retries_leave_no_sessions_and_never_delay_renewals() {
    let Pair { proxy, one, two, database, .. } = nodes().await;
    two.close().await.unwrap();
    one.commit(vec![open("a")]).await.unwrap();
    proxy.cut_commits();
    let writer = Arc::clone(&one);
    let committing = tokio::spawn(async move { writer.commit(vec![append("a", 0)]).await });
    let sessions = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'");
    while proxy.stopped() < ATTEMPTS {
        assert!(!committing.is_finished());
        in_time(one.renew_lease(NodeStatus::default())).await;
        let sessions: usize = PostgresServer::shared().run(&sessions).parse().unwrap();
        assert!(sessions <= MAX_SESSIONS, "{sessions} sessions");
    }
    proxy.release();
    committing.await.unwrap().unwrap();
    let found = one.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal, [b"a 0"]);
}

pub(crate) async fn the_session_of_an_interrupted_renewal_is_terminated() {
    let Pair { proxy, one, two, database, .. } = nodes().await;
    two.close().await.unwrap();
    one.renew_lease(NodeStatus::default()).await.unwrap();
    let sessions = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = '{database}' AND application_name LIKE 'bridgemaster %'"
    );
    let only_two_remain = async || {
        in_time(async {
            // Two sessions: one to write, and one to renew the lease.
            while PostgresServer::shared().run(&sessions) != "2" {
                yield_now().await;
            }
            Ok(())
        })
        .await;
    };
    only_two_remain().await;
    proxy.hold(0);
    let renewer = Arc::clone(&one);
    let renewing = tokio::spawn(async move { renewer.renew_lease(NodeStatus::default()).await });
    while proxy.stopped() == 0 {
        assert!(!renewing.is_finished());
        yield_now().await;
    }
    renewing.abort();
    assert!(renewing.await.unwrap_err().is_cancelled());
    one.renew_lease(NodeStatus::default()).await.unwrap();
    only_two_remain().await;
}

//! One key reads a large store as fast as it can. Meanwhile, matches of other callers are played
//! and created, and their bots reconnect.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_proto::v1::{ListMatchesRequest, MatchState};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{error::Elapsed, timeout},
};

use crate::{
    caller::{Caller, in_state, play_by},
    intercepted_store::InterceptedStore,
    listing::filled,
    streams::{PATIENCE, limit, outcome, until},
    test_server::{TestServer, assert_faultless, keeping_one, of_two},
};

/// The number of finished matches in the store.
const MATCHES: usize = 2_000;
/// The number of concurrent calls of the reading key.
const CALLS: usize = 400;

/// A store whose reads block until the test releases them.
struct BlockedStore {
    memory: Arc<MemoryStore>,
    store: Arc<InterceptedStore>,
    gate: Arc<Semaphore>,
    /// The number of blocked reads, and its maximum so far.
    at_gate: Arc<AtomicUsize>,
    most_at_gate: Arc<AtomicUsize>,
}

impl BlockedStore {
    fn over(memory: Arc<MemoryStore>) -> Self {
        let gate = Arc::new(Semaphore::new(0));
        let (at_gate, most_at_gate) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let block = {
            let (gate, at_gate) = (Arc::clone(&gate), Arc::clone(&at_gate));
            let most = Arc::clone(&most_at_gate);
            move || {
                let (gate, at_gate, most) = (gate.clone(), at_gate.clone(), most.clone());
                async move {
                    let now = at_gate.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    let opened = gate.acquire().await;
                    at_gate.fetch_sub(1, Ordering::SeqCst);
                    drop(opened);
                    Ok(())
                }
            }
        };
        Self {
            store: InterceptedStore::before_reads(Arc::clone(&memory) as _, block),
            memory,
            gate,
            at_gate,
            most_at_gate,
        }
    }

    /// Waits until this number of reads is blocked.
    async fn until_blocked(&self, count: usize) {
        until("the reads are blocked", async || self.at_gate.load(Ordering::SeqCst) >= count).await;
    }

    fn let_through(&self) {
        self.gate.add_permits(10_000);
    }

    /// Releases all reads after `first`, even if that times out. Otherwise the blocked callers
    /// would wait forever.
    async fn let_through_after(&self, first: impl Future<Output = ()>) -> Result<(), Elapsed> {
        let done = timeout(PATIENCE, first).await;
        self.let_through();
        done
    }
}

fn limits() -> Limits {
    Limits {
        // Many connections are opened at once, possibly on a busy machine.
        preface_time: PATIENCE,
        ..keeping_one()
    }
}

impl BlockedStore {
    /// Starts a server that requires keys; it reads the newest match at startup.
    async fn locked(&self, limits: Limits) -> TestServer {
        self.gate.add_permits(1);
        let (store, memory) = (Arc::clone(&self.store), Arc::clone(&self.memory));
        let server = TestServer::locked_over(store, memory, limits).await;
        self.gate.forget_permits(1);
        server
    }
}

#[tokio::test]
async fn an_endless_reader_delays_neither_keys_nor_matches_nor_reconnecting_bots() {
    let held = BlockedStore::over(filled(MATCHES).await);
    let server = held.locked(limits()).await;
    let greedy = server.caller("tenth", &[Play]).await;
    let maker = server.caller("maker", &[Create]).await;
    let north = server.caller("north", &[Play]).await;
    let south = server.caller("south", &[Play]).await;

    let seated = maker.create(of_two()).await;
    let mut bots = [north.join(&seated.tickets[0]).await, south.join(&seated.tickets[1]).await];
    for bot in &mut bots {
        bot.started().await;
    }
    let calls = async {
        let mut outcomes = BTreeMap::<String, usize>::new();
        let mut calling = JoinSet::new();
        for number in 0..CALLS {
            calling.spawn(list(match number % 2 {
                0 => greedy.clone(),
                _ => greedy.at("127.0.0.2"),
            }));
        }
        for called in calling.join_all().await {
            *outcomes.entry(called).or_default() += 1;
        }
        outcomes
    };
    let others = async {
        held.until_blocked(limits().store_reads).await;
        // Both bots lose their streams, reconnect, and play to the end.
        drop(bots);
        let players = [&north, &south];
        let playing = play_by(&players, &seated);
        let creating = async {
            maker.create(of_two()).await;
            let newcomer = server.caller("newcomer", &[Read]).await;
            newcomer.info(&seated.match_id).await;
        };
        let (result, ()) = tokio::join!(playing, creating);
        assert_faultless(&result);
        assert_eq!(held.at_gate.load(Ordering::SeqCst), limits().store_reads);
    };
    let (outcomes, others) = tokio::join!(calls, held.let_through_after(others));
    others.unwrap();
    // The limit is exceeded only if some calls started after others had finished.
    let listed = outcomes["199 matches"];
    assert!(listed >= limits().reads_per_key, "{outcomes:?}");
    assert!(outcomes["LIMIT_REACHED reads_per_key"] > 0, "{outcomes:?}");
    assert_eq!(outcomes.len(), 2, "{outcomes:?}");
    let most = held.most_at_gate.load(Ordering::SeqCst);
    assert_eq!(most, limits().store_reads);
}

#[tokio::test]
async fn a_read_limit_does_not_reveal_which_matches_exist() {
    let held = BlockedStore::over(filled(3).await);
    let limits = Limits { reads_per_key: 1, ..limits() };
    let server = held.locked(limits).await;
    let maker = server.caller("maker", &[Create]).await;
    let stranger = server.caller("stranger", &[Play]).await;
    let made = maker.create(of_two()).await.match_id;
    let assert_refused = async |why: &str| {
        for match_id in [&*made, "0123456789abcdef"] {
            let refused = stranger.try_info(match_id).await;
            assert_eq!(outcome(refused), why, "{match_id}");
        }
    };
    let asking = async {
        held.until_blocked(1).await;
        assert_refused("LIMIT_REACHED").await;
        // It still sees its own match.
        maker.info(&made).await;
    };
    let (listed, asked) = tokio::join!(stranger.list(), held.let_through_after(asking));
    assert!(listed.unwrap().is_empty());
    asked.unwrap();
    assert_refused("MATCH_UNKNOWN").await;
}

#[tokio::test]
async fn reads_are_limited_per_connection_address_and_server() {
    let held = BlockedStore::over(filled(3).await);
    held.gate.add_permits(1);
    let limits = Limits {
        reads_per_connection: 2,
        reads_per_address: 3,
        store_reads: 3,
        store_reads_waiting: 1,
        ..limits()
    };
    let store: Arc<dyn Store> = held.store.clone();
    let server = TestServer::over(&store, limits).await;
    held.gate.forget_permits(1);
    let mut reading = JoinSet::new();
    let one = server.at("127.0.0.2");
    for number in 1..=2 {
        reading.spawn(list(one.clone()));
        held.until_blocked(number).await;
    }
    let refused = list(one).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_connection");
    let other = server.at("127.0.0.2");
    reading.spawn(list(other.clone()));
    held.until_blocked(3).await;
    let refused = list(other).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_address");
    // One of these waits; the other exceeds the limit.
    for address in ["127.0.0.3", "127.0.0.4"] {
        reading.spawn(list(server.at(address)));
    }
    let refused = timeout(PATIENCE, reading.join_next()).await.unwrap();
    let refused = refused.unwrap().unwrap();
    assert_eq!(refused, "LIMIT_REACHED store_reads_waiting");
    // Reads from memory are not limited.
    let seated = server.create(of_two()).await;
    server.info(&seated.match_id).await;
    held.let_through();
    for listed in timeout(PATIENCE, reading.join_all()).await.unwrap() {
        assert_eq!(listed, "3 matches");
    }
}

/// Requests a page of finished matches, and describes the outcome.
async fn list(caller: Caller) -> String {
    let request = ListMatchesRequest {
        filter: Some(in_state(MatchState::Ended)),
        page_size: 500,
        ..ListMatchesRequest::default()
    };
    match caller.page(request).await {
        Ok(listed) => format!("{} matches", listed.matches.len()),
        Err(refused) => format!("LIMIT_REACHED {}", limit(&refused)),
    }
}

//! One key reads a large store as fast as it can. Meanwhile, matches of others are played and
//! created, and their bots reconnect.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_proto::v1::{
    ListMatchesRequest, MatchFilter, MatchState, match_service_client::MatchServiceClient,
};
use bridgemaster_server::{
    Limits,
    identity::{KEY_METADATA, KeyScope},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{error::Elapsed, timeout},
};
use tonic::{Request, transport::Channel};
use tonic_types::StatusExt as _;

use crate::{
    connections::channel_from,
    intercepted_store::InterceptedStore,
    listing::filled,
    locked_server::LockedServer,
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer, config},
};

use KeyScope::{Create, Play, Read};

/// The number of finished matches in the store.
const MATCHES: usize = 2_000;
/// The number of concurrent calls of the reading key.
const CALLS: usize = 400;

/// A store whose reads are blocked until they are let through.
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
        let waiting = async {
            while self.at_gate.load(Ordering::SeqCst) < count {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, waiting).await.unwrap();
    }

    fn let_through(&self) {
        self.gate.add_permits(10_000);
    }

    /// Lets all reads through after `first`, even if that times out. Otherwise the blocked callers
    /// would wait forever.
    async fn let_through_after(&self, first: impl Future<Output = ()>) -> Result<(), Elapsed> {
        let done = timeout(PATIENCE, first).await;
        self.let_through();
        done
    }
}

fn limits() -> Limits {
    Limits {
        ended_matches_kept: 1,
        // Many connections are opened at once, also on a busy machine.
        preface_time: PATIENCE,
        ..Limits::default()
    }
}

#[tokio::test]
async fn an_endless_reader_delays_neither_keys_nor_matches_nor_reconnecting_bots() {
    let memory = filled(MATCHES).await;
    let held = BlockedStore::over(memory);
    // The server reads the newest ones at startup.
    held.gate.add_permits(1);
    let locked = LockedServer::over(held.store.clone(), held.memory.clone(), limits()).await;
    held.gate.forget_permits(1);
    let greedy = locked.key("tenth", &[Play]).await;
    let maker = locked.key("maker", &[Create]).await;
    let (north, south) = (
        locked.key("north", &[Play]).await,
        locked.key("south", &[Play]).await,
    );

    let seated = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let mut bots = [
        locked.with(&north).join(&seated.tickets[0]).await,
        locked.with(&south).join(&seated.tickets[1]).await,
    ];
    for bot in &mut bots {
        bot.started().await;
    }
    let server = &locked.server;
    let calls = async {
        let mut outcomes = BTreeMap::<String, usize>::new();
        let mut calling = JoinSet::new();
        for number in 0..CALLS {
            let channel = match number % 2 {
                0 => server.channel.clone(),
                _ => channel_from("127.0.0.2", server),
            };
            calling.spawn(list(channel, Some(greedy.reveal())));
        }
        while let Some(called) = calling.join_next().await {
            *outcomes.entry(called.unwrap()).or_default() += 1;
        }
        outcomes
    };
    let others = async {
        held.until_blocked(limits().store_reads).await;
        // Both bots lose their streams, reconnect, and play to the end.
        drop(bots);
        let back = [
            locked.with(&north).good_bot(&seated.tickets[0]),
            locked.with(&south).good_bot(&seated.tickets[1]),
        ];
        locked
            .with(&maker)
            .create(config(GAMES[0], 2))
            .await
            .unwrap();
        let newcomer = locked.key("newcomer", &[Read]).await;
        locked.with(&newcomer).info(&seated.match_id).await.unwrap();
        for bot in back {
            let result = bot.await.unwrap().unwrap();
            for seat in &result.seats {
                assert_eq!(
                    (seat.fault_count, seat.house_decisions),
                    (0, 0),
                    "{result:?}"
                );
            }
        }
        assert_eq!(held.at_gate.load(Ordering::SeqCst), limits().store_reads);
    };
    let (outcomes, others) = tokio::join!(calls, held.let_through_after(others));
    others.unwrap();
    // Exceeds the limit only if some calls came after others had finished.
    assert!(
        outcomes["199 matches"] >= limits().reads_per_key,
        "{outcomes:?}"
    );
    assert!(outcomes["LIMIT_REACHED reads_per_key"] > 0, "{outcomes:?}");
    assert_eq!(outcomes.len(), 2, "{outcomes:?}");
    assert_eq!(
        held.most_at_gate.load(Ordering::SeqCst),
        limits().store_reads
    );
}

#[tokio::test]
async fn a_read_limit_does_not_reveal_which_matches_exist() {
    let held = BlockedStore::over(filled(3).await);
    held.gate.add_permits(1);
    let limits = Limits {
        reads_per_key: 1,
        ..limits()
    };
    let locked = LockedServer::over(held.store.clone(), held.memory.clone(), limits).await;
    held.gate.forget_permits(1);
    let maker = locked.key("maker", &[Create]).await;
    let stranger = locked.key("stranger", &[Play]).await;
    let made = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let asking = async {
        held.until_blocked(1).await;
        for match_id in [&made.match_id, "0123456789abcdef"] {
            let refused = locked.with(&stranger).info(match_id).await.unwrap_err();
            assert_eq!(reason(&refused), "LIMIT_REACHED", "{match_id}");
        }
        // It still sees its own match.
        locked.with(&maker).info(&made.match_id).await.unwrap();
    };
    let listing = locked.with(&stranger).list();
    let (listed, asked) = tokio::join!(listing, held.let_through_after(asking));
    assert!(listed.unwrap().is_empty());
    asked.unwrap();
    for match_id in [&made.match_id, "0123456789abcdef"] {
        let refused = locked.with(&stranger).info(match_id).await.unwrap_err();
        assert_eq!(reason(&refused), "MATCH_UNKNOWN");
    }
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
    let one = channel_from("127.0.0.2", &server);
    for number in 1..=2 {
        reading.spawn(list(one.clone(), None));
        held.until_blocked(number).await;
    }
    let refused = list(one, None).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_connection");
    let other = channel_from("127.0.0.2", &server);
    reading.spawn(list(other.clone(), None));
    held.until_blocked(3).await;
    let refused = list(other, None).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_address");
    // One of these waits; the other exceeds the limit.
    for address in ["127.0.0.3", "127.0.0.4"] {
        reading.spawn(list(channel_from(address, &server), None));
    }
    let refused = timeout(PATIENCE, reading.join_next()).await.unwrap();
    assert_eq!(
        refused.unwrap().unwrap(),
        "LIMIT_REACHED store_reads_waiting"
    );
    // Reads from memory are not limited.
    let seated = server.create(config(GAMES[0], 2)).await;
    server.info(&seated.match_id).await;
    held.let_through();
    for listed in timeout(PATIENCE, reading.join_all()).await.unwrap() {
        assert_eq!(listed, "3 matches");
    }
}

/// Requests a page of ended matches, and describes the outcome.
async fn list(channel: Channel, key: Option<String>) -> String {
    let mut request = Request::new(ListMatchesRequest {
        filter: Some(MatchFilter {
            state: MatchState::Ended.into(),
            ..MatchFilter::default()
        }),
        page_size: 500,
        ..ListMatchesRequest::default()
    });
    if let Some(key) = key {
        let key = key.parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, key);
    }
    match MatchServiceClient::new(channel).list_matches(request).await {
        Ok(listed) => format!("{} matches", listed.into_inner().matches.len()),
        Err(refused) => {
            let info = refused.get_details_error_info().unwrap();
            let limit = info.metadata.get("limit").cloned().unwrap_or_default();
            format!("{} {limit}", info.reason)
        }
    }
}

//! One key reads as much as it can of a store of many matches that have ended: the matches of
//! others go on, are made, and take their bots back.

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
    hindered_store::HinderedStore,
    listing::filled,
    locked_server::LockedServer,
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer, config},
};

use KeyScope::{Create, Play, Read};

/// Finished matches in the store.
const MATCHES: usize = 2_000;
/// Calls of the key that reads.
const CALLS: usize = 400;

/// A store whose readings are held up until they are let through.
struct HeldUp {
    memory: Arc<MemoryStore>,
    store: Arc<HinderedStore>,
    gate: Arc<Semaphore>,
    /// Readings that wait at the gate, and the most that ever did.
    at_gate: Arc<AtomicUsize>,
    most_at_gate: Arc<AtomicUsize>,
}

impl HeldUp {
    fn over(memory: Arc<MemoryStore>) -> Self {
        let gate = Arc::new(Semaphore::new(0));
        let (at_gate, most_at_gate) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let hinder = {
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
            store: HinderedStore::read_over(Arc::clone(&memory) as _, hinder),
            memory,
            gate,
            at_gate,
            most_at_gate,
        }
    }

    /// Completes when so many readings are held up.
    async fn are_at_gate(&self, count: usize) {
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

    /// Lets all through after this, also when it takes too long: who waits at the gate fails then
    /// instead of waiting for ever.
    async fn let_through_after(&self, first: impl Future<Output = ()>) -> Result<(), Elapsed> {
        let done = timeout(PATIENCE, first).await;
        self.let_through();
        done
    }
}

fn limits() -> Limits {
    Limits {
        ended_matches_kept: 1,
        // Many connections are made at once, on a busy machine too.
        preface_time: PATIENCE,
        ..Limits::default()
    }
}

#[tokio::test]
async fn one_that_reads_without_end_holds_up_neither_keys_nor_matches_nor_bots_that_come_back() {
    let memory = filled(MATCHES).await;
    let held = HeldUp::over(memory);
    // The server reads the last of them when it starts.
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
        held.are_at_gate(limits().store_reads).await;
        // Both bots lose their streams and come back, and play to the end.
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
    // More than its limit only if some of its calls came when the others were through.
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
async fn who_may_read_no_more_does_not_learn_by_it_which_matches_there_are() {
    let held = HeldUp::over(filled(3).await);
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
        held.are_at_gate(1).await;
        for match_id in [&made.match_id, "0123456789abcdef"] {
            let refused = locked.with(&stranger).info(match_id).await.unwrap_err();
            assert_eq!(reason(&refused), "LIMIT_REACHED", "{match_id}");
        }
        // Its own it sees all the same.
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
async fn calls_that_read_have_a_limit_for_a_connection_an_address_and_the_server() {
    let held = HeldUp::over(filled(3).await);
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
        held.are_at_gate(number).await;
    }
    let refused = list(one, None).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_connection");
    let other = channel_from("127.0.0.2", &server);
    reading.spawn(list(other.clone(), None));
    held.are_at_gate(3).await;
    let refused = list(other, None).await;
    assert_eq!(refused, "LIMIT_REACHED reads_per_address");
    // One of these waits, and one has no place to.
    for address in ["127.0.0.3", "127.0.0.4"] {
        reading.spawn(list(channel_from(address, &server), None));
    }
    let refused = timeout(PATIENCE, reading.join_next()).await.unwrap();
    assert_eq!(
        refused.unwrap().unwrap(),
        "LIMIT_REACHED store_reads_waiting"
    );
    // Who asks for what is in memory is not concerned.
    let seated = server.create(config(GAMES[0], 2)).await;
    server.info(&seated.match_id).await;
    held.let_through();
    for listed in timeout(PATIENCE, reading.join_all()).await.unwrap() {
        assert_eq!(listed, "3 matches");
    }
}

/// What comes of a call for a page of ended matches.
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

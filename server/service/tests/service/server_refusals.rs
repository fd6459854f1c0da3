//! Bots that are refused because of the server's own failures, or because others use up the limits
//! of their address: they are not charged for it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bridgemaster_proto::v1::{
    ListGamesRequest, MatchConfig, MatchResult, MatchState, PlayRequest, PlayResponse, SeatState,
    catalog_service_client::CatalogServiceClient, play_request,
    play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::PlayError;
use bridgemaster_server::{
    Limits, Rate,
    identity::{ApiKey, KeyScope},
};
use bridgemaster_store::{
    DamagedKey, Key, KeyId, KeyStore, KeysVersion, MemoryStore, NewKey, StoreError,
};
use tokio::{select, sync::mpsc, task::JoinHandle, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Streaming};

use crate::{
    connections::channel_from,
    locked_server::LockedServer,
    metrics::scrape,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

use KeyScope::{Create, Play, Read};

/// A store whose keys cannot be read for a while.
struct FailingKeys {
    keys: Arc<MemoryStore>,
    is_unreadable: AtomicBool,
    /// The damaged key.
    damaged: Mutex<Option<KeyId>>,
    /// Whether its identifier is damaged too.
    is_id_damaged: AtomicBool,
    /// The removed key.
    removed: Mutex<Option<KeyId>>,
}

impl FailingKeys {
    fn failure(&self) -> Result<(), StoreError> {
        if self.is_unreadable.load(Ordering::Relaxed) {
            let path = "keys".into();
            return Err(StoreError::Busy { path });
        }
        Ok(())
    }
}

#[async_trait]
impl KeyStore for FailingKeys {
    async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        self.keys.add_keys(keys).await
    }
    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.failure()?;
        let mut keys = self.keys.keys().await?;
        let hidden = [&self.damaged, &self.removed].map(|id| id.lock().unwrap().clone());
        keys.retain(|key| !hidden.contains(&Some(key.id.clone())));
        Ok(keys)
    }
    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.failure()?;
        self.keys.keys_version().await
    }
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.damaged.lock().unwrap().clone();
        let Some(id) = damaged else {
            return Ok(Vec::new());
        };
        let key = self.keys.key(&id).await?.unwrap();
        let detail = "checksum mismatch".to_owned();
        Ok(vec![match self.is_id_damaged.load(Ordering::Relaxed) {
            true => DamagedKey {
                id: KeyId::new("damaged-key-1").unwrap(),
                name: Some(key.name),
                detail,
            },
            false => DamagedKey {
                id,
                name: None,
                detail,
            },
        }])
    }
    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        self.keys.remove_damaged_key(id).await
    }
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.failure()?;
        self.keys.key(id).await
    }
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.keys.revoke_key(id, revoked_at_unix_ms).await
    }
    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.keys.record_key_uses(uses).await
    }
}

/// Starts a server that trusts its cached keys only for a moment while it cannot read them.
async fn failing_keys() -> (LockedServer, Arc<FailingKeys>) {
    let keys = Arc::new(MemoryStore::new());
    let failing_keys = Arc::new(FailingKeys {
        keys,
        is_unreadable: AtomicBool::new(false),
        damaged: Mutex::new(None),
        is_id_damaged: AtomicBool::new(false),
        removed: Mutex::new(None),
    });
    (over(&failing_keys).await, failing_keys)
}

/// Starts a server over existing keys.
async fn over(failing_keys: &Arc<FailingKeys>) -> LockedServer {
    let limits = Limits {
        keys_trusted: Duration::from_millis(1),
        ..Limits::default()
    };
    let (keys, memory) = (Arc::clone(failing_keys), Arc::clone(&failing_keys.keys));
    LockedServer::with_keys(keys as _, memory, limits).await
}

/// Lists matches with a key until the call succeeds or fails as expected.
async fn until(locked: &LockedServer, key: &ApiKey, works: bool) {
    let waiting = async {
        while locked.with(key).list().await.is_ok() != works {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap();
}

/// Creates the keys of an organiser, and of two bots.
async fn makers_and_bots(locked: &LockedServer) -> (ApiKey, ApiKey, ApiKey) {
    (
        locked.key("maker", &[Create, Read]).await,
        locked.key("north", &[Play]).await,
        locked.key("south", &[Play]).await,
    )
}

fn match_of_two() -> MatchConfig {
    config(GAMES[0], 2)
}

/// Waits until a bot holds the first seat.
async fn until_joined(locked: &LockedServer, key: &ApiKey, match_id: &str) {
    let caller = locked.with(key);
    let joined = async {
        while caller.info(match_id).await.unwrap().seats[0].state() != SeatState::Connected {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, joined).await.unwrap();
}

/// Waits until the bots finish, and asserts that their matches have no fault.
async fn assert_played_without_fault(
    bots: impl IntoIterator<Item = JoinHandle<Result<MatchResult, PlayError>>>,
) {
    for bot in bots {
        let result = timeout(PATIENCE, bot).await.unwrap().unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn only_the_holder_of_a_damaged_key_learns_of_the_damage() {
    let (locked, failure) = failing_keys().await;
    let damaged = locked.key("damaged", &[Read]).await;
    let whole = locked.key("whole", &[Read]).await;
    *failure.damaged.lock().unwrap() = Some(damaged.id().clone());
    let locked = over(&failure).await;
    let refused = locked.with(&damaged).list().await.unwrap_err();
    assert_eq!(reason(&refused), "DATA_DAMAGED", "{refused:?}");
    assert!(refused.message().contains(damaged.id().as_str()));
    locked.with(&whole).list().await.unwrap();
    let stranger = ApiKey::generate();
    let refused = locked.with(&stranger).list().await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_UNKNOWN", "{refused:?}");
}

#[tokio::test]
async fn a_key_damaged_during_play_stays_valid_until_the_server_stops() {
    for is_id_damaged in [false, true] {
        damage_while_its_bot_plays(is_id_damaged).await;
    }
}

async fn damage_while_its_bot_plays(is_id_damaged: bool) {
    let (locked, failure) = failing_keys().await;
    failure
        .is_id_damaged
        .store(is_id_damaged, Ordering::Relaxed);
    let (maker, north, south) = makers_and_bots(&locked).await;
    let seated = locked.with(&maker).create(match_of_two()).await.unwrap();
    let [first, second] = &seated.tickets[..] else {
        panic!("a match of two")
    };
    let playing = locked.with(&north).good_bot(first);
    until_joined(&locked, &maker, &seated.match_id).await;

    *failure.damaged.lock().unwrap() = Some(north.id().clone());
    // Adding a key reloads the keys.
    for name in ["one", "another"] {
        let new = locked.key(name, &[Read]).await;
        until(&locked, &new, true).await;
    }
    let damaged = scrape(&locked.server).await["bridgemaster_damaged_values{what=\"key\"}"];
    assert_eq!(damaged, 1.0);
    locked.with(&north).list().await.unwrap();
    locked.with(&south).good_bot(second).await.unwrap().unwrap();
    let result = playing.await.unwrap().unwrap();
    assert_eq!(result.seats[0].bot_name, "north");
    assert_eq!(result.seats[0].fault_count, 0);

    // A removed key ends the stream like a revoked one.
    *failure.damaged.lock().unwrap() = None;
    *failure.removed.lock().unwrap() = Some(north.id().clone());
    locked.key("a third", &[Read]).await;
    until(&locked, &north, false).await;
    let refused = locked.with(&north).list().await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_UNKNOWN", "{refused:?}");
}

#[tokio::test]
async fn a_bot_reconnects_while_the_keys_are_unreadable() {
    let (locked, failure) = failing_keys().await;
    let (maker, north, south) = makers_and_bots(&locked).await;
    let seated = locked.with(&maker).create(match_of_two()).await.unwrap();
    let held = [
        locked.with(&north).join(&seated.tickets[0]).await,
        locked.with(&south).join(&seated.tickets[1]).await,
    ];
    failure.is_unreadable.store(true, Ordering::Relaxed);
    until(&locked, &maker, false).await;
    drop(held);
    // Nobody else gets its seat, and the key opens nothing else.
    for (key, seat) in [(&south, 0), (&maker, 1)] {
        let refused = locked.with(key).open(&seated.tickets[seat]).await;
        assert_eq!(reason(&refused.err().unwrap()), "KEYS_UNREADABLE");
    }
    let refused = locked.with(&north).list().await.unwrap_err();
    assert_eq!(reason(&refused), "KEYS_UNREADABLE");
    let back = [
        locked.with(&north).good_bot(&seated.tickets[0]),
        locked.with(&south).good_bot(&seated.tickets[1]),
    ];
    assert_played_without_fault(back).await;
}

#[tokio::test]
async fn a_match_waits_for_a_bot_that_could_not_be_identified_before_the_start() {
    let (locked, failure) = failing_keys().await;
    let (maker, north, south) = makers_and_bots(&locked).await;
    let short = with_clock(match_of_two(), |clock| clock.startup_ms = Some(5_000));
    let seated = locked.with(&maker).create(short.clone()).await.unwrap();
    let first = locked.with(&north).good_bot(&seated.tickets[0]);
    let caller = locked.with(&maker);
    until_joined(&locked, &maker, &seated.match_id).await;
    until(&locked, &south, true).await;
    failure.is_unreadable.store(true, Ordering::Relaxed);
    until(&locked, &maker, false).await;
    let refused = locked.with(&south).open(&seated.tickets[1]).await;
    assert_eq!(reason(&refused.err().unwrap()), "KEYS_UNREADABLE");
    failure.is_unreadable.store(false, Ordering::Relaxed);
    until(&locked, &maker, true).await;
    // A later match with the same startup time has started without its bots.
    let other = locked.with(&maker).create(short).await.unwrap();
    let started = async {
        while caller.info(&other.match_id).await.unwrap().state() == MatchState::Waiting {}
    };
    timeout(PATIENCE, started).await.unwrap();
    let info = caller.info(&seated.match_id).await.unwrap();
    assert_eq!(info.state(), MatchState::Waiting);
    let second = locked.with(&south).good_bot(&seated.tickets[1]);
    assert_played_without_fault([first, second]).await;
}

async fn join_from(
    address: &str,
    server: &TestServer,
    ticket: &str,
) -> Result<RawBot, tonic::Status> {
    let client = PlayServiceClient::new(channel_from(address, server));
    let first = request(play_request::Message::Hello(hello()));
    RawBot::open_with(client, Some(&format!("Bearer {ticket}")), first).await
}

#[tokio::test]
async fn a_bot_joins_when_others_at_its_address_exceed_the_rate() {
    let limits = Limits {
        calls_per_address: Rate {
            per_second: 1,
            burst: 3,
        },
        calls_per_seat: Rate {
            per_second: 1,
            burst: 2,
        },
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let shared = "127.0.0.2";
    let mut others = CatalogServiceClient::new(channel_from(shared, &server));
    while others.list_games(ListGamesRequest {}).await.is_ok() {}
    let mut bot = join_from(shared, &server, &seated.tickets[0])
        .await
        .unwrap();
    bot.next().await.unwrap().unwrap();
    let mut back = join_from(shared, &server, &seated.tickets[0])
        .await
        .unwrap();
    back.next().await.unwrap().unwrap();
    // Exhausts the rate limit of the seat, which allows one more call per second.
    let mut refused = None;
    for _ in 0..20 {
        while others.list_games(ListGamesRequest {}).await.is_ok() {}
        refused = refused.or(join_from(shared, &server, &seated.tickets[0]).await.err());
    }
    assert_eq!(reason(&refused.unwrap()), "LIMIT_REACHED");
    // A ticket of no seat counts against the address.
    let mut reasons = Vec::new();
    for _ in 0..10 {
        while others.list_games(ListGamesRequest {}).await.is_ok() {}
        let refused = join_from(shared, &server, &"0".repeat(32)).await;
        reasons.push(reason(&refused.err().unwrap()));
    }
    assert!(
        reasons.iter().any(|reason| reason == "LIMIT_REACHED"),
        "{reasons:?}"
    );
}

/// Opens a stream with a ticket without sending anything; the sender keeps it open.
async fn silent(
    server: &TestServer,
    ticket: &str,
) -> (Streaming<PlayResponse>, mpsc::Sender<PlayRequest>) {
    let (outbound, messages) = mpsc::channel(1);
    let mut request = Request::new(ReceiverStream::new(messages));
    let authorization = format!("Bearer {ticket}").parse().unwrap();
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let inbound = server.player().await.play(request).await.unwrap();
    (inbound.into_inner(), outbound)
}

#[tokio::test]
async fn a_ticket_has_at_most_one_stream_before_hello() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let ticket = &seated.tickets[0];
    let _bot = RawBot::join(&server, ticket).await;
    let (mut older, _keeps_open) = silent(&server, ticket).await;
    let (mut newer, _keeps_open_too) = silent(&server, ticket).await;
    let ended = timeout(PATIENCE, older.message()).await.unwrap();
    assert_eq!(reason(&ended.unwrap_err()), "SUPERSEDED");
    // Neither the newer stream ends nor the one that holds the seat.
    select! {
        ended = newer.message() => panic!("{ended:?}"),
        info = server.info(&seated.match_id) => {
            assert_eq!(info.seats[0].state(), SeatState::Connected);
        }
    }
}

#[tokio::test]
async fn without_keys_other_streams_of_an_address_do_not_lock_out_a_bot() {
    let server = TestServer::with_limits(Limits {
        bot_streams_per_caller: 1,
        ..Limits::default()
    })
    .await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut bots = Vec::new();
    for ticket in &seated.tickets {
        bots.push(RawBot::join(&server, ticket).await);
    }
    for bot in &mut bots {
        bot.started().await;
    }
}

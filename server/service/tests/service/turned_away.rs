//! Bots that come to their seats when the server has trouble of its own, or when others at their
//! address use up what the address may have: it costs them nothing.

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
    DamagedKey, Key, KeyId, KeyStore, KeysMark, MemoryStore, NewKey, StoreError,
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

/// Keys that cannot be read for a while.
struct Troubled {
    keys: Arc<MemoryStore>,
    is_unreadable: AtomicBool,
    /// One that is damaged.
    damaged: Mutex<Option<KeyId>>,
    /// Whether its id is damaged too.
    is_id_damaged: AtomicBool,
    /// One that was removed.
    removed: Mutex<Option<KeyId>>,
}

impl Troubled {
    fn trouble(&self) -> Result<(), StoreError> {
        if self.is_unreadable.load(Ordering::Relaxed) {
            let path = "keys".into();
            return Err(StoreError::Busy { path });
        }
        Ok(())
    }
}

#[async_trait]
impl KeyStore for Troubled {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.keys.add_key(key).await
    }
    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.trouble()?;
        let mut keys = self.keys.keys().await?;
        let hidden = [&self.damaged, &self.removed].map(|id| id.lock().unwrap().clone());
        keys.retain(|key| !hidden.contains(&Some(key.id.clone())));
        Ok(keys)
    }
    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        self.trouble()?;
        self.keys.keys_mark().await
    }
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.damaged.lock().unwrap().clone();
        let Some(id) = damaged else {
            return Ok(Vec::new());
        };
        let key = self.keys.key(&id).await?.unwrap();
        let detail = "its checksum differs".to_owned();
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
        self.trouble()?;
        self.keys.key(id).await
    }
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.keys.revoke_key(id, revoked_at_unix_ms).await
    }
    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.keys.note_key_uses(uses).await
    }
}

/// A server that trusts its keys for a moment only when it cannot read them, and those keys.
async fn troubled() -> (LockedServer, Arc<Troubled>) {
    let keys = Arc::new(MemoryStore::new());
    let troubled = Arc::new(Troubled {
        keys,
        is_unreadable: AtomicBool::new(false),
        damaged: Mutex::new(None),
        is_id_damaged: AtomicBool::new(false),
        removed: Mutex::new(None),
    });
    (over(&troubled).await, troubled)
}

/// A server over keys that may be there already.
async fn over(troubled: &Arc<Troubled>) -> LockedServer {
    let limits = Limits {
        keys_trusted: Duration::from_millis(1),
        ..Limits::default()
    };
    let (keys, memory) = (Arc::clone(troubled), Arc::clone(&troubled.keys));
    LockedServer::with_keys(keys as _, memory, limits).await
}

/// Lists with a key until that ends as it is meant to.
async fn until(locked: &LockedServer, key: &ApiKey, works: bool) {
    let waiting = async {
        while locked.with(key).list().await.is_ok() != works {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap();
}

/// Keys: of who makes matches and looks at them, and of two bots.
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

/// Waits for the ends of bots, whose matches have no fault.
async fn assert_played_without_fault(
    bots: impl IntoIterator<Item = JoinHandle<Result<MatchResult, PlayError>>>,
) {
    for bot in bots {
        let result = timeout(PATIENCE, bot).await.unwrap().unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn the_holder_of_a_damaged_key_is_told_so_and_others_are_not() {
    let (locked, trouble) = troubled().await;
    let damaged = locked.key("damaged", &[Read]).await;
    let whole = locked.key("whole", &[Read]).await;
    *trouble.damaged.lock().unwrap() = Some(damaged.id().clone());
    let locked = over(&trouble).await;
    let refused = locked.with(&damaged).list().await.unwrap_err();
    assert_eq!(reason(&refused), "DATA_DAMAGED", "{refused:?}");
    assert!(refused.message().contains(damaged.id().as_str()));
    locked.with(&whole).list().await.unwrap();
    let stranger = ApiKey::draw();
    let refused = locked.with(&stranger).list().await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_UNKNOWN", "{refused:?}");
}

#[tokio::test]
async fn a_key_that_is_damaged_while_its_bot_plays_is_good_until_the_server_ends() {
    for is_id_damaged in [false, true] {
        damage_while_its_bot_plays(is_id_damaged).await;
    }
}

async fn damage_while_its_bot_plays(is_id_damaged: bool) {
    let (locked, trouble) = troubled().await;
    trouble
        .is_id_damaged
        .store(is_id_damaged, Ordering::Relaxed);
    let (maker, north, south) = makers_and_bots(&locked).await;
    let seated = locked.with(&maker).create(match_of_two()).await.unwrap();
    let [first, second] = &seated.tickets[..] else {
        panic!("a match of two")
    };
    let playing = locked.with(&north).good_bot(first);
    until_joined(&locked, &maker, &seated.match_id).await;

    *trouble.damaged.lock().unwrap() = Some(north.id().clone());
    // The keys are read again when there is a new one.
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

    // Removed, it ends as a revoked one does.
    *trouble.damaged.lock().unwrap() = None;
    *trouble.removed.lock().unwrap() = Some(north.id().clone());
    locked.key("a third", &[Read]).await;
    until(&locked, &north, false).await;
    let refused = locked.with(&north).list().await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_UNKNOWN", "{refused:?}");
}

#[tokio::test]
async fn a_bot_comes_back_to_its_seat_while_the_keys_cannot_be_read() {
    let (locked, trouble) = troubled().await;
    let (maker, north, south) = makers_and_bots(&locked).await;
    let seated = locked.with(&maker).create(match_of_two()).await.unwrap();
    let held = [
        locked.with(&north).join(&seated.tickets[0]).await,
        locked.with(&south).join(&seated.tickets[1]).await,
    ];
    trouble.is_unreadable.store(true, Ordering::Relaxed);
    until(&locked, &maker, false).await;
    drop(held);
    // Nobody else gets its seat, and nobody gets anything else.
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
async fn a_match_waits_for_a_bot_that_could_not_be_told_from_others_before_the_start() {
    let (locked, trouble) = troubled().await;
    let (maker, north, south) = makers_and_bots(&locked).await;
    let short = with_clock(match_of_two(), |clock| clock.startup_ms = Some(5_000));
    let seated = locked.with(&maker).create(short.clone()).await.unwrap();
    let first = locked.with(&north).good_bot(&seated.tickets[0]);
    let caller = locked.with(&maker);
    until_joined(&locked, &maker, &seated.match_id).await;
    until(&locked, &south, true).await;
    trouble.is_unreadable.store(true, Ordering::Relaxed);
    until(&locked, &maker, false).await;
    let refused = locked.with(&south).open(&seated.tickets[1]).await;
    assert_eq!(reason(&refused.err().unwrap()), "KEYS_UNREADABLE");
    trouble.is_unreadable.store(false, Ordering::Relaxed);
    until(&locked, &maker, true).await;
    // Another of the same start-up time, made later, has started without its bots.
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
async fn a_bot_comes_to_its_seat_when_others_at_its_address_call_too_often() {
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
    // Its own rate, of which it has used all. It has one call more in each second that passes.
    let mut refused = None;
    for _ in 0..20 {
        while others.list_games(ListGamesRequest {}).await.is_ok() {}
        refused = refused.or(join_from(shared, &server, &seated.tickets[0]).await.err());
    }
    assert_eq!(reason(&refused.unwrap()), "LIMIT_REACHED");
    // A ticket of no seat opens nothing, and has no call besides those of the address.
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

/// A stream with a ticket on which nothing is said, and what keeps it open.
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
async fn a_ticket_holds_one_stream_that_has_not_said_hello() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let ticket = &seated.tickets[0];
    let _bot = RawBot::join(&server, ticket).await;
    let (mut older, _keeps_open) = silent(&server, ticket).await;
    let (mut newer, _keeps_open_too) = silent(&server, ticket).await;
    let ended = timeout(PATIENCE, older.message()).await.unwrap();
    assert_eq!(reason(&ended.unwrap_err()), "SUPERSEDED");
    // Neither the newer one ends nor the stream that has the seat.
    select! {
        ended = newer.message() => panic!("{ended:?}"),
        info = server.info(&seated.match_id) => {
            assert_eq!(info.seats[0].state(), SeatState::Connected);
        }
    }
}

#[tokio::test]
async fn without_keys_the_streams_of_others_at_an_address_keep_no_bot_from_its_seat() {
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

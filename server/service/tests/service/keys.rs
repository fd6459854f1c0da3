//! API keys: which calls a key may make, and which bot holds a seat.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_proto::{DESCRIPTORS, v1::SeatState};
use bridgemaster_server::{
    Limits, ServerOptions,
    identity::{
        ApiKey, KEY_METADATA,
        KeyScope::{self, Create, Play, Read},
    },
};
use bridgemaster_store::{KeyStore as _, MemoryStore, Store as _};
use prost_reflect::DescriptorPool;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    caller::{Caller, play_by},
    intercepted_store::InterceptedStore,
    metrics::scrape,
    raw_bot::{RawBot, hello_message},
    raw_call::{LIST_MATCHES, call},
    streams::{PATIENCE, end, outcome, reason, until},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two, with_clock, with_limits},
};

/// Returns the paths of all methods that require a key.
pub(crate) fn locked_methods() -> Vec<String> {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let services = ["Play", "Match", "Lobby", "Ladder", "Seat", "Rules"];
    let paths = services.iter().flat_map(|name| {
        let name = format!("bridgemaster.v1.{name}Service");
        let service = pool.get_service_by_name(&name).unwrap();
        let methods: Vec<_> = service.methods().collect();
        methods.into_iter().map(move |method| format!("/{name}/{}", method.name()))
    });
    paths.collect()
}

#[tokio::test]
async fn every_method_refuses_a_call_without_a_valid_key() {
    let server =
        TestServer::locked(ServerOptions { rules: true, ..ServerOptions::default() }).await;
    let all = &KeyScope::ALL;
    let good = server.caller("good", all).await;
    let revoked = server.caller("old", all).await;
    server.revoke(&revoked).await;
    let expired = server.caller_with("of yesterday", all, None, Some(2)).await;
    let text = |caller: &Caller| caller.key().reveal();
    let forged = ApiKey::generate().reveal();
    let (_, secret) = forged.rsplit_once('_').unwrap();
    let with_secret = |caller: &Caller| format!("bmk_{}_{secret}", caller.key().id());
    let shown = |texts: &[String]| -> Vec<(&'static str, String)> {
        texts.iter().map(|text| (KEY_METADATA, text.clone())).collect()
    };
    let bearer = format!("Bearer {}", text(&good));
    let cases = [
        (vec![], "KEY_MISSING"),
        (shown(&[text(&good), text(&good)]), "KEY_MISSING"),
        (shown(&[String::new()]), "KEY_UNKNOWN"),
        (shown(&["bmk".to_owned()]), "KEY_UNKNOWN"),
        (shown(std::slice::from_ref(&forged)), "KEY_UNKNOWN"),
        (shown(&[with_secret(&good)]), "KEY_UNKNOWN"),
        (shown(&[with_secret(&revoked)]), "KEY_UNKNOWN"),
        (shown(&[text(&revoked)]), "KEY_REVOKED"),
        (shown(&[text(&expired)]), "KEY_EXPIRED"),
        (vec![("authorization", bearer)], "KEY_MISSING"),
    ];
    // A match in play makes WatchMatches send an update.
    good.create(of_two()).await;
    let methods = locked_methods();
    assert_eq!(methods.len(), 45, "{methods:?}");
    for path in methods {
        for (metadata, why) in &cases {
            let values: Vec<_> = metadata.iter().map(|(name, text)| (*name, &**text)).collect();
            let status = call(&server, &path, &values).await.expect_err(&path);
            assert_eq!(reason(&status), *why, "{path} {metadata:?}");
            assert_eq!(status.code(), Code::Unauthenticated);
            assert!(!format!("{status:?}").contains(secret));
        }
        // The key is valid, so the call fails for another reason or succeeds.
        let called = call(&server, &path, &[(KEY_METADATA, &*text(&good))]).await;
        let info = called.err().and_then(|status| status.get_details_error_info());
        let why = info.map(|info| info.reason).unwrap_or_default();
        assert!(!why.starts_with("KEY_"), "{path}");
    }
}

#[tokio::test]
async fn the_catalog_and_health_are_public_and_a_server_without_keys_ignores_keys() {
    let server = TestServer::locked(ServerOptions::default()).await;
    server.list_games().await.unwrap();
    let path = "/grpc.health.v1.Health/Check";
    call(&server, path, &[]).await.unwrap();
    let server = TestServer::open().await;
    server.with(&ApiKey::generate()).list().await.unwrap();
    call(&server, LIST_MATCHES, &[]).await.unwrap();
}

fn assert_lacks(status: &Status, scope: &str) {
    assert_eq!(reason(status), "SCOPE_MISSING");
    assert_eq!(status.code(), Code::PermissionDenied);
    let metadata = status.get_details_error_info().unwrap().metadata;
    assert_eq!(metadata["scope"], scope);
}

#[tokio::test]
async fn a_key_may_do_only_what_its_scopes_allow() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let player = server.caller("player", &[Play]).await;
    let reader = server.caller("reader", &[Read]).await;
    let nothing = server.caller("nothing", &[]).await;

    let seated = maker.create(of_two()).await;
    for caller in [&player, &reader, &nothing] {
        let refused = caller.try_create(of_two()).await;
        assert_lacks(&refused.err().unwrap(), "create");
    }
    for caller in [&maker, &reader, &nothing] {
        let refused = RawBot::try_join(caller, &seated.tickets[0]).await;
        assert_lacks(&refused.err().unwrap(), "play");
    }
    let id = seated.match_id.as_str();
    for caller in [&player, &nothing] {
        // Two identifiers of the same form: that of another caller's match, and one that does not
        // exist.
        let unknown: String = id.chars().rev().collect();
        let mut refusals = Vec::new();
        for id in [id, &unknown] {
            for refused in [
                caller.try_info(id).await.unwrap_err(),
                caller.watch(id).await.unwrap_err(),
                caller.replay(id).await.unwrap_err(),
            ] {
                assert_eq!(reason(&refused), "MATCH_UNKNOWN");
                let metadata = refused.get_details_error_info().unwrap().metadata;
                assert!(metadata.is_empty(), "{metadata:?}");
                refusals.push((refused.code(), refused.message().replace(id, "ID")));
            }
        }
        refusals.dedup();
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert!(refusals[0].1.contains("the `read` scope"), "{refusals:?}");
        assert!(caller.list().await.unwrap().is_empty());
    }
    for caller in [&maker, &reader] {
        caller.info(id).await;
        caller.watch(id).await.unwrap();
        assert_eq!(outcome(caller.replay(id).await), "MATCH_RUNNING");
        assert_eq!(caller.list().await.unwrap(), [id]);
    }
    // Once its bot has a seat, the player may see the match too.
    let _bot = player.join(&seated.tickets[0]).await;
    player.info(id).await;
    assert_eq!(player.list().await.unwrap(), [id]);
}

#[tokio::test]
async fn a_list_skips_matches_that_a_key_may_not_see() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let one = server.caller("one", &[Create]).await;
    let other = server.caller("other", &[Create]).await;
    let mut made = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        for (caller, made) in [&one, &other].iter().zip(&mut made) {
            made.insert(0, caller.create(of_two()).await.match_id);
        }
    }
    assert_eq!(one.list().await.unwrap(), made[0]);
    assert_eq!(other.list().await.unwrap(), made[1]);
}

#[tokio::test]
async fn a_ticket_used_with_another_key_takes_no_seat() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let owner = server.caller("owner", &[Play]).await;
    let other = server.caller("other", &[Play]).await;
    let thief = server.caller("thief", &[Create, Play, Read]).await;
    for game in GAMES {
        let seated = maker.create(config(game, 2)).await;
        let ticket = &seated.tickets[0];
        let held = owner.join(ticket).await;
        let stolen = RawBot::refused(&thief, ticket, hello_message()).await;
        assert_eq!(reason(&stolen), "SEAT_OF_ANOTHER_KEY");
        assert_eq!(stolen.code(), Code::PermissionDenied);

        // Holds even while the owner's stream is lost.
        drop(held);
        until("the seat is paused", async || {
            owner.info(&seated.match_id).await.seats[0].state() == SeatState::Paused
        })
        .await;
        let stolen = RawBot::refused(&thief, ticket, hello_message()).await;
        assert_eq!(reason(&stolen), "SEAT_OF_ANOTHER_KEY");

        let result = play_by(&[&owner, &other], &seated).await;
        assert_faultless(&result);
        // A bot has the name of its key.
        let names = result.seats.iter().map(|seat| &*seat.bot_name);
        assert!(names.eq(["owner", "other"]), "{game}: {result:?}");
    }
}

#[tokio::test]
async fn revoking_a_key_ends_its_streams_and_a_new_key_of_the_same_name_reconnects() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create, Play]).await;
    let lost = server.caller("bot", &[Play]).await;
    let long = with_clock(of_two(), |clock| clock.reconnect_ms = None);
    let seated = maker.create(long).await;
    let playing = lost.join(&seated.tickets[0]).await;
    let mut updates = lost.watch(&seated.match_id).await.unwrap();

    server.revoke(&lost).await;
    assert_eq!(reason(&playing.end().await.unwrap()), "KEY_REVOKED");
    assert_eq!(reason(&end(&mut updates).await), "KEY_REVOKED");
    let refused = RawBot::try_join(&lost, &seated.tickets[0]).await;
    assert_eq!(outcome(refused), "KEY_REVOKED");

    let renewed = server.caller("bot", &[Play]).await;
    let result = play_by(&[&renewed, &maker], &seated).await;
    assert_eq!(result.seats[0].bot_name, "bot");
    assert_faultless(&result);
}

#[tokio::test]
async fn a_stream_ends_when_its_key_expires() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let id = maker.create(of_two()).await.match_id;
    let mut lifetime_ms = 500;
    // A busy machine may be too slow to open the stream in that time.
    let mut updates = loop {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let end_unix_ms = i64::try_from(since.as_millis()).unwrap() + lifetime_ms;
        let name = format!("for {lifetime_ms} ms");
        let caller = server.caller_with(&name, &[Read], None, Some(end_unix_ms));
        match caller.await.watch(&id).await {
            Ok(updates) => break updates,
            Err(status) => assert_eq!(reason(&status), "KEY_EXPIRED"),
        }
        lifetime_ms *= 2;
    };
    assert_eq!(reason(&end(&mut updates).await), "KEY_EXPIRED");
}

#[tokio::test]
async fn a_stopping_server_stores_when_its_keys_were_last_used() {
    let limits = Limits {
        // Uses are also stored at this interval, and therefore never during the test.
        key_cache_time: Duration::from_secs(3600),
        ..Limits::default()
    };
    let mut server = TestServer::locked(with_limits(limits)).await;
    let reader = server.caller("reader", &[Read]).await;
    reader.list().await.unwrap();
    server.stop.cancel();
    server.ended().await.unwrap();
    let kept = server.keys.key(reader.key().id()).await.unwrap().unwrap();
    assert!(kept.last_used_at_unix_ms.is_some());
}

#[tokio::test]
async fn cached_keys_stay_valid_for_a_limited_time_while_the_store_is_unreadable() {
    for (trusted, is_trusted) in [(PATIENCE, true), (Duration::from_millis(1), false)] {
        let limits = Limits { keys_trusted: trusted, ..Limits::default() };
        let server = TestServer::locked(with_limits(limits)).await;
        let maker = server.caller("maker", &[Create]).await;
        until("the key is known", async || maker.list().await.is_ok()).await;
        server.keys.close().await.unwrap();
        // The poll that was in progress when the store was closed may still complete.
        let stranger = server.with(&ApiKey::generate());
        let refused = if is_trusted { &stranger } else { &maker };
        until("the key is refused", async || refused.list().await.is_err()).await;
        let refused = refused.list().await.unwrap_err();
        assert_eq!(reason(&refused), "KEYS_UNREADABLE");
        assert_eq!(refused.code(), Code::Unavailable);
        assert_eq!(maker.list().await.is_ok(), is_trusted);
    }
}

/// A server that trusts cached keys only briefly while they cannot be read, and the keys of an
/// organiser and of two bots.
struct FailingKeys {
    server: TestServer,
    store: Arc<InterceptedStore>,
    maker: Caller,
    bots: [Caller; 2],
}

impl FailingKeys {
    async fn open() -> Self {
        let memory = Arc::new(MemoryStore::new());
        let store = Arc::new(InterceptedStore::over(Arc::clone(&memory) as _));
        let limits = Limits { keys_trusted: Duration::from_millis(1), ..Limits::default() };
        let server = TestServer::locked_over(Arc::clone(&store), memory, limits).await;
        Self {
            maker: server.caller("maker", &[Create, Read]).await,
            bots: [server.caller("north", &[Play]).await, server.caller("south", &[Play]).await],
            server,
            store,
        }
    }

    async fn set_unreadable(&self, are_unreadable: bool) {
        self.store.key_faults().are_unreadable = are_unreadable;
        until_works(&self.maker, !are_unreadable).await;
    }
}

/// Lists matches until the call succeeds or fails, as expected.
async fn until_works(caller: &Caller, works: bool) {
    until("the key is used as expected", async || caller.list().await.is_ok() == works).await;
}

/// Waits until a bot holds the first seat.
async fn until_joined(maker: &Caller, match_id: &str) {
    until("the bot has joined", async || {
        maker.info(match_id).await.seats[0].state() == SeatState::Connected
    })
    .await;
}

#[tokio::test]
async fn only_the_holder_of_a_damaged_key_learns_of_the_damage() {
    let mut failing = FailingKeys::open().await;
    let [damaged, whole] = &failing.bots;
    failing.store.key_faults().damaged = Some(damaged.key().id().clone());
    failing.server.restart().await;
    let server = &failing.server;
    let refused = server.with(damaged.key()).list().await.unwrap_err();
    assert_eq!(reason(&refused), "DATA_DAMAGED", "{refused:?}");
    assert!(refused.message().contains(damaged.key().id().as_str()));
    server.with(whole.key()).list().await.unwrap();
    let stranger = server.with(&ApiKey::generate());
    assert_eq!(outcome(stranger.list().await), "KEY_UNKNOWN");
}

#[tokio::test]
async fn a_key_damaged_during_play_stays_valid_until_the_server_stops() {
    for is_id_damaged in [false, true] {
        let failing = FailingKeys::open().await;
        let ([north, south], maker) = (&failing.bots, &failing.maker);
        let faults = || failing.store.key_faults();
        faults().is_id_damaged = is_id_damaged;
        let seated = maker.create(of_two()).await;
        let playing = north.good_bot(&seated.tickets[0]);
        until_joined(maker, &seated.match_id).await;

        faults().damaged = Some(north.key().id().clone());
        // Adding a key reloads the keys.
        for name in ["one", "another"] {
            until_works(&failing.server.caller(name, &[Read]).await, true).await;
        }
        let damaged = "bridgemaster_damaged_values{what=\"key\"}";
        assert_eq!(scrape(&failing.server).await[damaged], 1.0);
        north.list().await.unwrap();
        let good = south.good_bot(&seated.tickets[1]);
        let result = playing.await.unwrap().unwrap();
        good.await.unwrap().unwrap();
        assert_eq!(result.seats[0].bot_name, "north");
        assert_faultless(&result);

        // The removal of a key ends the stream, as a revocation does.
        faults().damaged = None;
        faults().removed = Some(north.key().id().clone());
        failing.server.caller("a third", &[Read]).await;
        until_works(north, false).await;
        assert_eq!(outcome(north.list().await), "KEY_UNKNOWN");
    }
}

#[tokio::test]
async fn a_bot_reconnects_while_the_keys_are_unreadable() {
    let failing = FailingKeys::open().await;
    let ([north, south], maker) = (&failing.bots, &failing.maker);
    let seated = maker.create(of_two()).await;
    let held = [north.join(&seated.tickets[0]).await, south.join(&seated.tickets[1]).await];
    failing.set_unreadable(true).await;
    drop(held);
    // No other caller gets its seat, and the key gives no other access.
    for (caller, seat) in [(south, 0), (maker, 1)] {
        let refused = RawBot::try_join(caller, &seated.tickets[seat]).await;
        assert_eq!(outcome(refused), "KEYS_UNREADABLE");
    }
    assert_eq!(outcome(north.list().await), "KEYS_UNREADABLE");
    assert_faultless(&play_by(&[north, south], &seated).await);
}

#[tokio::test]
async fn a_match_waits_for_a_bot_that_could_not_be_identified_before_the_start() {
    use bridgemaster_proto::v1::MatchState::Waiting;

    let failing = FailingKeys::open().await;
    let ([north, south], maker) = (&failing.bots, &failing.maker);
    let short = with_clock(of_two(), |clock| clock.startup_ms = Some(5_000));
    let seated = maker.create(short.clone()).await;
    let first = north.good_bot(&seated.tickets[0]);
    until_joined(maker, &seated.match_id).await;
    until_works(south, true).await;
    failing.set_unreadable(true).await;
    let refused = RawBot::try_join(south, &seated.tickets[1]).await;
    assert_eq!(outcome(refused), "KEYS_UNREADABLE");
    failing.set_unreadable(false).await;
    // A later match with the same start-up time has started without its bots.
    let other = maker.create(short).await;
    until("the later match starts", async || maker.info(&other.match_id).await.state() != Waiting)
        .await;
    assert_eq!(maker.info(&seated.match_id).await.state(), Waiting);
    let second = south.good_bot(&seated.tickets[1]);
    for bot in [first, second] {
        assert_faultless(&bot.await.unwrap().unwrap());
    }
}

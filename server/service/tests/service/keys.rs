//! API keys: which calls a key may make, and whose bot holds a seat.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{ListGamesRequest, SeatState},
};
use bridgemaster_server::{
    Limits, ServerOptions,
    identity::{ApiKey, KEY_METADATA, KeyScope},
};
use bridgemaster_store::{KeyStore as _, MemoryStore};
use prost_reflect::DescriptorPool;
use tokio::time::timeout;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

use crate::{
    locked_server::LockedServer,
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

use KeyScope::{Create, Play, Read};

/// Returns the paths of all methods that require a key.
pub(crate) fn locked_methods() -> Vec<String> {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let locked = [
        "bridgemaster.v1.PlayService",
        "bridgemaster.v1.MatchService",
        "bridgemaster.v1.LobbyService",
        "bridgemaster.v1.LadderService",
        "bridgemaster.v1.SeatService",
        "bridgemaster.v1.RulesService",
    ];
    let paths = locked.iter().flat_map(|name| {
        let service = pool.get_service_by_name(name).unwrap();
        let methods: Vec<_> = service.methods().collect();
        methods
            .into_iter()
            .map(move |method| format!("/{name}/{}", method.name()))
    });
    paths.collect()
}

/// Calls a method with this metadata and an empty message, and returns the status.
pub(crate) async fn call(
    server: &TestServer,
    path: &str,
    metadata: &[(&'static str, String)],
) -> Status {
    let mut client = tonic::client::Grpc::new(server.channel.clone());
    client.ready().await.unwrap();
    let mut request = Request::new(tokio_stream::once(()));
    for (name, value) in metadata {
        request.metadata_mut().append(*name, value.parse().unwrap());
    }
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let called = client
        .streaming(request, path.parse().unwrap(), codec)
        .await;
    match called {
        Err(status) => status,
        Ok(response) => {
            let mut inbound = response.into_inner();
            inbound
                .message()
                .await
                .err()
                .unwrap_or_else(|| Status::ok(""))
        }
    }
}

#[tokio::test]
async fn every_method_refuses_a_call_without_a_valid_key() {
    let locked = LockedServer::with_rules(Limits::default()).await;
    let all = &KeyScope::ALL;
    let (good, revoked) = (locked.key("good", all).await, locked.key("old", all).await);
    locked.keys.revoke_key(revoked.id(), 2).await.unwrap();
    let expired = locked.expiring_key("of yesterday", all, Some(2)).await;
    let forged = ApiKey::generate().reveal();
    let (_, secret) = forged.rsplit_once('_').unwrap();
    let shown = |text: &str| vec![(KEY_METADATA, text.to_owned())];
    let cases = [
        (vec![], "KEY_MISSING"),
        (
            [shown(&good.reveal()), shown(&good.reveal())].concat(),
            "KEY_MISSING",
        ),
        (shown(""), "KEY_UNKNOWN"),
        (shown("bmk"), "KEY_UNKNOWN"),
        (shown(&forged), "KEY_UNKNOWN"),
        (shown(&format!("bmk_{}_{secret}", good.id())), "KEY_UNKNOWN"),
        (
            shown(&format!("bmk_{}_{secret}", revoked.id())),
            "KEY_UNKNOWN",
        ),
        (shown(&revoked.reveal()), "KEY_REVOKED"),
        (shown(&expired.reveal()), "KEY_EXPIRED"),
        (
            vec![("authorization", format!("Bearer {}", good.reveal()))],
            "KEY_MISSING",
        ),
    ];
    // A match in play makes WatchMatches send an update.
    let made = locked.with(&good).create(config(GAMES[0], 2)).await;
    made.unwrap();
    let methods = locked_methods();
    assert_eq!(methods.len(), 43, "{methods:?}");
    for path in methods {
        for (metadata, why) in &cases {
            let status = call(&locked.server, &path, metadata).await;
            assert_eq!(reason(&status), *why, "{path} {metadata:?}");
            assert_eq!(status.code(), Code::Unauthenticated);
            assert!(!format!("{status:?}").contains(secret));
        }
        // The key is valid, so the call fails for another reason or succeeds.
        let status = call(&locked.server, &path, &shown(&good.reveal())).await;
        let why = status.get_details_error_info().map(|info| info.reason);
        assert!(!why.unwrap_or_default().starts_with("KEY_"), "{path}");
    }
}

#[tokio::test]
async fn the_catalog_and_health_of_a_server_are_public() {
    let locked = LockedServer::open().await;
    let games = locked
        .server
        .catalog()
        .list_games(ListGamesRequest {})
        .await;
    assert!(!games.unwrap().into_inner().games.is_empty());
    let path = "/grpc.health.v1.Health/Check";
    assert_eq!(call(&locked.server, path, &[]).await.code(), Code::Ok);
}

#[tokio::test]
async fn a_server_without_keys_ignores_keys() {
    let server = TestServer::open().await;
    let shown = [(KEY_METADATA, ApiKey::generate().reveal())];
    let path = "/bridgemaster.v1.MatchService/ListMatches";
    assert_eq!(call(&server, path, &shown).await.code(), Code::Ok);
}

fn assert_lacks(status: &Status, scope: &str) {
    assert_eq!(reason(status), "SCOPE_MISSING");
    assert_eq!(status.code(), Code::PermissionDenied);
    let metadata = status.get_details_error_info().unwrap().metadata;
    assert_eq!(metadata["scope"], scope);
}

#[tokio::test]
async fn a_key_may_do_only_what_its_scopes_allow() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let player = locked.key("player", &[Play]).await;
    let reader = locked.key("reader", &[Read]).await;
    let nothing = locked.key("nothing", &[]).await;

    let seated = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    for key in [&player, &reader, &nothing] {
        let refused = locked.with(key).create(config(GAMES[0], 2)).await;
        assert_lacks(&refused.err().unwrap(), "create");
    }
    for key in [&maker, &reader, &nothing] {
        let refused = locked.with(key).open(&seated.tickets[0]).await;
        assert_lacks(&refused.err().unwrap(), "play");
    }
    let id = seated.match_id.as_str();
    for key in [&player, &nothing] {
        let caller = locked.with(key);
        // Identifiers of the same form: of another caller's match, and of none.
        let unknown: String = id.chars().rev().collect();
        let mut refusals = Vec::new();
        for id in [id, &unknown] {
            for refused in [
                caller.info(id).await.unwrap_err(),
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
    for key in [&maker, &reader] {
        let caller = locked.with(key);
        caller.info(id).await.unwrap();
        caller.watch(id).await.unwrap();
        assert_eq!(
            reason(&caller.replay(id).await.unwrap_err()),
            "MATCH_RUNNING"
        );
        assert_eq!(caller.list().await.unwrap(), [id]);
    }
    // Once its bot has a seat, the player may see the match too.
    let _bot = locked.with(&player).join(&seated.tickets[0]).await;
    locked.with(&player).info(id).await.unwrap();
    assert_eq!(locked.with(&player).list().await.unwrap(), [id]);
}

#[tokio::test]
async fn a_list_skips_matches_that_a_key_may_not_see() {
    let locked = LockedServer::open().await;
    let one = locked.key("one", &[Create]).await;
    let other = locked.key("other", &[Create]).await;
    let mut made = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        for (key, made) in [&one, &other].iter().zip(&mut made) {
            let seated = locked.with(key).create(config(GAMES[0], 2)).await.unwrap();
            made.insert(0, seated.match_id);
        }
    }
    assert_eq!(locked.with(&one).list().await.unwrap(), made[0]);
    assert_eq!(locked.with(&other).list().await.unwrap(), made[1]);
}

#[tokio::test]
async fn a_bot_has_the_name_of_its_key_and_plays_a_whole_match() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    for game in GAMES {
        let seated = locked.with(&maker).create(config(game, 2)).await.unwrap();
        let names = ["wherryman", "lighterman"].map(|name| format!("{name} of {game}"));
        let mut bots = Vec::new();
        for (name, ticket) in names.iter().zip(&seated.tickets) {
            let key = locked.key(name, &[Play]).await;
            bots.push(locked.with(&key).good_bot(ticket));
        }
        for bot in bots {
            let result = bot.await.unwrap().unwrap();
            let names_in_result: Vec<_> = result.seats.iter().map(|seat| &seat.bot_name).collect();
            assert_eq!(names_in_result, [&names[0], &names[1]]);
        }
    }
}

#[tokio::test]
async fn a_ticket_used_with_another_key_takes_no_seat() {
    let locked = LockedServer::open().await;
    let owner = locked.key("owner", &[Create, Play]).await;
    let thief = locked.key("thief", &[Create, Play, Read]).await;
    for game in GAMES {
        let seated = locked.with(&owner).create(config(game, 2)).await.unwrap();
        let held = locked.with(&owner).join(&seated.tickets[0]).await;
        let stolen = locked.with(&thief).open(&seated.tickets[0]).await.unwrap();
        let end = stolen.end().await.unwrap();
        assert_eq!(reason(&end), "SEAT_OF_ANOTHER_KEY");
        assert_eq!(end.code(), Code::PermissionDenied);

        // Also while the owner's stream is lost.
        drop(held);
        let seat = async || {
            locked
                .with(&owner)
                .info(&seated.match_id)
                .await
                .unwrap()
                .seats[0]
                .clone()
        };
        while seat().await.state() != SeatState::Paused {}
        let stolen = locked.with(&thief).open(&seated.tickets[0]).await.unwrap();
        assert_eq!(reason(&stolen.end().await.unwrap()), "SEAT_OF_ANOTHER_KEY");

        let (back, other) = (
            locked.with(&owner).good_bot(&seated.tickets[0]),
            locked.with(&owner).good_bot(&seated.tickets[1]),
        );
        let result = back.await.unwrap().unwrap();
        other.await.unwrap().unwrap();
        for seat in &result.seats {
            assert_eq!((seat.bot_name.as_str(), seat.fault_count), ("owner", 0));
        }
    }
}

#[tokio::test]
async fn revoking_a_key_ends_its_streams_and_a_new_key_of_the_same_name_reconnects() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create, Play]).await;
    let lost = locked.key("bot", &[Play]).await;
    let long = with_clock(config(GAMES[0], 2), |clock| clock.reconnect_ms = None);
    let seated = locked.with(&maker).create(long).await.unwrap();
    let mut updates = {
        let _joined = locked.with(&lost).join(&seated.tickets[0]).await;
        locked.with(&lost).watch(&seated.match_id).await.unwrap()
    };
    let playing = locked.with(&lost).join(&seated.tickets[0]).await;

    locked.keys.revoke_key(lost.id(), 2).await.unwrap();
    let end = playing.end().await.unwrap();
    assert_eq!(reason(&end), "KEY_REVOKED");
    let end = loop {
        if let Err(status) = updates.message().await {
            break status;
        }
    };
    assert_eq!(reason(&end), "KEY_REVOKED");
    let refused = locked.with(&lost).open(&seated.tickets[0]).await.err();
    assert_eq!(reason(&refused.unwrap()), "KEY_REVOKED");

    let renewed = locked.key("bot", &[Play]).await;
    let back = locked.with(&renewed).good_bot(&seated.tickets[0]);
    let other = locked.with(&maker).good_bot(&seated.tickets[1]);
    let result = back.await.unwrap().unwrap();
    assert_eq!(result.seats[0].bot_name, "bot");
    assert_eq!(result.seats[0].fault_count, 0);
    other.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stream_ends_when_its_key_expires() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let seated = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let mut lifetime_ms = 500;
    // A busy machine may be too slow to open the stream in that time.
    let mut updates = loop {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let end_unix_ms = i64::try_from(since.as_millis()).unwrap() + lifetime_ms;
        let name = format!("for {lifetime_ms} ms");
        let key = locked.expiring_key(&name, &[Read], Some(end_unix_ms)).await;
        match locked.with(&key).watch(&seated.match_id).await {
            Ok(updates) => break updates,
            Err(status) => assert_eq!(reason(&status), "KEY_EXPIRED"),
        }
        lifetime_ms *= 2;
    };
    let end = loop {
        if let Err(status) = updates.message().await {
            break status;
        }
    };
    assert_eq!(reason(&end), "KEY_EXPIRED");
}

#[tokio::test]
async fn a_stopping_server_stores_when_its_keys_were_last_used() {
    let keys = Arc::new(MemoryStore::new());
    let options = ServerOptions {
        limits: Limits {
            // Uses are stored at this interval too, so never during the test.
            key_cache_time: Duration::from_secs(3600),
            ..Limits::default()
        },
        keys: Some(Arc::clone(&keys) as _),
        ..ServerOptions::default()
    };
    let mut locked = LockedServer {
        server: TestServer::with_options(options).await,
        keys,
    };
    let key = locked.key("reader", &[Read]).await;
    locked.with(&key).list().await.unwrap();
    locked.server.stop.cancel();
    (&mut locked.server.running).await.unwrap().unwrap();
    let kept = locked.keys.key(key.id()).await.unwrap().unwrap();
    assert!(kept.last_used_at_unix_ms.is_some());
}

#[tokio::test]
async fn unreadable_keys_are_reported() {
    use bridgemaster_store::Store as _;
    let locked = LockedServer::open().await;
    let key = locked.key("maker", &[Create]).await;
    locked.keys.close().await.unwrap();
    let refused = locked.with(&key).create(config(GAMES[0], 2)).await;
    let refused = refused.err().unwrap();
    assert_eq!(reason(&refused), "KEYS_UNREADABLE");
    assert_eq!(refused.code(), Code::Unavailable);
}

#[tokio::test]
async fn cached_keys_stay_valid_for_a_limited_time_while_the_store_is_unreadable() {
    use bridgemaster_store::Store as _;
    for (trusted, is_trusted) in [(PATIENCE, true), (Duration::from_millis(1), false)] {
        let limits = Limits {
            keys_trusted: trusted,
            ..Limits::default()
        };
        let locked = LockedServer::with_limits(limits).await;
        let key = locked.key("maker", &[Create]).await;
        while locked.with(&key).list().await.is_err() {}
        locked.keys.close().await.unwrap();
        let ended = async {
            loop {
                if let Err(refused) = locked.with(&key).list().await {
                    return refused;
                }
                // The poll that was in progress when the store was closed may still arrive.
                if is_trusted {
                    let stranger = ApiKey::generate();
                    return locked.with(&stranger).list().await.unwrap_err();
                }
            }
        };
        let refused = timeout(PATIENCE, ended).await.unwrap();
        assert_eq!(reason(&refused), "KEYS_UNREADABLE");
        let again = locked.with(&key).list().await;
        assert_eq!(again.is_ok(), is_trusted);
    }
}

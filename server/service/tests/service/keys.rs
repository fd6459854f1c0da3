//! API keys: who may call what, and whose bot holds a seat.

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

/// Paths of all methods of the services that ask for keys.
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

/// How a call of a method with this metadata and an empty message ends.
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
async fn every_method_refuses_a_call_without_a_key_in_force() {
    let locked = LockedServer::with_rules(Limits::default()).await;
    let all = &KeyScope::ALL;
    let (good, revoked) = (locked.key("good", all).await, locked.key("old", all).await);
    locked.keys.revoke_key(revoked.id(), 2).await.unwrap();
    let expired = locked.expiring_key("of yesterday", all, Some(2)).await;
    let forged = ApiKey::draw().reveal();
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
    // With a match in play, WatchMatches has news.
    let made = locked.with(&good).create(config(GAMES[0], 2)).await;
    made.unwrap();
    let methods = locked_methods();
    assert_eq!(methods.len(), 42, "{methods:?}");
    for path in methods {
        for (metadata, why) in &cases {
            let status = call(&locked.server, &path, metadata).await;
            assert_eq!(reason(&status), *why, "{path} {metadata:?}");
            assert_eq!(status.code(), Code::Unauthenticated);
            assert!(!format!("{status:?}").contains(secret));
        }
        // The key is good, so what is wrong is something else.
        let status = call(&locked.server, &path, &shown(&good.reveal())).await;
        let why = status.get_details_error_info().map(|info| info.reason);
        assert!(!why.unwrap_or_default().starts_with("KEY_"), "{path}");
    }
}

#[tokio::test]
async fn the_catalogue_and_the_health_of_a_server_are_open_to_all() {
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
async fn a_server_without_keys_takes_no_notice_of_one() {
    let server = TestServer::open().await;
    let shown = [(KEY_METADATA, ApiKey::draw().reveal())];
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
async fn a_key_does_what_its_scopes_allow_and_nothing_else() {
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
        // Somebody else's and nobody's, of the same form.
        let nobodys: String = id.chars().rev().collect();
        let mut told = Vec::new();
        for id in [id, &nobodys] {
            for refused in [
                caller.info(id).await.unwrap_err(),
                caller.watch(id).await.unwrap_err(),
                caller.replay(id).await.unwrap_err(),
            ] {
                assert_eq!(reason(&refused), "MATCH_UNKNOWN");
                let metadata = refused.get_details_error_info().unwrap().metadata;
                assert!(metadata.is_empty(), "{metadata:?}");
                told.push((refused.code(), refused.message().replace(id, "ID")));
            }
        }
        told.dedup();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].1.contains("the scope read"), "{told:?}");
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
    // Once its bot has a seat, the match is the player's too.
    let _bot = locked.with(&player).join(&seated.tickets[0]).await;
    locked.with(&player).info(id).await.unwrap();
    assert_eq!(locked.with(&player).list().await.unwrap(), [id]);
}

#[tokio::test]
async fn a_list_leaves_out_what_a_key_may_not_see_and_goes_on_behind_it() {
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
            let told: Vec<_> = result.seats.iter().map(|seat| &seat.bot_name).collect();
            assert_eq!(told, [&names[0], &names[1]]);
        }
    }
}

#[tokio::test]
async fn a_ticket_in_the_hands_of_another_key_takes_nothing_over() {
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

        // Also when the owner's stream is lost for a moment.
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
async fn a_revoked_key_ends_its_streams_and_a_new_one_of_its_name_comes_back() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create, Play]).await;
    let lost = locked.key("bot", &[Play]).await;
    let long = with_clock(config(GAMES[0], 2), |clock| clock.reconnect_ms = None);
    let seated = locked.with(&maker).create(long).await.unwrap();
    let mut news = {
        let _joined = locked.with(&lost).join(&seated.tickets[0]).await;
        locked.with(&lost).watch(&seated.match_id).await.unwrap()
    };
    let playing = locked.with(&lost).join(&seated.tickets[0]).await;

    locked.keys.revoke_key(lost.id(), 2).await.unwrap();
    let end = playing.end().await.unwrap();
    assert_eq!(reason(&end), "KEY_REVOKED");
    let told = loop {
        if let Err(status) = news.message().await {
            break status;
        }
    };
    assert_eq!(reason(&told), "KEY_REVOKED");
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
async fn a_stream_ends_when_the_time_of_its_key_is_over() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let seated = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let mut lifetime_ms = 500;
    // A machine may be too busy to open the stream in that time.
    let mut news = loop {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let end_unix_ms = i64::try_from(since.as_millis()).unwrap() + lifetime_ms;
        let name = format!("for {lifetime_ms} ms");
        let key = locked.expiring_key(&name, &[Read], Some(end_unix_ms)).await;
        match locked.with(&key).watch(&seated.match_id).await {
            Ok(news) => break news,
            Err(status) => assert_eq!(reason(&status), "KEY_EXPIRED"),
        }
        lifetime_ms *= 2;
    };
    let told = loop {
        if let Err(status) = news.message().await {
            break status;
        }
    };
    assert_eq!(reason(&told), "KEY_EXPIRED");
}

#[tokio::test]
async fn a_server_that_stops_has_noted_when_its_keys_were_last_used() {
    let keys = Arc::new(MemoryStore::new());
    let options = ServerOptions {
        limits: Limits {
            // Uses are noted as often, which is never while the test runs.
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
async fn keys_that_cannot_be_read_are_told_as_such() {
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
async fn the_last_keys_known_count_while_the_store_cannot_be_read_but_not_for_ever() {
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
                // The look that was under way when the store was closed may still have come.
                if is_trusted {
                    let stranger = ApiKey::draw();
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

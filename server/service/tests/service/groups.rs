//! Groups of matches whose seeds are withheld until the last match is over.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, GetReplayRequest,
    ListMatchesRequest, MatchConfig, MatchFilter, MatchGroup, MatchInfo, SeedReveal, Viewer,
    WatchMatchRequest, WatchPositionsRequest, play_response::Message,
    watch_positions_request::Source,
};
use bridgemaster_sdk::seed_commitment;
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Admin, Create, Read},
};
use bridgemaster_store::{DamagedValue, MemoryStore, Store};
use tonic::{Code, Status};

use crate::{
    intercepted_store::InterceptedStore,
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason},
    test_server::{GAMES, Seated, TestServer, config, with_clock},
};

const SEED: &str = "test-seed";
/// The lag that a match may have, in ms: as long as a test waits for anything.
const LAG_LIMIT_MS: u32 = 60_000;

fn of_group(number: u32, matches: u32, seed_reveal: SeedReveal) -> MatchConfig {
    MatchConfig {
        group: Some(MatchGroup {
            group_id: "deal-1".to_owned(),
            number,
            matches,
            seed_reveal: seed_reveal.into(),
        }),
        // A match that is spoiled by a busy machine would be annulled, and would not count.
        ..with_clock(config(GAMES[0], 2), |clock| {
            clock.referee_lag_limit_ms = Some(LAG_LIMIT_MS);
        })
    }
}

fn withheld(number: u32, matches: u32) -> MatchConfig {
    of_group(number, matches, SeedReveal::WithGroup)
}

/// Plays a match to its end, and returns the last message to its first bot.
async fn play(server: &TestServer, seated: &Seated) -> bridgemaster_proto::v1::MatchEnded {
    let good = server.good_bot(&seated.tickets[1]);
    let bot = RawBot::join(server, &seated.tickets[0]).await;
    let ended = bot.play_on().await;
    good.await.unwrap().unwrap();
    ended
}

async fn last_update(server: &TestServer, match_id: &str) -> MatchInfo {
    let match_id = match_id.to_owned();
    let watched = server
        .matches()
        .watch_match(WatchMatchRequest { match_id })
        .await;
    let mut updates = watched.unwrap().into_inner();
    let mut last = None;
    while let Some(message) = updates.message().await.unwrap() {
        last = message.r#match;
    }
    last.unwrap()
}

async fn listed(server: &TestServer) -> Vec<MatchInfo> {
    let request = ListMatchesRequest {
        filter: Some(MatchFilter {
            group_id: "deal-1".to_owned(),
            ..MatchFilter::default()
        }),
        ..ListMatchesRequest::default()
    };
    let page = server.matches().list_matches(request).await.unwrap();
    page.into_inner().matches
}

async fn close(server: &TestServer, match_id: &str) -> Result<(), Status> {
    let match_id = match_id.to_owned();
    let closed = server
        .matches()
        .close_group(CloseGroupRequest {
            match_id,
            ..CloseGroupRequest::default()
        })
        .await;
    closed.map(|_| ())
}

async fn cancel(server: &TestServer, match_id: &str) {
    let request = CancelMatchRequest {
        match_id: match_id.to_owned(),
        reason: String::new(),
    };
    server.matches().cancel_match(request).await.unwrap();
}

/// Asserts for all outputs that could reveal the seed of an ended match whether they do.
async fn assert_shown(server: &TestServer, seated: &Seated, is_revealed: bool) {
    let id = seated.match_id.as_str();
    let seed = is_revealed.then_some(SEED);
    let listed = listed(server).await;
    let of_list = listed.iter().find(|info| info.match_id == id).unwrap();
    for info in [
        &server.info(id).await,
        &last_update(server, id).await,
        of_list,
    ] {
        let config = info.config.as_ref().unwrap();
        assert_eq!(config.seed.as_deref(), seed);
        assert_eq!(info.seed_salt.is_empty(), !is_revealed);
        assert_eq!(config.group.as_ref().unwrap().group_id, "deal-1");
        assert!(info.result.is_some(), "the result is no secret");
        if is_revealed {
            let commitment = seed_commitment(SEED, &info.seed_salt);
            assert_eq!(commitment.as_ref(), Some(&info.seed_commitment));
        }
    }
    let as_file = GetReplayRequest {
        match_id: id.to_owned(),
        as_file: true,
    };
    let file = server.matches().get_replay(as_file).await.map(|_| ());
    let replay = server.replay(id).await.map(|_| ());
    for replay in [file, replay] {
        match replay {
            Ok(()) => assert!(is_revealed),
            Err(refused) => {
                assert!(!is_revealed, "{refused:?}");
                assert_eq!(reason(&refused), "GROUP_RUNNING");
                assert_eq!(refused.code(), Code::FailedPrecondition);
            }
        }
    }
}

/// Asserts what the page shows of an ended match: a seat's positions only once the seed is
/// revealed.
async fn assert_positions(server: &TestServer, seated: &Seated, is_revealed: bool) {
    let watch = async |viewer: Viewer| {
        let request = WatchPositionsRequest {
            source: Some(Source::MatchId(seated.match_id.clone())),
            viewers: vec![viewer],
            from_decision: 0,
        };
        server.matches().watch_positions(request).await
    };
    match watch(Viewer { seat: Some(1) }).await {
        Ok(_) => assert!(is_revealed),
        Err(refused) => {
            assert!(!is_revealed, "{refused:?}");
            assert_eq!(reason(&refused), "GROUP_RUNNING");
        }
    }
    let mut positions = watch(Viewer { seat: None }).await.unwrap().into_inner();
    let mut last = None;
    while let Some(message) = positions.message().await.unwrap() {
        last = message.r#match.or(last);
    }
    let info = last.unwrap();
    let seed = is_revealed.then_some(SEED);
    assert_eq!(info.config.unwrap().seed.as_deref(), seed);
    assert_eq!(info.seed_salt.is_empty(), !is_revealed);
}

/// Asserts what a returning bot receives of the end, while the match is in memory.
async fn assert_end_on_reconnect(server: &TestServer, seated: &Seated, is_revealed: bool) {
    let seed = is_revealed.then_some(SEED);
    let mut back = RawBot::join_with(server, &seated.tickets[0], hello()).await;
    let started = back.started().await;
    assert!(started.config.unwrap().group.is_some());
    let Some(Message::MatchEnded(ended)) = back.next().await.unwrap() else {
        panic!("a returning bot gets no end");
    };
    assert_eq!(ended.seed, seed.unwrap_or_default());
    assert_eq!(ended.seed_salt.is_empty(), !is_revealed);
}

#[tokio::test]
async fn chance_is_withheld_until_the_last_match_of_the_group_has_ended() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    // One match is in memory, the others only in the store.
    let small = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    for (is_stored, limits) in [
        (false, Limits::default()),
        (true, Limits::default()),
        (true, small),
    ] {
        let is_small = limits.ended_matches_kept == 1;
        let store: Arc<dyn Store> = match is_stored {
            true => Arc::new(MemoryStore::new()),
            false => Arc::clone(&store),
        };
        let server = match is_stored {
            true => TestServer::over(&store, limits).await,
            false => TestServer::open().await,
        };
        let first = server.create(withheld(0, 2)).await;
        let second = server.create(withheld(1, 2)).await;
        let ended = play(&server, &first).await;
        assert_eq!((ended.seed.as_str(), ended.seed_salt.as_str()), ("", ""));
        assert!(ended.result.is_some());
        assert_shown(&server, &first, false).await;
        assert_positions(&server, &first, false).await;
        assert_end_on_reconnect(&server, &first, false).await;
        play(&server, &second).await;
        assert_shown(&server, &first, true).await;
        assert_positions(&server, &first, true).await;
        assert_shown(&server, &second, true).await;
        assert_end_on_reconnect(&server, &second, true).await;
        if !is_small {
            assert_end_on_reconnect(&server, &first, true).await;
        }
        let refused = server.try_create(withheld(0, 2)).await.err().unwrap();
        assert!(refused.message().starts_with("config.group.group_id: "));
    }
}

#[tokio::test]
async fn a_group_is_restored_from_its_matches_after_a_crash() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let first = server.create(withheld(0, 2)).await;
    play(&server, &first).await;
    server.crash().await;

    // No match of the group is in play.
    let mut server = TestServer::over(&store, Limits::default()).await;
    assert_shown(&server, &first, false).await;
    assert_end_on_reconnect(&server, &first, false).await;
    let second = server.create(withheld(1, 2)).await;
    let started = RawBot::join(&server, &second.tickets[0]).await;
    server.crash().await;
    drop(started);

    let mut server = TestServer::over(&store, Limits::default()).await;
    assert_shown(&server, &first, false).await;
    assert_end_on_reconnect(&server, &first, false).await;
    play(&server, &second).await;
    assert_shown(&server, &first, true).await;
    assert_end_on_reconnect(&server, &first, true).await;
    server.crash().await;

    let server = TestServer::over(&store, Limits::default()).await;
    assert_shown(&server, &first, true).await;
    assert_end_on_reconnect(&server, &first, true).await;
    let refused = server.try_create(withheld(0, 2)).await.err().unwrap();
    assert!(refused.message().starts_with("config.group.group_id: "));
}

#[tokio::test]
async fn a_group_with_a_damaged_note_is_restored_from_its_finished_matches() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let first = server.create(withheld(0, 2)).await;
    play(&server, &first).await;
    server.crash().await;

    let note = DamagedValue::Record("group\n\ndeal-1".to_owned());
    let store = InterceptedStore::damaged(&store, &[note]);
    let server = TestServer::over(&store, Limits::default()).await;
    assert_shown(&server, &first, false).await;
    let second = server.create(withheld(1, 2)).await;
    play(&server, &second).await;
    assert_shown(&server, &first, true).await;
}

#[tokio::test]
async fn a_cancelled_match_does_not_count_and_a_group_can_be_abandoned() {
    let server = TestServer::open().await;
    let first = server.create(withheld(0, 2)).await;
    let second = server.create(withheld(1, 2)).await;
    play(&server, &first).await;
    cancel(&server, &second.match_id).await;
    assert_shown(&server, &first, false).await;
    assert_end_on_reconnect(&server, &first, false).await;
    let again = server.create(withheld(1, 2)).await;
    close(&server, &first.match_id).await.unwrap();
    assert_shown(&server, &first, false).await;
    assert_end_on_reconnect(&server, &first, false).await;
    let refused = server.try_create(withheld(1, 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "INVALID_FIELD", "it is closed");
    cancel(&server, &again.match_id).await;
    assert_shown(&server, &first, true).await;
    assert_end_on_reconnect(&server, &first, true).await;
    close(&server, &first.match_id).await.unwrap();

    let alone = server.create(config(GAMES[0], 2)).await;
    let refused = close(&server, &alone.match_id).await.unwrap_err();
    assert!(refused.message().starts_with("match_id: "), "{refused:?}");
}

#[tokio::test]
async fn closing_a_group_returns_the_requested_replay_files() {
    for server in TestServer::without_and_with_store().await {
        let first = server.create(withheld(0, 3)).await;
        play(&server, &first).await;
        let second = server.create(withheld(1, 3)).await;
        let alone = server.create(config(GAMES[0], 2)).await;
        play(&server, &alone).await;
        let close_for = async || {
            let ids = [&second, &alone, &first, &second].map(|seated| seated.match_id.clone());
            let unknown = ["no-such-match".to_owned(), String::new()];
            let request = CloseGroupRequest {
                match_id: first.match_id.clone(),
                replay_match_ids: ids.into_iter().chain(unknown).collect(),
            };
            let closed = server.matches().close_group(request).await.unwrap();
            closed.into_inner().replays
        };
        assert_eq!(close_for().await, [], "one is in play");
        play(&server, &second).await;
        let given = close_for().await;
        let ids: Vec<&str> = given.iter().map(|given| &*given.match_id).collect();
        assert_eq!(ids, [&*second.match_id, &*first.match_id]);
        for given in given {
            let request = GetReplayRequest {
                match_id: given.match_id,
                as_file: true,
            };
            let alone = server.matches().get_replay(request).await.unwrap();
            assert_eq!(given.file, alone.into_inner().file);
        }
    }
    let server = TestServer::open().await;
    let first = server.create(withheld(0, 2)).await;
    let request = CloseGroupRequest {
        match_id: first.match_id,
        replay_match_ids: vec![String::new(); 1001],
    };
    let refused = server.matches().close_group(request).await.unwrap_err();
    let message = refused.message();
    assert!(message.starts_with("replay_match_ids: "), "{message}");
}

#[tokio::test]
async fn a_group_that_reveals_chance_with_each_match_withholds_nothing() {
    let server = TestServer::open().await;
    for seed_reveal in [SeedReveal::WithMatch, SeedReveal::Unspecified] {
        let seated = server.create(of_group(0, 2, seed_reveal)).await;
        let ended = play(&server, &seated).await;
        assert_eq!(ended.seed, SEED);
        assert_shown(&server, &seated, true).await;
        assert_end_on_reconnect(&server, &seated, true).await;
    }
}

#[tokio::test]
async fn an_invalid_group_is_refused_with_the_valid_values() {
    let limits = Limits {
        open_groups: 1,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let with = |change: fn(&mut MatchGroup)| {
        let mut config = withheld(0, 2);
        change(config.group.as_mut().unwrap());
        config
    };
    for (bad, field) in [
        (with(|group| group.group_id.clear()), "group_id"),
        (with(|group| group.group_id = "a/b".to_owned()), "group_id"),
        (with(|group| group.group_id = "x".repeat(65)), "group_id"),
        (with(|group| group.matches = 0), "matches"),
        (with(|group| group.matches = 1001), "matches"),
        (with(|group| group.number = 2), "number"),
        (with(|group| group.seed_reveal = 9), "seed_reveal"),
    ] {
        let refused = server.try_create(bad).await.err().unwrap();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{field}");
        let message = refused.message();
        assert!(
            message.starts_with(&format!("config.group.{field}: ")),
            "{message}"
        );
    }
    server.create(withheld(0, 2)).await;
    let refused = server.try_create(withheld(0, 3)).await.err().unwrap();
    assert!(
        refused.message().starts_with("config.group.matches: "),
        "{refused:?}"
    );
    let other = with(|group| group.group_id = "deal-2".to_owned());
    let refused = server.try_create(other).await.err().unwrap();
    assert_eq!(reason(&refused), "LIMIT_REACHED", "one group is open");
}

#[tokio::test]
async fn only_the_creator_and_admins_use_and_close_a_group() {
    let locked = LockedServer::open().await;
    let ada = locked.key("ada", &[Create]).await;
    let bob = locked.key("bob", &[Create, Read]).await;
    let admin = locked.key("admin", &[Admin]).await;
    let of_group = |matches| CreateMatchRequest {
        config: Some(withheld(0, matches)),
        ..CreateMatchRequest::default()
    };
    let of_ada = locked.with(&ada).create_by(of_group(2)).await.unwrap();
    // A different group of the same name.
    locked.with(&bob).create_by(of_group(7)).await.unwrap();
    let id = of_ada.r#match.unwrap().match_id;
    let refused = locked.with(&bob).close_group(&id).await.unwrap_err();
    assert_eq!(reason(&refused), "SCOPE_MISSING");
    locked.with(&ada).close_group(&id).await.unwrap();
    locked.with(&admin).close_group(&id).await.unwrap();
    let refused = locked.with(&ada).create_by(of_group(2)).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    locked.with(&bob).create_by(of_group(7)).await.unwrap();
}

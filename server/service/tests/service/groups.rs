//! Match groups whose seeds are withheld until the last match has ended.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    CloseGroupRequest, ListMatchesRequest, MatchConfig, MatchEnded, MatchFilter, MatchGroup,
    MatchInfo, SeedReveal, Viewer, play_response::Message,
};
use bridgemaster_sdk::seed_commitment;
use bridgemaster_server::{
    Limits, ServerOptions,
    identity::KeyScope::{Admin, Create, Read},
};
use bridgemaster_store::{DamagedValue, Store};
use tonic::Code;

use crate::{
    caller::{creating, positions_of},
    intercepted_store::InterceptedStore,
    streams::{assert_invalid, outcome, reason, rest},
    test_server::{GAMES, Seated, TestServer, config, keeping_one, memory, of_two, with_clock},
};

const SEED: &str = "test-seed";
/// The maximum lag of a match, in ms: as long as a test waits at most.
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

pub(crate) fn withheld(number: u32, matches: u32) -> MatchConfig {
    of_group(number, matches, SeedReveal::WithGroup)
}

/// Plays a match to its end, and returns the last message to its first bot.
async fn play(server: &TestServer, seated: &Seated) -> MatchEnded {
    let good = server.good_bot(&seated.tickets[1]);
    let ended = server.join(&seated.tickets[0]).await.play_on().await;
    good.await.unwrap().unwrap();
    ended
}

async fn listed(server: &TestServer, match_id: &str) -> MatchInfo {
    let request = ListMatchesRequest {
        filter: Some(MatchFilter { group_id: "deal-1".to_owned(), ..MatchFilter::default() }),
        ..ListMatchesRequest::default()
    };
    let mut matches = server.page(request).await.unwrap().matches.into_iter();
    matches.find(|info| info.match_id == match_id).unwrap()
}

/// Asserts, for each output that could reveal the seed of a finished match, whether it does. If the
/// match is in memory, this includes the messages to a returning bot.
async fn assert_shown(server: &TestServer, seated: &Seated, is_revealed: bool, in_memory: bool) {
    let id = seated.match_id.as_str();
    let seed = is_revealed.then_some(SEED);
    let updates = rest(server.watch(id).await.unwrap()).await;
    for info in [
        server.info(id).await,
        updates.last().unwrap().r#match.clone().unwrap(),
        listed(server, id).await,
    ] {
        let config = info.config.as_ref().unwrap();
        assert_eq!(config.seed.as_deref(), seed);
        assert_eq!(info.seed_salt.is_empty(), !is_revealed);
        assert_eq!(config.group.as_ref().unwrap().group_id, "deal-1");
        assert!(info.result.is_some(), "the result is not secret");
        if is_revealed {
            let commitment = seed_commitment(SEED, &info.seed_salt);
            assert_eq!(commitment.as_ref(), Some(&info.seed_commitment));
        }
    }
    let of_seat = positions_of(id, &[Viewer { seat: Some(1) }]);
    for shown in [
        server.replay_file(id).await.map(drop),
        server.replay(id).await.map(drop),
        server.positions(of_seat).await.map(drop),
    ] {
        match shown {
            Ok(()) => assert!(is_revealed),
            Err(refused) => {
                assert!(!is_revealed, "{refused:?}");
                assert_eq!(reason(&refused), "GROUP_RUNNING");
                assert_eq!(refused.code(), Code::FailedPrecondition);
            }
        }
    }
    let positions = server.positions(positions_of(id, &[Viewer::default()]));
    let positions = rest(positions.await.unwrap()).await;
    let mut infos = positions.into_iter().filter_map(|one| one.r#match);
    let info = infos.next_back().unwrap();
    assert_eq!(info.config.unwrap().seed.as_deref(), seed);
    assert_eq!(info.seed_salt.is_empty(), !is_revealed);
    if !in_memory {
        return;
    }
    let mut back = server.join(&seated.tickets[0]).await;
    let started = back.started().await;
    assert!(started.config.unwrap().group.is_some());
    let Some(Message::MatchEnded(ended)) = back.next().await.unwrap() else {
        panic!("a returning bot is not sent the end");
    };
    assert_eq!(ended.seed, seed.unwrap_or_default());
    assert_eq!(ended.seed_salt.is_empty(), !is_revealed);
}

#[tokio::test]
async fn seeds_are_withheld_until_the_last_match_of_the_group_has_ended() {
    for (server, is_small) in [
        (TestServer::open().await, false),
        (TestServer::stored().await, false),
        (TestServer::over(&memory(), keeping_one()).await, true),
    ] {
        let first = server.create(withheld(0, 2)).await;
        let second = server.create(withheld(1, 2)).await;
        let ended = play(&server, &first).await;
        assert_eq!((ended.seed.as_str(), ended.seed_salt.as_str()), ("", ""));
        assert!(ended.result.is_some());
        assert_shown(&server, &first, false, true).await;
        play(&server, &second).await;
        assert_shown(&server, &first, true, !is_small).await;
        assert_shown(&server, &second, true, true).await;
        let again = server.try_create(withheld(0, 2)).await;
        assert_invalid(again, "config.group.group_id: ");
    }
}

#[tokio::test]
async fn a_group_is_restored_from_its_matches_after_a_crash() {
    let mut server = TestServer::stored().await;
    let first = server.create(withheld(0, 2)).await;
    play(&server, &first).await;
    server.restart().await;

    // No match of the group is in play.
    assert_shown(&server, &first, false, true).await;
    let second = server.create(withheld(1, 2)).await;
    let started = server.join(&second.tickets[0]).await;
    server.restart().await;
    drop(started);

    assert_shown(&server, &first, false, true).await;
    play(&server, &second).await;
    assert_shown(&server, &first, true, true).await;
    server.restart().await;

    assert_shown(&server, &first, true, true).await;
    let again = server.try_create(withheld(0, 2)).await;
    assert_invalid(again, "config.group.group_id: ");
}

#[tokio::test]
async fn a_group_with_a_damaged_note_is_restored_from_its_finished_matches() {
    let store = memory();
    let mut server = TestServer::over(&store, Limits::default()).await;
    let first = server.create(withheld(0, 2)).await;
    play(&server, &first).await;
    server.crash().await;

    let note = DamagedValue::Record("group\n\ndeal-1".to_owned());
    let store: Arc<dyn Store> = InterceptedStore::damaged(&store, &[note]);
    let server = TestServer::over(&store, Limits::default()).await;
    assert_shown(&server, &first, false, true).await;
    let second = server.create(withheld(1, 2)).await;
    play(&server, &second).await;
    assert_shown(&server, &first, true, true).await;
}

#[tokio::test]
async fn a_cancelled_match_does_not_count_and_a_group_can_be_abandoned() {
    let server = TestServer::open().await;
    let first = server.create(withheld(0, 2)).await;
    let second = server.create(withheld(1, 2)).await;
    play(&server, &first).await;
    server.cancel(&second.match_id, "").await.unwrap();
    assert_shown(&server, &first, false, true).await;
    let again = server.create(withheld(1, 2)).await;
    server.close_group(&first.match_id).await.unwrap();
    assert_shown(&server, &first, false, true).await;
    let closed = server.try_create(withheld(1, 2)).await;
    assert_eq!(outcome(closed), "INVALID_FIELD");
    server.cancel(&again.match_id, "").await.unwrap();
    assert_shown(&server, &first, true, true).await;
    server.close_group(&first.match_id).await.unwrap();

    let alone = server.create(of_two()).await;
    assert_invalid(server.close_group(&alone.match_id).await, "match_id: ");
}

#[tokio::test]
async fn closing_a_group_returns_the_requested_replay_files() {
    for server in TestServer::without_and_with_store().await {
        let first = server.create(withheld(0, 3)).await;
        play(&server, &first).await;
        let second = server.create(withheld(1, 3)).await;
        let alone = server.played(of_two()).await;
        let close_for = async |ids: Vec<String>| {
            let request =
                CloseGroupRequest { match_id: first.match_id.clone(), replay_match_ids: ids };
            let closed = server.matches().close_group(request).await?;
            Ok::<_, tonic::Status>(closed.into_inner().replays)
        };
        let ids = || {
            let ids = [&second, &alone, &first, &second].map(|seated| seated.match_id.clone());
            let unknown = ["no-such-match".to_owned(), String::new()];
            ids.into_iter().chain(unknown).collect()
        };
        let too_many = close_for(vec![String::new(); 1001]).await;
        assert_invalid(too_many, "replay_match_ids: ");
        assert_eq!(close_for(ids()).await.unwrap(), [], "a match is in play");
        play(&server, &second).await;
        let given = close_for(ids()).await.unwrap();
        let names: Vec<&str> = given.iter().map(|given| &*given.match_id).collect();
        assert_eq!(names, [&*second.match_id, &*first.match_id]);
        for given in given {
            let alone = server.replay_file(&given.match_id).await.unwrap();
            assert_eq!(given.file, alone);
        }
    }
}

#[tokio::test]
async fn a_group_that_reveals_chance_with_each_match_withholds_nothing() {
    let server = TestServer::open().await;
    for seed_reveal in [SeedReveal::WithMatch, SeedReveal::Unspecified] {
        let seated = server.create(of_group(0, 2, seed_reveal)).await;
        assert_eq!(play(&server, &seated).await.seed, SEED);
        assert_shown(&server, &seated, true, true).await;
    }
}

#[tokio::test]
async fn an_invalid_group_is_refused_with_the_valid_values() {
    let limits = Limits { open_groups: 1, ..Limits::default() };
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
        let message = format!("config.group.{field}: ");
        assert_invalid(server.try_create(bad).await, &message);
    }
    server.create(withheld(0, 2)).await;
    let larger = server.try_create(withheld(0, 3)).await;
    assert_invalid(larger, "config.group.matches: ");
    let other = with(|group| group.group_id = "deal-2".to_owned());
    let second = server.try_create(other).await;
    assert_eq!(outcome(second), "LIMIT_REACHED", "a group is open");
}

#[tokio::test]
async fn only_the_creator_and_admins_use_and_close_a_group() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let ada = server.caller("ada", &[Create]).await;
    let bob = server.caller("bob", &[Create, Read]).await;
    let admin = server.caller("admin", &[Admin]).await;
    let of_group = |matches| creating(withheld(0, matches));
    let id = Seated::from(ada.create_by(of_group(2)).await.unwrap()).match_id;
    // A different group of the same name.
    bob.create_by(of_group(7)).await.unwrap();
    assert_eq!(outcome(bob.close_group(&id).await), "SCOPE_MISSING");
    ada.close_group(&id).await.unwrap();
    admin.close_group(&id).await.unwrap();
    let closed = ada.create_by(of_group(2)).await;
    assert_eq!(outcome(closed), "INVALID_FIELD");
    bob.create_by(of_group(7)).await.unwrap();
}

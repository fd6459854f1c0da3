//! Quarantined matches: an unreadable match does not affect the others, and is reported to callers.

use std::{net::SocketAddr, sync::Arc};

use bridgemaster_proto::v1::{ListMatchesRequest, ListMatchesResponse, MatchState};
use bridgemaster_server::{
    BindError, Limits, RecoveryError, Server, ServerOptions, Storage, identity::KeyScope,
};
use bridgemaster_store::{DamagedValue, KeyName, MatchId, MemoryStore, OpenMatch, Store, Write};
use tokio::net::TcpListener;
use tonic::Code;

use crate::{
    caller::{Caller, in_state},
    intercepted_store::InterceptedStore,
    metrics::scrape,
    raw_bot::RawBot,
    streams::{outcome, reason},
    test_server::{
        GAMES, Seated, TestServer, assert_faultless, config, ids, keeping_one, memory, of_two,
        storage,
    },
};

fn id(match_id: &str) -> MatchId {
    MatchId::new(match_id).unwrap()
}

/// Creates a store with two matches in play, both waiting for the decision of their first seat.
async fn two_in_play() -> (Arc<dyn Store>, [Seated; 2]) {
    let mut server = TestServer::stored().await;
    let mut seated = Vec::new();
    for game in &GAMES[..2] {
        let one = server.create(config(game, 2)).await;
        let [mut first, mut second] = server.join_all(&one).await;
        let asked = second.answer_until(first.next_request()).await;
        first.answer_first(&asked).await;
        second.answer_until(first.next_request()).await;
        seated.push(one);
    }
    server.crash().await;
    let store = Arc::clone(server.store());
    (store, seated.try_into().ok().unwrap())
}

/// Creates a store with the same matches in play, one of which is altered.
async fn altered(
    store: &Arc<dyn Store>,
    match_id: &str,
    alter: &dyn Fn(&mut OpenMatch),
) -> Arc<dyn Store> {
    let copy = memory();
    for id in store.open_match_ids().await.unwrap() {
        let mut open = store.open_match(&id).await.unwrap().unwrap();
        if id.as_str() == match_id {
            alter(&mut open);
        }
        let match_id = || id.clone();
        let mut writes = vec![Write::OpenMatch {
            match_id: match_id(),
            opened_at_unix_ms: open.opened_at_unix_ms,
            header: open.header,
        }];
        let entries = (0..).zip(open.journal);
        writes.extend(entries.map(|(number, entry)| Write::Append {
            match_id: match_id(),
            number,
            entry,
        }));
        copy.commit(writes).await.unwrap();
    }
    copy
}

async fn listed(server: &Caller, state: MatchState) -> ListMatchesResponse {
    let request = ListMatchesRequest {
        filter: Some(in_state(state)),
        page_size: 500,
        ..ListMatchesRequest::default()
    };
    server.page(request).await.unwrap()
}

/// Asserts that a server over `store` plays the intact match to its end, refuses the damaged one,
/// and leaves it unchanged in the store.
async fn assert_quarantined(
    store: &Arc<dyn Store>,
    good: &Seated,
    bad: &Seated,
    are_tickets_known: bool,
) {
    let stored = store.open_match(&id(&bad.match_id)).await.ok();
    let server = TestServer::over(store, Limits::default()).await;
    let refused = server.try_info(&bad.match_id).await.unwrap_err();
    assert_eq!(reason(&refused), "DATA_DAMAGED");
    assert_eq!(refused.code(), Code::DataLoss);
    assert!(refused.message().contains(&bad.match_id), "{refused}");
    let refused = RawBot::try_join(&server, &bad.tickets[1]).await;
    let refused = refused.err().unwrap();
    assert_eq!(reason(&refused), "DATA_DAMAGED");
    let is_named = refused.message().contains(&bad.match_id);
    assert_eq!(is_named, are_tickets_known, "{refused}");

    let all = listed(&server, MatchState::Unspecified).await;
    assert_eq!(ids(&all.matches), [&good.match_id]);
    assert_eq!(all.damaged_match_ids, [&*bad.match_id]);
    let ended = listed(&server, MatchState::Ended).await;
    assert!(ended.damaged_match_ids.is_empty());
    let damaged = "bridgemaster_damaged_values{what=\"match in play\"}";
    assert_eq!(scrape(&server).await[damaged], 1.0);

    assert_faultless(&server.play(good).await);
    assert_eq!(store.open_match(&id(&bad.match_id)).await.ok(), stored);
}

#[tokio::test]
async fn a_match_with_an_invalid_header_or_journal_stops_no_other() {
    let (store, [bad, good]) = two_in_play().await;
    let last = |open: &mut OpenMatch, change: fn(&mut Vec<u8>)| {
        change(open.journal.last_mut().unwrap());
    };
    type Alter<'a> = &'a dyn Fn(&mut OpenMatch);
    let cases: [(Alter, bool); 6] = [
        // An invalid header.
        (&|open| open.header = vec![0xff; 9], false),
        // In a repeated field, the last value counts: here the format version, and the game.
        (&|open| open.header.extend([8, 99]), true),
        (&|open| open.header.extend(b"\x12\x05chess"), true),
        // An invalid entry, a missing entry, and a wrong digest.
        (&|open| last(open, |entry| *entry = vec![0xff; 9]), true),
        (&|open| drop(open.journal.remove(open.journal.len() / 2)), true),
        (&|open| last(open, |entry| entry.extend([0x11; 9])), true),
    ];
    for (alter, are_tickets_known) in cases {
        let store = altered(&store, &bad.match_id, alter).await;
        assert_quarantined(&store, &good, &bad, are_tickets_known).await;
    }
}

#[tokio::test]
async fn a_match_that_the_store_cannot_read_stops_no_other_match() {
    let (store, [good, bad]) = two_in_play().await;
    for (damaged, are_tickets_known) in [
        (DamagedValue::Journal(id(&bad.match_id)), true),
        (DamagedValue::Header(id(&bad.match_id)), false),
    ] {
        let store = altered(&store, &bad.match_id, &|_| {}).await;
        let store: Arc<dyn Store> = InterceptedStore::damaged(&store, &[damaged]);
        assert_quarantined(&store, &good, &bad, are_tickets_known).await;
    }
}

#[tokio::test]
async fn a_quarantined_match_can_be_dropped() {
    let (store, [good, bad]) = two_in_play().await;
    let store = altered(&store, &bad.match_id, &|open| open.header.extend([8, 99])).await;
    let dropping = |match_ids: &[&str]| ServerOptions {
        storage: Some(Storage {
            dropped_matches: match_ids.iter().map(|&id| id.to_owned()).collect(),
            ..storage(&store)
        }),
        ..ServerOptions::default()
    };
    let free: SocketAddr = "127.0.0.1:0".parse().unwrap();
    for unknown in ["0123456789abcdef", "no id of the store"] {
        // Nothing is dropped then, not even the existing match.
        let both = dropping(&[&bad.match_id, unknown]);
        let refused = Server::bind(free, both).await.err().unwrap();
        assert!(
            matches!(&refused, BindError::Recovery(RecoveryError::UnknownMatch { match_id })
                if match_id == unknown),
            "{refused}"
        );
    }
    // The same holds if the address is in use.
    let other = TcpListener::bind(free).await.unwrap();
    let taken = other.local_addr().unwrap();
    let refused = Server::bind(taken, dropping(&[&bad.match_id])).await;
    let refused = refused.err().unwrap();
    assert!(matches!(refused, BindError::Listen { .. }), "{refused}");
    assert_eq!(store.open_match_ids().await.unwrap().len(), 2);
    let twice = dropping(&[&bad.match_id, &bad.match_id]);
    let server = TestServer::with_options(twice).await;
    assert_eq!(outcome(server.try_info(&bad.match_id).await), "MATCH_UNKNOWN");
    let all = listed(&server, MatchState::Unspecified).await;
    assert_eq!(ids(&all.matches), [&good.match_id]);
    assert!(all.damaged_match_ids.is_empty());
}

/// Creates a store with three finished matches; returns their identifiers, the last to end first.
async fn three_finished() -> (Arc<dyn Store>, Vec<String>) {
    let mut server = TestServer::stored().await;
    let mut ended = Vec::new();
    for game in &GAMES[..3] {
        ended.insert(0, server.played(config(game, 2)).await.match_id);
    }
    server.crash().await;
    (Arc::clone(server.store()), ended)
}

#[tokio::test]
async fn an_unreadable_finished_match_is_listed() {
    let (store, ended) = three_finished().await;
    let store: Arc<dyn Store> =
        InterceptedStore::damaged(&store, &[DamagedValue::Summary(id(&ended[1]))]);
    // First all from memory; then one from memory and the others from the store.
    for limits in [Limits::default(), keeping_one()] {
        let server = TestServer::over(&store, limits).await;
        let all = listed(&server, MatchState::Unspecified).await;
        assert_eq!(ids(&all.matches), [&ended[0], &ended[2]]);
        assert_eq!(all.damaged_match_ids, [&*ended[1]]);
        assert_eq!(outcome(server.try_info(&ended[1]).await), "DATA_DAMAGED");
        server.replay(&ended[2]).await.unwrap();
        let running = listed(&server, MatchState::Running).await;
        assert!(running.damaged_match_ids.is_empty());
        let damaged = "bridgemaster_damaged_values{what=\"summary\"}";
        assert_eq!(scrape(&server).await[damaged], 1.0, "once each");
    }
}

/// Adds a finished match of the party `odd` with an invalid summary.
async fn finish_oddly(store: &Arc<dyn Store>) -> MatchId {
    let odd = MatchId::new("00000000000000ff").unwrap();
    let writes = vec![
        Write::OpenMatch { match_id: odd.clone(), opened_at_unix_ms: 0, header: Vec::new() },
        Write::FinishMatch {
            match_id: odd.clone(),
            ended_at_unix_ms: 1,
            // An unsupported format version.
            summary: vec![8, 99],
            replay: Vec::new(),
            parties: vec![KeyName::new("odd").unwrap()],
            index_keys: Vec::new(),
        },
    ];
    store.commit(writes).await.unwrap();
    odd
}

#[tokio::test]
async fn a_match_with_an_invalid_summary_is_listed() {
    let (store, ended) = three_finished().await;
    let odd = finish_oddly(&store).await;
    let server = TestServer::over(&store, Limits::default()).await;
    let all = listed(&server, MatchState::Ended).await;
    assert_eq!(ids(&all.matches), ended);
    assert_eq!(all.damaged_match_ids, [odd.as_str()]);
    assert_eq!(outcome(server.try_info(odd.as_str()).await), "DATA_DAMAGED");
}

#[tokio::test]
async fn a_match_with_an_unreadable_replay_stays_visible() {
    let (store, ended) = three_finished().await;
    let store: Arc<dyn Store> =
        InterceptedStore::damaged(&store, &[DamagedValue::Replay(id(&ended[0]))]);
    let server = TestServer::over(&store, Limits::default()).await;
    assert_eq!(server.info(&ended[0]).await.state(), MatchState::Ended);
    for _ in 0..2 {
        assert_eq!(outcome(server.replay(&ended[0]).await), "DATA_DAMAGED");
    }
    server.replay(&ended[1]).await.unwrap();
    let damaged = "bridgemaster_damaged_values{what=\"replay\"}";
    assert_eq!(scrape(&server).await[damaged], 1.0, "once each");
}

#[tokio::test]
async fn only_callers_that_may_see_a_match_learn_that_it_is_unreadable() {
    let store = Arc::new(MemoryStore::new());
    let kept: Arc<dyn Store> = Arc::clone(&store) as _;
    let locked = |damaged: &[DamagedValue]| {
        let damaged = InterceptedStore::damaged(&kept, damaged);
        TestServer::locked_over(damaged, Arc::clone(&store), Limits::default())
    };
    let mut server = locked(&[]).await;
    let callers = [
        server.caller("maker", &[KeyScope::Create]).await,
        server.caller("reader", &[KeyScope::Read]).await,
        server.caller("other", &KeyScope::ALL[..2]).await,
        server.caller("odd", &[KeyScope::Play]).await,
    ];
    let odd = finish_oddly(&kept).await.to_string();
    let match_id = callers[0].create(of_two()).await.match_id;
    server.crash().await;

    server = locked(&[DamagedValue::Journal(id(&match_id))]).await;
    let seen = [vec![&match_id], vec![&match_id, &odd], vec![], vec![&odd]];
    for (caller, seen) in callers.iter().zip(seen) {
        let caller = server.with(caller.key());
        for id in [&match_id, &odd] {
            let why = ["MATCH_UNKNOWN", "DATA_DAMAGED"][usize::from(seen.contains(&id))];
            assert_eq!(outcome(caller.try_info(id).await), why);
        }
        let listed = listed(&caller, MatchState::Unspecified).await;
        assert_eq!(listed.damaged_match_ids.iter().collect::<Vec<_>>(), seen);
    }
}

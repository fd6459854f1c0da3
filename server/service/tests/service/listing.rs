//! Lists of matches in a large store.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_proto::v1::{ListMatchesRequest, Resign, play_request::Message};
use bridgemaster_server::{
    KeepReplays, Limits, ServerOptions, Storage,
    identity::{ApiKey, KEY_METADATA, KeyScope},
};
use bridgemaster_store::{KeyName, KeyStore as _, MatchId, MemoryStore, NewKey, Store, Write};
use tonic::Request;

use crate::{
    intercepted_store::InterceptedStore,
    raw_bot::RawBot,
    test_server::{GAMES, TestServer, config, with_clock},
};

/// The number of stored matches.
const MATCHES: usize = 300;

/// Creates a store with this number of finished matches. Every tenth belongs to `tenth`, the others
/// to no key.
pub(crate) async fn filled(matches: usize) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let kept: Arc<dyn Store> = Arc::clone(&store) as _;
    let mut server = TestServer::over(&kept, Limits::default()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    for ticket in &seated.tickets {
        let bot = RawBot::join(&server, ticket).await;
        bot.send(Message::Resign(Resign {})).await;
    }
    server.result(&seated.match_id).await;
    server.crash().await;
    let id = MatchId::new(seated.match_id).unwrap();
    let finished = store.finished_match(&id).await.unwrap().unwrap();
    let tenth = [KeyName::new("tenth").unwrap()];
    let copies = (1..matches).flat_map(|number| {
        let match_id = MatchId::new(format!("copy-{number}")).unwrap();
        let open = Write::OpenMatch {
            match_id: match_id.clone(),
            opened_at_unix_ms: 0,
            header: Vec::new(),
        };
        let finish = Write::FinishMatch {
            match_id,
            ended_at_unix_ms: 0,
            summary: finished.summary.clone(),
            replay: Vec::new(),
            parties: tenth.iter().filter(|_| number % 10 == 0).cloned().collect(),
        };
        [open, finish]
    });
    store.commit(copies.collect()).await.unwrap();
    store
}

async fn key(store: &MemoryStore, name: &str, scope: KeyScope) -> ApiKey {
    let key = ApiKey::generate();
    let new = NewKey {
        id: key.id().clone(),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: BTreeSet::from([scope.to_scope()]),
        secret_hash: key.secret_hash(),
        created_at_unix_ms: 1,
        expires_at_unix_ms: None,
    };
    store.add_key(new).await.unwrap();
    key
}

/// Returns the number of matches of each page that a key gets.
async fn pages(server: &TestServer, key: &ApiKey, page_size: u32) -> Vec<usize> {
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let mut request = Request::new(ListMatchesRequest {
            page_size,
            page_token,
            ..ListMatchesRequest::default()
        });
        let shown = key.reveal().parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, shown);
        let page = server.matches().list_matches(request).await.unwrap();
        let page = page.into_inner();
        pages.push(page.matches.len());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return pages;
        }
    }
}

#[tokio::test]
async fn a_key_lists_its_matches_without_reading_others() {
    let store = filled(MATCHES).await;
    let reader = key(&store, "reader", KeyScope::Read).await;
    let stranger = key(&store, "stranger", KeyScope::Play).await;
    let tenth = key(&store, "tenth", KeyScope::Play).await;
    let readings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&readings);
    let counting = InterceptedStore::before_reads(Arc::clone(&store) as _, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }
    });
    let options = ServerOptions {
        limits: Limits {
            ended_matches_kept: 1,
            ..Limits::default()
        },
        keys: Some(Arc::clone(&store) as _),
        storage: Some(Storage {
            store: counting,
            dropped_matches: Vec::new(),
            keep_replays: KeepReplays::All,
            shared: None,
        }),
        ..ServerOptions::default()
    };
    let server = TestServer::with_options(options).await;
    let seen = pages(&server, &reader, 10).await;
    assert_eq!(seen, [10; MATCHES / 10], "pages are full while they can be");
    let readings_of = async |key| {
        let before = readings.load(Ordering::Relaxed);
        let seen = pages(&server, key, 10).await;
        (seen, readings.load(Ordering::Relaxed) - before)
    };
    assert_eq!(readings_of(&stranger).await, (vec![0], 1));
    let (seen, readings) = readings_of(&tenth).await;
    assert_eq!(seen, [10, 10, 9]);
    assert!(readings <= 4, "{readings} readings of three pages");
}

#[tokio::test]
async fn a_list_contains_the_number_of_faults_and_not_the_faults() {
    let server = TestServer::open().await;
    let config = with_clock(config(GAMES[0], 2), |clock| clock.startup_ms = Some(1));
    let seated = server.create(config).await;
    let result = server.result(&seated.match_id).await;
    assert!(result.seats.iter().all(|seat| seat.faults.len() == 1));
    let listed = server
        .matches()
        .list_matches(ListMatchesRequest::default())
        .await;
    let listed = listed.unwrap().into_inner().matches;
    for seat in &listed[0].result.as_ref().unwrap().seats {
        assert_eq!((seat.fault_count, seat.faults.len()), (1, 0));
    }
}

//! Lists of matches in a store that has many.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_proto::v1::{ListMatchesRequest, Resign, play_request::Message};
use bridgemaster_server::{
    Limits, ServerOptions, Storage,
    identity::{ApiKey, KEY_METADATA, KeyScope},
};
use bridgemaster_store::{KeyName, KeyStore as _, MatchId, MemoryStore, NewKey, Store, Write};
use tonic::Request;

use crate::{
    raw_bot::RawBot,
    table::{GAMES, Table, config},
};

/// Matches in the store.
const MATCHES: usize = 300;

/// A store with so many finished matches, all alike.
async fn filled() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let kept: Arc<dyn Store> = Arc::clone(&store) as _;
    let mut table = Table::over(&kept, Limits::default()).await;
    let seated = table.create(config(GAMES[0], 2)).await;
    for ticket in &seated.tickets {
        let bot = RawBot::join(&table, ticket).await;
        let match_id = seated.match_id.clone();
        bot.send(Message::Resign(Resign { match_id })).await;
    }
    table.result(&seated.match_id).await;
    table.crash().await;
    let id = MatchId::new(seated.match_id).unwrap();
    let finished = store.finished_match(&id).await.unwrap().unwrap();
    let copies = (1..MATCHES).flat_map(|number| {
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
            parties: Vec::new(),
        };
        [open, finish]
    });
    store.commit(copies.collect()).await.unwrap();
    store
}

async fn key(store: &MemoryStore, name: &str, scope: KeyScope) -> ApiKey {
    let key = ApiKey::draw();
    let new = NewKey {
        id: key.id().clone(),
        name: KeyName::new(name).unwrap(),
        scopes: BTreeSet::from([scope.to_scope()]),
        secret_hash: key.secret_hash(),
        created_at_unix_ms: 1,
    };
    store.add_key(new).await.unwrap();
    key
}

/// How many matches each page has that the holder of a key gets.
async fn pages(table: &Table, key: &ApiKey, page_size: u32) -> Vec<usize> {
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
        let page = table.matches().list_matches(request).await.unwrap();
        let page = page.into_inner();
        pages.push(page.matches.len());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return pages;
        }
    }
}

#[tokio::test]
async fn a_call_of_one_who_sees_nothing_does_not_read_the_whole_store() {
    let store = filled().await;
    let reader = key(&store, "reader", KeyScope::Read).await;
    let stranger = key(&store, "stranger", KeyScope::Play).await;
    let options = ServerOptions {
        limits: Limits {
            ended_matches_kept: 1,
            ..Limits::default()
        },
        keys: Some(Arc::clone(&store) as _),
        storage: Some(Storage {
            store,
            given_up: Vec::new(),
        }),
        ..ServerOptions::default()
    };
    let table = Table::with_options(options).await;
    let seen = pages(&table, &reader, 10).await;
    assert_eq!(seen, [10; MATCHES / 10], "pages are full while they can be");
    let seen = pages(&table, &stranger, 10).await;
    assert!(seen.len() > 1 && seen.iter().all(|matches| *matches == 0));
}

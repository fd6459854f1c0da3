//! Lists of matches: filters, labels, pages and large stores.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_proto::v1::{
    CreateMatchRequest, ListMatchesRequest, MatchFilter, MatchInfo, MatchState,
};
use bridgemaster_server::{
    Limits, ServerOptions,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{KeyName, MatchId, MemoryStore, Store, Write};

use crate::{
    caller::{Caller, creating, in_state},
    intercepted_store::InterceptedStore,
    streams::assert_invalid,
    test_server::{
        GAMES, Seated, TestServer, config, ids, keeping_one, memory, of_two, without_bots,
    },
};

/// The number of stored matches.
const MATCHES: usize = 300;

/// Creates a store with this number of finished matches. Every tenth belongs to `tenth`, the others
/// to no key.
pub(crate) async fn filled(matches: usize) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let kept: Arc<dyn Store> = Arc::clone(&store) as _;
    let mut server = TestServer::over(&kept, Limits::default()).await;
    let seated = server.create(without_bots()).await;
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
            index_keys: Vec::new(),
        };
        [open, finish]
    });
    store.commit(copies.collect()).await.unwrap();
    store
}

/// Returns the number of matches on each page of ten.
async fn pages(caller: &Caller) -> Vec<usize> {
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let request =
            ListMatchesRequest { page_size: 10, page_token, ..ListMatchesRequest::default() };
        let page = caller.page(request).await.unwrap();
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
    let readings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&readings);
    let counting = InterceptedStore::before_reads(Arc::clone(&store) as _, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }
    });
    let server = TestServer::locked_over(counting, store, keeping_one()).await;
    let reader = server.caller("reader", &[Read]).await;
    let stranger = server.caller("stranger", &[Play]).await;
    let tenth = server.caller("tenth", &[Play]).await;
    let seen = pages(&reader).await;
    assert_eq!(seen, [10; MATCHES / 10], "every page is full");
    let readings_of = async |caller| {
        let before = readings.load(Ordering::Relaxed);
        let seen = pages(caller).await;
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
    let seated = server.create(without_bots()).await;
    let result = server.result(&seated.match_id).await;
    assert!(result.seats.iter().all(|seat| seat.faults.len() == 1));
    let listed = server.page(ListMatchesRequest::default()).await;
    let listed = listed.unwrap().matches;
    for seat in &listed[0].result.as_ref().unwrap().seats {
        assert_eq!((seat.fault_count, seat.faults.len()), (1, 0));
    }
}

type Labels<'a> = &'a [(&'a str, &'a str)];

fn labels(labels: Labels<'_>) -> BTreeMap<String, String> {
    let owned = labels.iter();
    owned.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn labelled(game: &str, with: Labels<'_>) -> CreateMatchRequest {
    CreateMatchRequest { labels: labels(with), ..creating(config(game, 2)) }
}

/// Creates a match; returns its description and tickets.
async fn make(server: &Caller, request: CreateMatchRequest) -> (MatchInfo, Seated) {
    let made = server.create_by(request).await.unwrap();
    (made.r#match.clone().unwrap(), Seated::from(made))
}

#[tokio::test]
async fn labels_and_times_of_a_match_are_reported_as_long_as_it_is_stored() {
    let mut server = TestServer::stored().await;
    let with = [("run", "7"), ("commit/branch", "main, ünïcode")];
    let (made, seated) = make(&server, labelled(GAMES[0], &with)).await;
    let id = &made.match_id;
    assert_eq!(made.labels, labels(&with));
    assert!(made.created_unix_ms > 1_700_000_000_000);
    assert_eq!((made.started_unix_ms, made.ended_unix_ms), (0, 0));
    assert_eq!(made.maker, "", "a match that was made without a key has no maker");

    let bots = server.join_all(&seated).await;
    let running = server.info(id).await;
    assert_eq!(running.state(), MatchState::Running);
    assert!(running.started_unix_ms >= made.created_unix_ms);
    server.restart().await;
    drop(bots);

    let again = server.info(id).await;
    assert_eq!(again.labels, labels(&with));
    assert_eq!(again.created_unix_ms, made.created_unix_ms);
    assert_eq!(again.started_unix_ms, running.started_unix_ms);
    server.play(&seated).await;
    let ended = server.info(id).await;
    assert_eq!(ended.started_unix_ms, running.started_unix_ms);
    assert!(ended.ended_unix_ms >= ended.started_unix_ms);
    server.restart().await;
    assert_eq!(server.info(id).await, ended);
}

#[tokio::test]
async fn lists_contain_the_matches_that_satisfy_the_whole_filter_newest_first() {
    // Most of the finished matches are only in the store.
    let server = TestServer::over(&memory(), keeping_one()).await;
    let mut ended = Vec::new();
    for number in ["1", "2", "3"] {
        let with = [("run", "nightly"), ("number", number)];
        let (made, seated) = make(&server, labelled(GAMES[0], &with)).await;
        server.play(&seated).await;
        ended.insert(0, made);
    }
    let (other, _) = make(&server, labelled(GAMES[1], &[("run", "weekly")])).await;
    let nightly = [("run", "nightly")];
    let (half, seated) = make(&server, labelled(GAMES[0], &nightly)).await;
    let _bot = server.join(&seated.tickets[0]).await;

    let any = MatchFilter::default;
    let by_label = |with: Labels<'_>| MatchFilter { labels: labels(with), ..any() };
    let by_bot = |name: &str| MatchFilter { bot_name: name.to_owned(), ..any() };
    let between = |created_from_unix_ms, created_before_unix_ms| MatchFilter {
        created_from_unix_ms,
        created_before_unix_ms,
        ..any()
    };
    let waiting = MatchFilter { state: MatchState::Waiting.into(), ..by_label(&nightly) };
    let of_game = MatchFilter { game_id: GAMES[1].to_owned(), ..any() };
    let of_maker = MatchFilter { maker: "good".to_owned(), ..any() };
    let [third, second, first] = [&ended[0], &ended[1], &ended[2]];
    let (begin, end) = (first.created_unix_ms, half.created_unix_ms + 1);
    for (filter, expected) in [
        (by_label(&nightly), vec![&half, third, second, first]),
        (by_label(&[("run", "nightly"), ("number", "2")]), vec![second]),
        (by_label(&[("number", "")]), vec![]),
        (waiting, vec![&half]),
        (of_game, vec![&other]),
        (by_bot("good"), vec![third, second, first]),
        (by_bot("raw"), vec![&half]),
        (of_maker, vec![]),
        (between(end, 0), vec![]),
        (between(0, begin), vec![]),
        (between(begin, end), vec![&half, &other, third, second, first]),
        (in_state(MatchState::Waiting), vec![&half, &other]),
    ] {
        let found = server.list_by(filter.clone()).await.unwrap();
        assert_eq!(found, ids(expected), "{filter:?}");
    }
}

#[tokio::test]
async fn readers_list_the_matches_of_any_creator_and_others_only_their_own() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let ada = server.caller("ada", &[Create]).await;
    let bob = server.caller("bob", &[Create, Play]).await;
    let reader = server.caller("reader", &[Read]).await;
    let of_ada = ada.create(of_two()).await;
    let of_bob = bob.create(of_two()).await;
    let _bot = bob.join(&of_ada.tickets[0]).await;
    let (id_a, id_b) = (of_ada.match_id.as_str(), of_bob.match_id.as_str());
    for (caller, maker, expected) in [
        (&reader, "ada", vec![id_a]),
        (&reader, "bob", vec![id_b]),
        (&reader, "nobody", vec![]),
        (&bob, "ada", vec![id_a]),
        (&bob, "bob", vec![id_b]),
        (&ada, "bob", vec![]),
    ] {
        let filter = MatchFilter { maker: maker.to_owned(), ..MatchFilter::default() };
        let listed = caller.list_by(filter).await.unwrap();
        assert_eq!(listed, expected, "{maker}");
    }
    assert_eq!(reader.info(id_a).await.maker, "ada");
}

#[tokio::test]
async fn invalid_labels_are_refused_with_the_valid_form() {
    let server = TestServer::open().await;
    let long_name = "n".repeat(65);
    let long_value = "v".repeat(257);
    let wide_value = "ü".repeat(256);
    let many: Vec<String> = (0..17).map(|number| format!("l{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "")).collect();
    for (with, said) in [
        (&[("", "x")][..], "1 to 64"),
        (&[("Run", "x")], "`a` to `z`"),
        (&[(&long_name, "x")], "1 to 64"),
        (&[("run", &long_value)], "at most 256 characters"),
        (&[("run", "a\nb")], "printable"),
        (&many, "at most 16 labels are allowed, not 17"),
        (&[("a", &wide_value), ("b", &wide_value)], "1024 bytes"),
    ] {
        let refused = server.create_by(labelled(GAMES[0], with)).await;
        let message = refused.as_ref().unwrap_err().message();
        assert!(message.contains(said), "{message}");
        assert_invalid(refused, "labels: ");
    }
    let longest = "v".repeat(256);
    make(&server, labelled(GAMES[0], &[("a/b.c_d-9", &longest)])).await;
    let by_bad_label = MatchFilter { labels: labels(&[("Run", "x")]), ..MatchFilter::default() };
    let of_no_game = MatchFilter { game_id: "chess".to_owned(), ..MatchFilter::default() };
    for (filter, field) in [(by_bad_label, "filter.labels: "), (of_no_game, "filter.game_id: ")] {
        assert_invalid(server.list_by(filter).await, field);
    }
}

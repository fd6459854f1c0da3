//! Metadata of matches, and lists that filter by it: labels, creators and times.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_proto::v1::{
    CreateMatchRequest, ListMatchesRequest, MatchFilter, MatchInfo, MatchState,
};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{MemoryStore, Store};
use tonic::Status;

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, TestServer, config},
};

type Labels<'a> = &'a [(&'a str, &'a str)];

fn labels(labels: Labels<'_>) -> BTreeMap<String, String> {
    let owned = labels.iter();
    owned
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn labelled(game: &str, with: Labels<'_>) -> CreateMatchRequest {
    CreateMatchRequest {
        config: Some(config(game, 2)),
        labels: labels(with),
        ..CreateMatchRequest::default()
    }
}

/// Creates a match; returns its description and tickets.
async fn make(server: &TestServer, request: CreateMatchRequest) -> (MatchInfo, Vec<String>) {
    let made = server.matches().create_match(request).await.unwrap();
    let made = made.into_inner();
    let tickets = made.tickets.into_iter().map(|ticket| ticket.ticket);
    (made.r#match.unwrap(), tickets.collect())
}

/// Plays a match to its end.
async fn play(server: &TestServer, tickets: &[String]) {
    let bots: Vec<_> = tickets.iter().map(|one| server.good_bot(one)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
}

/// Returns the identifiers of all matches that a filter selects, from all pages.
async fn listed(server: &TestServer, filter: MatchFilter) -> Result<Vec<String>, Status> {
    let mut ids = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListMatchesRequest {
            filter: Some(filter.clone()),
            page_size: 2,
            page_token,
        };
        let page = server.matches().list_matches(request).await?.into_inner();
        ids.extend(page.matches.into_iter().map(|info| info.match_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(ids);
        }
    }
}

#[tokio::test]
async fn labels_and_times_of_a_match_are_reported_as_long_as_it_is_stored() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let with = [("run", "7"), ("commit/branch", "main, ünïcode")];
    let (made, tickets) = make(&server, labelled(GAMES[0], &with)).await;
    assert_eq!(made.labels, labels(&with));
    assert!(made.created_unix_ms > 1_700_000_000_000);
    assert_eq!((made.started_unix_ms, made.ended_unix_ms), (0, 0));
    assert_eq!(made.maker, "", "nobody is asked for a key");

    let bots = [
        RawBot::join(&server, &tickets[0]).await,
        RawBot::join(&server, &tickets[1]).await,
    ];
    let running = server.info(&made.match_id).await;
    assert_eq!(running.state(), MatchState::Running);
    assert!(running.started_unix_ms >= made.created_unix_ms);
    server.crash().await;
    drop(bots);

    let mut server = TestServer::over(&store, Limits::default()).await;
    let again = server.info(&made.match_id).await;
    assert_eq!(again.labels, labels(&with));
    assert_eq!(again.created_unix_ms, made.created_unix_ms);
    assert_eq!(again.started_unix_ms, running.started_unix_ms);
    play(&server, &tickets).await;
    let ended = server.info(&made.match_id).await;
    assert_eq!(ended.started_unix_ms, running.started_unix_ms);
    assert!(ended.ended_unix_ms >= ended.started_unix_ms);
    server.crash().await;

    let server = TestServer::over(&store, Limits::default()).await;
    assert_eq!(server.info(&made.match_id).await, ended);
}

#[tokio::test]
async fn lists_contain_the_matches_that_satisfy_the_whole_filter() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    // Most of the ended ones are only in the store.
    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let server = TestServer::over(&store, limits).await;
    let mut ended = Vec::new();
    for number in ["1", "2", "3"] {
        let with = [("run", "nightly"), ("number", number)];
        let (made, tickets) = make(&server, labelled(GAMES[0], &with)).await;
        play(&server, &tickets).await;
        ended.insert(0, made);
    }
    let (other, _) = make(&server, labelled(GAMES[1], &[("run", "weekly")])).await;
    let (half, tickets) = make(&server, labelled(GAMES[0], &[("run", "nightly")])).await;
    let _bot = RawBot::join(&server, &tickets[0]).await;

    let ids = |matches: &[&MatchInfo]| -> Vec<String> {
        let matches = matches.iter();
        matches.map(|info| info.match_id.clone()).collect()
    };
    let any = MatchFilter::default;
    let by_label = |with: Labels<'_>| MatchFilter {
        labels: labels(with),
        ..any()
    };
    let [third, second, first] = [&ended[0], &ended[1], &ended[2]];
    for (filter, expected) in [
        (
            by_label(&[("run", "nightly")]),
            ids(&[&half, third, second, first]),
        ),
        (
            by_label(&[("run", "nightly"), ("number", "2")]),
            ids(&[second]),
        ),
        (by_label(&[("number", "")]), ids(&[])),
        (
            MatchFilter {
                state: MatchState::Waiting.into(),
                ..by_label(&[("run", "nightly")])
            },
            ids(&[&half]),
        ),
        (
            MatchFilter {
                game_id: GAMES[1].to_owned(),
                ..any()
            },
            ids(&[&other]),
        ),
        (
            MatchFilter {
                bot_name: "good".to_owned(),
                ..any()
            },
            ids(&[third, second, first]),
        ),
        (
            MatchFilter {
                bot_name: half_name(&server, &half).await,
                ..any()
            },
            ids(&[&half]),
        ),
        (
            MatchFilter {
                maker: "good".to_owned(),
                ..any()
            },
            ids(&[]),
        ),
        (
            MatchFilter {
                created_from_unix_ms: half.created_unix_ms + 1,
                ..any()
            },
            ids(&[]),
        ),
        (
            MatchFilter {
                created_before_unix_ms: first.created_unix_ms,
                ..any()
            },
            ids(&[]),
        ),
        (
            MatchFilter {
                created_from_unix_ms: first.created_unix_ms,
                created_before_unix_ms: half.created_unix_ms + 1,
                ..any()
            },
            ids(&[&half, &other, third, second, first]),
        ),
    ] {
        let found = listed(&server, filter.clone()).await.unwrap();
        assert_eq!(found, expected, "{filter:?}");
    }
}

/// Returns the name of the bot at the first seat.
async fn half_name(server: &TestServer, half: &MatchInfo) -> String {
    server.info(&half.match_id).await.seats[0].bot_name.clone()
}

#[tokio::test]
async fn readers_list_the_matches_of_any_creator_and_others_only_their_own() {
    let locked = LockedServer::open().await;
    let ada = locked.key("ada", &[Create]).await;
    let bob = locked.key("bob", &[Create, Play]).await;
    let reader = locked.key("reader", &[Read]).await;
    let of_ada = locked.with(&ada).create(config(GAMES[0], 2)).await.unwrap();
    let of_bob = locked.with(&bob).create(config(GAMES[0], 2)).await.unwrap();
    let _bot = locked.with(&bob).join(&of_ada.tickets[0]).await;
    let by = |maker: &str| MatchFilter {
        maker: maker.to_owned(),
        ..MatchFilter::default()
    };
    let (id_a, id_b) = (of_ada.match_id.as_str(), of_bob.match_id.as_str());
    for (key, filter, expected) in [
        (&reader, by("ada"), vec![id_a]),
        (&reader, by("bob"), vec![id_b]),
        (&reader, by("nobody"), vec![]),
        (&bob, by("ada"), vec![id_a]),
        (&bob, by("bob"), vec![id_b]),
        (&ada, by("bob"), vec![]),
    ] {
        let listed = locked.with(key).list_by(filter.clone()).await.unwrap();
        assert_eq!(listed, expected, "{filter:?}");
    }
    let info = locked.with(&reader).info(id_a).await.unwrap();
    assert_eq!(info.maker, "ada");
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
        let asked = server
            .matches()
            .create_match(labelled(GAMES[0], with))
            .await;
        let refused = asked.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{with:?}");
        let message = refused.message();
        assert!(
            message.starts_with("labels: ") && message.contains(said),
            "{message}"
        );
    }
    let longest = "v".repeat(256);
    make(&server, labelled(GAMES[0], &[("a/b.c_d-9", &longest)])).await;
    let by_bad_label = MatchFilter {
        labels: labels(&[("Run", "x")]),
        ..MatchFilter::default()
    };
    let of_no_game = MatchFilter {
        game_id: "chess".to_owned(),
        ..MatchFilter::default()
    };
    for (filter, field) in [
        (by_bad_label, "filter.labels: "),
        (of_no_game, "filter.game_id: "),
    ] {
        let refused = listed(&server, filter).await.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD");
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
}

//! Every server lists the matches in play of all, as its caller may see them.

use std::{collections::BTreeSet, process::Command};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    games::WireGame as _,
    v1::{
        CancelMatchRequest, CreateMatchRequest, CreateMatchResponse, Hello, ListMatchesRequest,
        MatchConfig, MatchFilter, MatchInfo, PlayRequest, PlayResponse, SpectatorRules,
        play_request::Message, play_service_client::PlayServiceClient,
    },
};
use tokio::time::{sleep, timeout};
use tokio_stream::{StreamExt as _, iter, pending};
use tonic::{Request, Streaming, transport::Channel};

use crate::{
    nodes::{Cluster, LOOK_AGAIN, free_address, node},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served},
};

/// A call with a key, if there is one.
fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut call = Request::new(message);
    if !key.is_empty() {
        let metadata = call.metadata_mut();
        metadata.insert("x-bridgemaster-key", key.parse().unwrap());
    }
    call
}

/// All matches that a server lists for a key, asked for in pages of this size.
async fn listed(
    server: &Served,
    key: &str,
    filter: &MatchFilter,
    page_size: u32,
) -> Vec<MatchInfo> {
    let (all, is_incomplete) = partly_listed(server, key, filter, page_size).await;
    assert!(!is_incomplete, "{all:?}");
    all
}

/// Like `listed`, and whether matches of another server may be missing.
async fn partly_listed(
    server: &Served,
    key: &str,
    filter: &MatchFilter,
    page_size: u32,
) -> (Vec<MatchInfo>, bool) {
    let (mut all, mut page_token, mut is_incomplete) = (Vec::new(), String::new(), false);
    let mut matches = server.matches().await;
    loop {
        let request = ListMatchesRequest {
            filter: Some(filter.clone()),
            page_size,
            page_token,
        };
        let page = matches.list_matches(with_key(request, key)).await.unwrap();
        let page = page.into_inner();
        assert!(page.matches.len() <= page_size as usize && page.damaged_match_ids.is_empty());
        all.extend(page.matches);
        is_incomplete |= page.incomplete;
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return (all, is_incomplete);
        }
    }
}

fn ids(all: &[MatchInfo]) -> Vec<&str> {
    all.iter().map(|one| &*one.match_id).collect()
}

/// Joins a seat, whose stream is open until it is dropped.
async fn join(server: &Served, ticket: &str, key: &str, name: &str) -> Streaming<PlayResponse> {
    let hello = Hello {
        protocol_revision: PROTOCOL_REVISION,
        bot_name: name.to_owned(),
        ..Hello::default()
    };
    let hello = PlayRequest {
        message: Some(Message::Hello(hello)),
    };
    let mut call = with_key(iter([hello]).chain(pending()), key);
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    call.metadata_mut().insert("authorization", bearer);
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let mut client = PlayServiceClient::new(channel.connect().await.unwrap());
    let mut stream = client.play(call).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some(), "it is welcome");
    stream
}

fn has_bot(info: &MatchInfo) -> bool {
    info.seats.iter().any(|seat| !seat.bot_name.is_empty())
}

/// Returns the output of `bridgemaster match list` for a server.
fn printed(server: &Served) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    let listed = command
        .args(["match", "list", "--server", &server.url])
        .output();
    let listed = listed.unwrap();
    assert!(listed.status.success(), "{listed:?}");
    String::from_utf8(listed.stdout).unwrap()
}

/// Matches on each of the servers, in the order in which they were made, with their tickets.
async fn make(servers: [&Served; 3]) -> Vec<(String, Vec<String>)> {
    let mut made = Vec::new();
    for game in ["alhambra", "carcassonne"] {
        for server in servers {
            made.push(server.create(game, "a").await);
        }
    }
    made
}

pub(crate) async fn every_server_lists_the_matches_in_play_of_all() {
    let Cluster {
        one, two, three, ..
    } = Cluster::start();
    let made = make([&one, &two, &three]).await;
    let newest_first: Vec<&str> = made.iter().rev().map(|(id, _)| &**id).collect();
    let any = MatchFilter::default();
    for server in [&one, &two, &three] {
        for page_size in [1, 2, 5, 500] {
            let paged = listed(server, "", &any, page_size).await;
            assert_eq!(ids(&paged), newest_first, "{page_size}");
        }
        let of_a_game = MatchFilter {
            game_id: "carcassonne".to_owned(),
            ..MatchFilter::default()
        };
        let paged = listed(server, "", &of_a_game, 2).await;
        assert_eq!(ids(&paged), newest_first[..3]);
        let printed = printed(server);
        assert!(
            made.iter().all(|(id, _)| printed.contains(&**id)),
            "{printed}"
        );
    }
}

pub(crate) async fn what_becomes_of_a_match_is_listed_at_every_server() {
    let Cluster {
        one, two, three, ..
    } = Cluster::start();
    let made = make([&one, &two, &three]).await;
    let any = MatchFilter::default();
    let (at_two, tickets) = &made[4];
    let _stream = join(&two, &tickets[0], "", "waiting").await;
    let of_bot = MatchFilter {
        bot_name: "waiting".to_owned(),
        ..MatchFilter::default()
    };
    // A server lists what the server of the match knows now.
    assert_eq!(ids(&listed(&three, "", &of_bot, 500).await), [at_two]);
    let (at_one, _) = &made[0];
    let request = CancelMatchRequest {
        match_id: at_one.clone(),
        ..CancelMatchRequest::default()
    };
    one.matches().await.cancel_match(request).await.unwrap();
    let all = listed(&three, "", &any, 500).await;
    assert_eq!(all.len(), made.len(), "one that is over is listed once");
    assert_eq!(all.last().unwrap().match_id, *at_one, "after those in play");
    // While the matches of a server that is gone are missing, the list is incomplete.
    two.kill();
    let ids: BTreeSet<&str> = made.iter().map(|(id, _)| &**id).collect();
    let taken = async {
        loop {
            let (all, is_incomplete) = partly_listed(&one, "", &any, 500).await;
            let all: BTreeSet<&str> = all.iter().map(|info| &*info.match_id).collect();
            if all == ids && !is_incomplete {
                return;
            }
            assert!(all == ids || is_incomplete, "{all:?}");
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, taken).await.expect("it is taken over");
    assert_eq!(listed(&three, "", &any, 500).await.len(), made.len());
}

/// Makes a key with these scopes.
fn key(database: &str, name: &str, scopes: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    command.args(["key", "add", name, "--store", database]);
    command.args(scopes.iter().flat_map(|scope| ["--scope", scope]));
    let made = command.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

/// Makes a match of two seats that spectators see so late.
async fn create(server: &Served, key: &str, delay_ms: u32) -> CreateMatchResponse {
    let config = MatchConfig {
        game: with_game!("alhambra", G => G::config_to_wire(&Default::default())),
        seats: 2,
        spectators: Some(SpectatorRules {
            delay_ms,
            ..SpectatorRules::default()
        }),
        ..MatchConfig::default()
    };
    let request = CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    };
    let mut matches = server.matches().await;
    let made = matches.create_match(with_key(request, key)).await;
    made.unwrap().into_inner()
}

pub(crate) async fn a_list_of_another_server_shows_what_its_caller_may_see() {
    let database = PostgresServer::shared().fresh();
    let start = |name| node(&database, name, &free_address(), &["--require-keys"]);
    let (one, two) = (start("one"), start("two"));
    let maker = key(&database, "maker", &["create", "play"]);
    let other = key(&database, "other", &["create"]);
    let reader = key(&database, "reader", &["read"]);
    let admin = key(&database, "admin", &["admin"]);
    let late = create(&one, &maker, 600_000).await;
    let late_id = late.r#match.unwrap().match_id;
    let _stream = join(&one, &late.tickets[0].ticket, &maker, "maker").await;
    let (any, named) = (MatchFilter::default(), |id: &str| {
        let id = id.to_owned();
        move |all: &[MatchInfo]| all.iter().any(|info| info.match_id == id && has_bot(info))
    });
    // Those whose match it is and who may change it see it at once, at the other server too.
    for key in [&maker, &admin] {
        let all = listed(&two, key, &any, 500).await;
        assert!(named(&late_id)(&all), "{all:?}");
    }
    // Spectators do not see yet that a bot has come.
    let shown = listed(&two, &reader, &any, 500).await;
    assert_eq!(ids(&shown), [&*late_id]);
    assert!(!has_bot(&shown[0]), "{shown:?}");
    let of_bot = MatchFilter {
        bot_name: "maker".to_owned(),
        ..MatchFilter::default()
    };
    assert!(listed(&two, &reader, &of_bot, 500).await.is_empty());
    // Who has no part in it and may not read those of others does not see it.
    assert!(listed(&two, &other, &any, 500).await.is_empty());
}

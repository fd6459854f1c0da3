//! Tests that every server lists the matches in play of all servers that its caller may see.

use std::collections::BTreeSet;

use bridgemaster_proto::v1::{
    CancelMatchRequest, ClockRules, CreateMatchResponse, ListMatchesRequest, MatchConfig,
    MatchFilter, MatchInfo, SpectatorRules,
};

use crate::{
    kit::{
        calls::{config, create_request, showing},
        program::{assert_has, quoted, succeed},
        seat_stream::{SeatStream, hello},
        served::Served,
    },
    nodes::{Cluster, node, until},
    postgres_server::PostgresServer,
};

/// Returns all matches that servers list for a key. The pages have this size, and are requested
/// from the servers in turn.
async fn listed(servers: &[&Served], key: &str, filter: &MatchFilter, page: u32) -> Vec<MatchInfo> {
    let (all, is_incomplete) = partly_listed(servers, key, filter, page).await;
    assert!(!is_incomplete, "{all:?}");
    all
}

/// Returns the same as `listed`, and whether matches of another server may be missing.
async fn partly_listed(
    servers: &[&Served],
    key: &str,
    filter: &MatchFilter,
    page_size: u32,
) -> (Vec<MatchInfo>, bool) {
    let (mut all, mut page_token, mut is_incomplete) = (Vec::new(), String::new(), false);
    let mut turns = servers.iter().cycle();
    loop {
        let mut matches = turns.next().unwrap().matches().await;
        let request = ListMatchesRequest { filter: Some(filter.clone()), page_size, page_token };
        let page = matches.list_matches(showing(request, "", key)).await.unwrap();
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

fn of_bot(name: &str) -> MatchFilter {
    MatchFilter { bot_name: name.to_owned(), ..MatchFilter::default() }
}

/// Joins a seat, whose stream stays open until it is dropped.
async fn join(server: &Served, ticket: &str, key: &str, name: &str) -> SeatStream {
    let opened = SeatStream::open(server.channel().await, ticket, key, hello(name)).await;
    let mut stream = opened.unwrap();
    stream.message().await;
    stream
}

fn has_bot(info: &MatchInfo) -> bool {
    info.seats.iter().any(|seat| !seat.bot_name.is_empty())
}

/// Creates matches on each of the servers. Returns them in the order of their creation, with their
/// tickets.
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
    let Cluster { one, two, three, .. } = Cluster::start();
    let made = make([&one, &two, &three]).await;
    let newest_first: Vec<&str> = made.iter().rev().map(|(id, _)| &**id).collect();
    let any = MatchFilter::default();
    let of_a_game = MatchFilter { game_id: "carcassonne".to_owned(), ..MatchFilter::default() };
    for server in [&one, &two, &three] {
        for page_size in [1, 2, 5, 500] {
            let paged = listed(&[server], "", &any, page_size).await;
            assert_eq!(ids(&paged), newest_first, "{page_size}");
        }
        let paged = listed(&[server], "", &of_a_game, 2).await;
        assert_eq!(ids(&paged), newest_first[..3]);
        let printed = succeed(format!("match list --server {}", server.url));
        assert_has(&printed, &newest_first);
    }
}

pub(crate) async fn every_server_lists_the_current_state_of_a_match() {
    let Cluster { one, two, three, .. } = Cluster::start();
    let made = make([&one, &two, &three]).await;
    let any = MatchFilter::default();
    let (at_two, tickets) = &made[4];
    let _stream = join(&two, &tickets[0], "", "waiting").await;
    // A server lists the current state of a match on another server.
    let shown = listed(&[&three], "", &of_bot("waiting"), 500).await;
    assert_eq!(ids(&shown), [at_two]);
    let (at_one, _) = &made[0];
    let request = CancelMatchRequest { match_id: at_one.clone(), ..CancelMatchRequest::default() };
    one.matches().await.cancel_match(request).await.unwrap();
    let newest_first: Vec<&str> = made.iter().rev().map(|(id, _)| &**id).collect();
    for page_size in [1, 2, 500] {
        let all = listed(&[&three, &one, &two], "", &any, page_size).await;
        assert_eq!(ids(&all), newest_first, "a finished match keeps its place");
    }
    // While the matches of a server that is gone are missing, the list is incomplete.
    two.kill();
    let expected: BTreeSet<&str> = made.iter().map(|(id, _)| &**id).collect();
    let taken = async || {
        let (all, is_incomplete) = partly_listed(&[&one], "", &any, 500).await;
        let is_whole = ids(&all).into_iter().collect::<BTreeSet<_>>() == expected;
        assert!(is_whole || is_incomplete, "{all:?}");
        (is_whole && !is_incomplete).then_some(())
    };
    until("the match is taken over", taken).await;
    assert_eq!(listed(&[&three], "", &any, 500).await.len(), made.len());
}

/// Creates a match of two seats with this delay for spectators.
async fn create(server: &Served, key: &str, delay_ms: u32) -> CreateMatchResponse {
    let config = MatchConfig {
        spectators: Some(SpectatorRules { delay_ms, ..SpectatorRules::default() }),
        ..config("alhambra", 2, ClockRules::default())
    };
    let mut matches = server.matches().await;
    let made = matches.create_match(showing(create_request(config), "", key)).await;
    made.unwrap().into_inner()
}

pub(crate) async fn a_list_of_another_server_shows_only_visible_matches() {
    let database = PostgresServer::shared().fresh();
    let start = |name| node(&database, name, "--require-keys");
    let (one, two) = (start("one"), start("two"));
    let key = |name: &str, scopes: &str| {
        let line = format!("key add {name} {scopes} --store {}", quoted(&database));
        succeed(line).trim().to_owned()
    };
    let maker = key("maker", "--scope create --scope play");
    let other = key("other", "--scope create");
    let reader = key("reader", "--scope read");
    let admin = key("admin", "--scope admin");
    let late = create(&one, &maker, 600_000).await;
    let late_id = late.r#match.unwrap().match_id;
    let _stream = join(&one, &late.tickets[0].ticket, &maker, "maker").await;
    let any = MatchFilter::default();
    // The creator and admins see the match without delay, on the other server too.
    for key in [&maker, &admin] {
        let all = listed(&[&two], key, &any, 500).await;
        let mut late = all.iter().filter(|info| info.match_id == late_id);
        assert!(late.any(has_bot), "{all:?}");
    }
    // Spectators do not see yet that a bot has joined.
    let shown = listed(&[&two], &reader, &any, 500).await;
    assert_eq!(ids(&shown), [&*late_id]);
    assert!(!has_bot(&shown[0]), "{shown:?}");
    assert!(listed(&[&two], &reader, &of_bot("maker"), 500).await.is_empty());
    // A caller without a part in the match, and without access to all matches, does not see it.
    assert!(listed(&[&two], &other, &any, 500).await.is_empty());
}

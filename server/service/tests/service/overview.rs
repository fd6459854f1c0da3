//! The stream of all matches in play.

use bridgemaster_proto::v1::{
    MatchFilter, MatchState, WatchMatchRequest, WatchMatchesRequest, WatchMatchesResponse,
    play_request,
};
use bridgemaster_server::identity::KeyScope::{Create, Play, Read};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// The shortest update interval, in ms.
const MIN_INTERVAL_MS: u32 = 100;

async fn overview(
    server: &TestServer,
    request: WatchMatchesRequest,
) -> Result<Streaming<WatchMatchesResponse>, Status> {
    let watching = server.matches().watch_matches(request).await;
    watching.map(tonic::Response::into_inner)
}

/// Returns the next update for which `wanted` holds.
async fn next_update(
    watching: &mut Streaming<WatchMatchesResponse>,
    wanted: impl Fn(&WatchMatchesResponse) -> bool,
) -> WatchMatchesResponse {
    loop {
        let message = timeout(PATIENCE, watching.message()).await;
        let message = message
            .expect("updates arrive")
            .unwrap()
            .expect("the stream continues");
        if wanted(&message) {
            return message;
        }
    }
}

/// Returns a predicate for updates of a match in this state.
fn is(id: &str, state: MatchState) -> impl Fn(&WatchMatchesResponse) -> bool {
    move |update| {
        let info = update.r#match.as_ref().unwrap();
        info.match_id == id && info.state() == state
    }
}

fn filter(state: MatchState, game_id: &str) -> Option<MatchFilter> {
    Some(MatchFilter {
        state: state.into(),
        game_id: game_id.to_owned(),
        ..MatchFilter::default()
    })
}

#[tokio::test]
async fn the_overview_sends_each_match_as_spectators_see_it_and_its_end() {
    let server = TestServer::open().await;
    let first = server.create(config(GAMES[0], 2)).await;
    let request = WatchMatchesRequest {
        interval_ms: MIN_INTERVAL_MS,
        ..WatchMatchesRequest::default()
    };
    let mut watching = overview(&server, request).await.unwrap();
    let waiting = is(&first.match_id, MatchState::Waiting);
    let waiting = next_update(&mut watching, waiting).await;
    assert!(waiting.r#match.unwrap().config.is_some() && waiting.observation.is_none());

    // A match created later is included.
    let second = server.create(config(GAMES[1], 2)).await;
    next_update(&mut watching, is(&second.match_id, MatchState::Waiting)).await;
    let bots = [
        RawBot::join(&server, &first.tickets[0]).await,
        RawBot::join(&server, &first.tickets[1]).await,
    ];
    let running = is(&first.match_id, MatchState::Running);
    let running = next_update(&mut watching, running).await;
    let request = WatchMatchRequest {
        match_id: first.match_id.clone(),
    };
    let spectator = server.matches().watch_match(request).await.unwrap();
    let seen = spectator.into_inner().message().await.unwrap().unwrap();
    assert_eq!(running.observation, seen.observation);
    assert!(running.observation.is_some());
    let update = running.r#match.unwrap();
    assert_eq!((update.config, update.seed_commitment.as_str()), (None, ""));
    assert_eq!(update.seats, seen.r#match.unwrap().seats);

    for bot in &bots {
        bot.send(play_request::Message::Resign(Default::default()))
            .await;
    }
    let over = next_update(&mut watching, is(&first.match_id, MatchState::Ended)).await;
    let over = over.r#match.unwrap();
    assert!(over.result.is_some() && over.config.is_some());
    // The next update is about the other match, which is cancelled.
    let request = bridgemaster_proto::v1::CancelMatchRequest {
        match_id: second.match_id.clone(),
        reason: "enough".to_owned(),
    };
    server.matches().cancel_match(request).await.unwrap();
    let last = next_update(&mut watching, |_| true).await;
    assert!(
        is(&second.match_id, MatchState::Cancelled)(&last),
        "{last:?}"
    );
}

#[tokio::test]
async fn the_overview_is_restricted_by_filter_limit_and_key() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create, Read]).await;
    let ada = locked.key("ada", &[Play]).await;
    let of_ada = locked.with(&maker).create(config(GAMES[0], 2)).await;
    let of_ada = of_ada.unwrap();
    let other = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let newest = locked
        .with(&maker)
        .create(config(GAMES[1], 2))
        .await
        .unwrap();
    let _bot = locked.with(&ada).join(&of_ada.tickets[0]).await;

    let seen = async |key, request: WatchMatchesRequest, count: usize| {
        let mut watching = locked.with(key).overview(request).await.unwrap();
        let mut ids = Vec::new();
        for _ in 0..count {
            let one = next_update(&mut watching, |_| true).await;
            ids.push(one.r#match.unwrap().match_id);
        }
        ids
    };
    let all = WatchMatchesRequest::default();
    let ids = [&newest, &other, &of_ada].map(|one| one.match_id.clone());
    assert_eq!(seen(&maker, all.clone(), 3).await, ids);
    assert_eq!(seen(&ada, all, 1).await, ids[2..]);
    let of_game = WatchMatchesRequest {
        filter: filter(MatchState::Waiting, GAMES[0]),
        max_matches: 1,
        interval_ms: MIN_INTERVAL_MS,
    };
    let mut watching = locked.with(&maker).overview(of_game).await.unwrap();
    let update = next_update(&mut watching, |_| true).await;
    assert_eq!(update.r#match.unwrap().match_id, ids[1]);
    // A newer match takes its place, so this one gets no more updates.
    let next = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let update = next_update(&mut watching, |_| true).await;
    assert_eq!(update.r#match.unwrap().match_id, next.match_id);
}

#[tokio::test]
async fn an_invalid_overview_request_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let of = |filter, max_matches, interval_ms| WatchMatchesRequest {
        filter,
        max_matches,
        interval_ms,
    };
    for (request, field) in [
        (of(filter(MatchState::Ended, ""), 0, 0), "filter.state"),
        (of(None, 101, 0), "max_matches"),
        (of(None, 0, 99), "interval_ms"),
        (of(None, 0, 60_001), "interval_ms"),
    ] {
        let refused = overview(&server, request).await.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{field}: {refused:?}");
        assert!(refused.message().contains(field), "{refused:?}");
    }
}

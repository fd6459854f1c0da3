//! All matches in play on one stream.

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

/// The most frequent looks.
const OFTEN_MS: u32 = 100;

async fn overview(
    server: &TestServer,
    request: WatchMatchesRequest,
) -> Result<Streaming<WatchMatchesResponse>, Status> {
    let watching = server.matches().watch_matches(request).await;
    watching.map(tonic::Response::into_inner)
}

/// The next news for which `wanted` holds.
async fn news(
    watching: &mut Streaming<WatchMatchesResponse>,
    wanted: impl Fn(&WatchMatchesResponse) -> bool,
) -> WatchMatchesResponse {
    loop {
        let message = timeout(PATIENCE, watching.message()).await;
        let message = message.expect("news come").unwrap().expect("it goes on");
        if wanted(&message) {
            return message;
        }
    }
}

/// Whether news are of a match in a state.
fn is(id: &str, state: MatchState) -> impl Fn(&WatchMatchesResponse) -> bool {
    move |news| {
        let info = news.r#match.as_ref().unwrap();
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
async fn each_match_in_play_is_told_of_as_spectators_see_it_and_once_more_when_it_is_over() {
    let server = TestServer::open().await;
    let first = server.create(config(GAMES[0], 2)).await;
    let request = WatchMatchesRequest {
        interval_ms: OFTEN_MS,
        ..WatchMatchesRequest::default()
    };
    let mut watching = overview(&server, request).await.unwrap();
    let waiting = is(&first.match_id, MatchState::Waiting);
    let waiting = news(&mut watching, waiting).await;
    assert!(waiting.r#match.unwrap().config.is_some() && waiting.observation.is_none());

    // One that is made later is told of, too.
    let second = server.create(config(GAMES[1], 2)).await;
    news(&mut watching, is(&second.match_id, MatchState::Waiting)).await;
    let bots = [
        RawBot::join(&server, &first.tickets[0]).await,
        RawBot::join(&server, &first.tickets[1]).await,
    ];
    let running = is(&first.match_id, MatchState::Running);
    let running = news(&mut watching, running).await;
    let request = WatchMatchRequest {
        match_id: first.match_id.clone(),
    };
    let spectator = server.matches().watch_match(request).await.unwrap();
    let seen = spectator.into_inner().message().await.unwrap().unwrap();
    assert_eq!(running.observation, seen.observation);
    assert!(running.observation.is_some());
    let told = running.r#match.unwrap();
    assert_eq!((told.config, told.seed_commitment.as_str()), (None, ""));
    assert_eq!(told.seats, seen.r#match.unwrap().seats);

    for bot in &bots {
        bot.send(play_request::Message::Resign(Default::default()))
            .await;
    }
    let over = news(&mut watching, is(&first.match_id, MatchState::Ended)).await;
    let over = over.r#match.unwrap();
    assert!(over.result.is_some() && over.config.is_some());
    // The next news are of the other match, which is cancelled.
    let request = bridgemaster_proto::v1::CancelMatchRequest {
        match_id: second.match_id.clone(),
        reason: "enough".to_owned(),
    };
    server.matches().cancel_match(request).await.unwrap();
    let last = news(&mut watching, |_| true).await;
    assert!(
        is(&second.match_id, MatchState::Cancelled)(&last),
        "{last:?}"
    );
}

#[tokio::test]
async fn the_filter_the_number_and_the_key_say_which_matches_are_told_of() {
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
            let one = news(&mut watching, |_| true).await;
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
        interval_ms: OFTEN_MS,
    };
    let mut watching = locked.with(&maker).overview(of_game).await.unwrap();
    let told = news(&mut watching, |_| true).await;
    assert_eq!(told.r#match.unwrap().match_id, ids[1]);
    // A newer one takes its place, and nothing more is told of it.
    let next = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let told = news(&mut watching, |_| true).await;
    assert_eq!(told.r#match.unwrap().match_id, next.match_id);
}

#[tokio::test]
async fn what_an_overview_cannot_show_is_refused_by_its_field() {
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

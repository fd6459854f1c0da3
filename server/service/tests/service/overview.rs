//! The stream of all matches in play.

use bridgemaster_proto::v1::{MatchFilter, MatchState, WatchMatchesRequest, WatchMatchesResponse};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Create, Play, Read},
};
use tonic::Streaming;

use crate::{
    caller::{Caller, in_state},
    streams::{find, next},
    test_server::{GAMES, TestServer, config, of_two},
};

/// The shortest update interval, in ms.
const MIN_INTERVAL_MS: u32 = 100;

/// Returns the next update for which `wanted` holds.
async fn next_update(
    watching: &mut Streaming<WatchMatchesResponse>,
    wanted: impl Fn(&WatchMatchesResponse) -> bool,
) -> WatchMatchesResponse {
    find(watching, |update| wanted(&update).then_some(update)).await
}

/// Returns a predicate for updates of a match in this state.
fn is(id: &str, state: MatchState) -> impl Fn(&WatchMatchesResponse) -> bool {
    move |update| {
        let info = update.r#match.as_ref().unwrap();
        info.match_id == id && info.state() == state
    }
}

#[tokio::test]
async fn the_overview_sends_each_match_as_spectators_see_it_and_its_end() {
    let server = TestServer::open().await;
    let first = server.create(of_two()).await;
    let request =
        WatchMatchesRequest { interval_ms: MIN_INTERVAL_MS, ..WatchMatchesRequest::default() };
    let mut watching = server.overview(request).await.unwrap();
    let waiting = is(&first.match_id, MatchState::Waiting);
    let waiting = next_update(&mut watching, waiting).await;
    assert!(waiting.r#match.unwrap().config.is_some() && waiting.observation.is_none());

    // A match created later is included.
    let second = server.create(config(GAMES[1], 2)).await;
    next_update(&mut watching, is(&second.match_id, MatchState::Waiting)).await;
    let bots = server.join_all(&first).await;
    let running = is(&first.match_id, MatchState::Running);
    let running = next_update(&mut watching, running).await;
    let mut spectator = server.watch(&first.match_id).await.unwrap();
    let seen = next(&mut spectator).await.unwrap().unwrap();
    assert_eq!(running.observation, seen.observation);
    assert!(running.observation.is_some());
    let update = running.r#match.unwrap();
    assert_eq!((update.config, update.seed_commitment.as_str()), (None, ""));
    assert_eq!(update.seats, seen.r#match.unwrap().seats);

    for bot in &bots {
        bot.resign().await;
    }
    let over = next_update(&mut watching, is(&first.match_id, MatchState::Ended)).await;
    let over = over.r#match.unwrap();
    assert!(over.result.is_some() && over.config.is_some());
    // The next update is about the other match, which is cancelled.
    server.cancel(&second.match_id, "enough").await.unwrap();
    let last = next_update(&mut watching, |_| true).await;
    assert!(is(&second.match_id, MatchState::Cancelled)(&last), "{last:?}");
}

#[tokio::test]
async fn the_overview_is_restricted_by_filter_limit_and_key() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create, Read]).await;
    let ada = server.caller("ada", &[Play]).await;
    let of_ada = maker.create(of_two()).await;
    let other = maker.create(of_two()).await;
    let newest = maker.create(config(GAMES[1], 2)).await;
    let _bot = ada.join(&of_ada.tickets[0]).await;

    let next_id = async |watching: &mut Streaming<WatchMatchesResponse>| {
        let update = next_update(watching, |_| true).await;
        update.r#match.unwrap().match_id
    };
    let seen = async |caller: &Caller, count: usize| {
        let all = caller.overview(WatchMatchesRequest::default()).await;
        let (mut watching, mut ids) = (all.unwrap(), Vec::new());
        for _ in 0..count {
            ids.push(next_id(&mut watching).await);
        }
        ids
    };
    let ids = [&newest, &other, &of_ada].map(|one| one.match_id.clone());
    assert_eq!(seen(&maker, 3).await, ids);
    assert_eq!(seen(&ada, 1).await, ids[2..]);
    let of_game = WatchMatchesRequest {
        filter: Some(MatchFilter { game_id: GAMES[0].to_owned(), ..in_state(MatchState::Waiting) }),
        max_matches: 1,
        interval_ms: MIN_INTERVAL_MS,
    };
    let mut watching = maker.overview(of_game).await.unwrap();
    assert_eq!(next_id(&mut watching).await, ids[1]);
    // A newer match displaces this one, so it gets no more updates.
    let newer = maker.create(of_two()).await;
    assert_eq!(next_id(&mut watching).await, newer.match_id);
}

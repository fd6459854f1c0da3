//! Streams of positions: live, after the match, and from a file; and who may see what of them.

use std::{pin::pin, sync::Arc};

use bridgemaster_proto::v1::{
    GetReplayRequest, MatchState, Position, Viewer, WatchPositionsRequest, WatchPositionsResponse,
    decision::Choice, watch_positions_request::Source,
};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

fn of_match(match_id: &str, viewers: &[Viewer], from_decision: u32) -> WatchPositionsRequest {
    WatchPositionsRequest {
        source: Some(Source::MatchId(match_id.to_owned())),
        viewers: viewers.to_vec(),
        from_decision,
    }
}

fn seat(number: u32) -> Viewer {
    Viewer { seat: Some(number) }
}

const SPECTATOR: Viewer = Viewer { seat: None };

async fn watch(
    server: &TestServer,
    request: WatchPositionsRequest,
) -> Result<Streaming<WatchPositionsResponse>, Status> {
    let watching = server.matches().watch_positions(request).await;
    watching.map(tonic::Response::into_inner)
}

async fn next(updates: &mut Streaming<WatchPositionsResponse>) -> Option<WatchPositionsResponse> {
    let message = timeout(PATIENCE, updates.message()).await;
    message.expect("the stream goes on or ends").unwrap()
}

async fn to_the_end(mut updates: Streaming<WatchPositionsResponse>) -> Vec<WatchPositionsResponse> {
    let mut all = Vec::new();
    while let Some(message) = next(&mut updates).await {
        all.push(message);
    }
    all
}

fn positions(all: &[WatchPositionsResponse]) -> Vec<Position> {
    all.iter().filter_map(|one| one.position.clone()).collect()
}

/// Returns the part of a position that spectators get both during and after the match.
fn public(mut position: Position) -> Position {
    if let Some(played) = &mut position.played {
        played.decision = None;
        played.notation.clear();
    }
    // Not recorded, so it is computed differently after the match.
    position.bank_left_ms.clear();
    position
}

#[tokio::test]
async fn a_match_shows_the_same_positions_live_and_afterwards() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let id = seated.match_id.as_str();
        let mut updates = watch(&server, of_match(id, &[], 0)).await.unwrap();
        let first = next(&mut updates).await.unwrap();
        let waiting = first.r#match.unwrap();
        assert_eq!(waiting.state(), MatchState::Waiting);
        assert!(waiting.config.is_some() && first.position.is_none());

        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        let live = to_the_end(updates).await;
        let mut result = None;
        for bot in bots {
            result = Some(bot.await.unwrap().unwrap());
        }
        let result = result.unwrap();
        let last = live.last().unwrap().r#match.as_ref().unwrap();
        assert_eq!(last.result.as_ref(), Some(&result), "{game}");
        let live = positions(&live);
        let numbers = live.iter().map(|position| position.number);
        assert!(numbers.eq(0..=result.decisions), "{game}");

        let viewers = [SPECTATOR, seat(0), seat(1)];
        let all = watch(&server, of_match(id, &viewers, 0)).await.unwrap();
        let all = to_the_end(all).await;
        let info = all[0].r#match.as_ref().unwrap();
        assert_eq!(info.result.as_ref(), Some(&result));
        let ended = positions(&all);
        assert_eq!(ended.len(), live.len());
        for (live, ended) in live.into_iter().zip(&ended) {
            let played = ended.played.as_ref();
            assert!(played.is_none_or(|played| {
                let decision = played.decision.as_ref().unwrap();
                played.legal_decisions.contains(decision) && !played.notation.is_empty()
            }));
            let mut ended = ended.clone();
            assert_eq!(ended.observations.len(), 3);
            ended.observations.truncate(1);
            if let Some(played) = &mut ended.played {
                played.legal_decisions.clear();
            }
            assert_eq!(public(live), public(ended), "{game}");
        }
        let banks = result.seats.iter();
        let banks = banks.map(|seat| seat.clock_use.unwrap().bank_left_ms);
        assert!(ended.last().unwrap().bank_left_ms.iter().copied().eq(banks));

        let rest = watch(&server, of_match(id, &viewers, 7)).await.unwrap();
        assert_eq!(positions(&to_the_end(rest).await), ended[7..]);
    }
}

#[tokio::test]
async fn a_running_match_can_be_watched_from_any_decision() {
    let server = TestServer::open().await;
    let seated = server.create(config("carcassonne", 2)).await;
    let id = seated.match_id.as_str();
    let mut bots = [
        RawBot::join(&server, &seated.tickets[0]).await,
        RawBot::join(&server, &seated.tickets[1]).await,
    ];
    // The first bot places its tile, and then gets a request for a meeple.
    let [one, other] = &mut bots;
    let asked = tokio::select! {
        asked = one.next_request() => (0, asked),
        asked = other.next_request() => (1, asked),
    };
    let mut early = watch(&server, of_match(id, &[], 0)).await.unwrap();
    let first = next(&mut early).await.unwrap();
    assert_eq!(first.r#match.unwrap().state(), MatchState::Running);
    assert_eq!(first.position.unwrap().number, 0);
    bots[asked.0].answer(&asked.1, Choice::Index(0)).await;
    let second = next(&mut early).await.unwrap();
    let position = second.position.unwrap();
    assert_eq!(position.number, 1);
    assert!(second.r#match.is_none(), "nothing of it has changed");
    assert_eq!(position.played.unwrap().seat, asked.0 as u32);

    // A later viewer starts at any decision.
    let mut late = watch(&server, of_match(id, &[], 1)).await.unwrap();
    let first = next(&mut late).await.unwrap();
    assert!(first.r#match.unwrap().config.is_some());
    assert_eq!(first.position.unwrap().number, 1);
}

#[tokio::test]
async fn the_view_of_a_seat_is_visible_only_after_the_match() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let id = seated.match_id.as_str();
    let running = watch(&server, of_match(id, &[SPECTATOR, seat(1)], 0)).await;
    assert_eq!(reason(&running.unwrap_err()), "MATCH_RUNNING");
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    watch(&server, of_match(id, &[seat(1)], 0)).await.unwrap();
    let refused = watch(&server, of_match(id, &[SPECTATOR, seat(2)], 0)).await;
    let refused = refused.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    assert!(
        refused
            .message()
            .starts_with("viewers[1].seat: 2 is out of range"),
        "{refused:?}"
    );
    let many = watch(&server, of_match(id, &[SPECTATOR; 9], 0)).await;
    assert_eq!(reason(&many.unwrap_err()), "INVALID_FIELD");
    let unknown = watch(&server, of_match("none", &[], 0)).await;
    assert_eq!(reason(&unknown.unwrap_err()), "MATCH_UNKNOWN");
}

#[tokio::test]
async fn during_a_match_a_bots_key_sees_its_seat_and_its_decisions() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create, Read]).await;
    let ada = locked.key("ada", &[Play, Read]).await;
    let bob = locked.key("bob", &[Play, Read]).await;
    let config = config("old_london_bridge", 2);
    let seated = locked.with(&maker).create(config).await.unwrap();
    let mut own = locked.with(&ada).join(&seated.tickets[0]).await;
    let mut other = locked.with(&bob).join(&seated.tickets[1]).await;
    let asked = own.next_request().await;
    other.next_request().await;
    own.answer(&asked, Choice::Index(0)).await;

    let watch = async |key, viewers: &[Viewer]| {
        let request = of_match(&seated.match_id, viewers, 1);
        locked.with(key).positions(request).await
    };
    let refused = watch(&bob, &[seat(0)]).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_RUNNING");
    let chosen = async |key, viewers: &[Viewer]| {
        let mut updates = watch(key, viewers).await.unwrap();
        loop {
            let message = next(&mut updates).await.unwrap();
            if let Some(position) = message.position {
                return (position.played.unwrap(), position.observations.len());
            }
        }
    };
    let (played, views) = chosen(&ada, &[SPECTATOR, seat(0)]).await;
    assert_eq!((played.seat, views), (0, 2));
    assert!(played.decision.is_some() && !played.legal_decisions.is_empty());
    // Having chosen is a public event, the choice is secret.
    for (key, viewer) in [(&bob, seat(1)), (&bob, SPECTATOR), (&maker, SPECTATOR)] {
        let (played, _) = chosen(key, &[viewer]).await;
        assert_eq!(played.seat, 0);
        assert_eq!(played.decision, None);
        assert_eq!(played.notation, "");
        assert_eq!(played.legal_decisions, []);
    }
}

#[tokio::test]
async fn the_stream_of_a_cancelled_match_ends_with_its_cancellation() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut updates = watch(&server, of_match(&seated.match_id, &[], 0))
        .await
        .unwrap();
    next(&mut updates).await.unwrap();
    let request = bridgemaster_proto::v1::CancelMatchRequest {
        match_id: seated.match_id.clone(),
        reason: "enough".to_owned(),
    };
    server.matches().cancel_match(request).await.unwrap();
    let rest = to_the_end(updates).await;
    let last = rest.last().unwrap().r#match.clone().unwrap();
    assert_eq!(last.state(), MatchState::Cancelled);
    assert_eq!(positions(&rest), []);
    let late = watch(&server, of_match(&seated.match_id, &[], 0))
        .await
        .unwrap();
    assert_eq!(to_the_end(late).await.len(), 1);
}

#[tokio::test]
async fn a_stored_match_shows_its_positions_and_continues_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let over = server.create(config("alhambra", 2)).await;
    let bots: Vec<_> = over.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    let before = watch(&server, of_match(&over.match_id, &[seat(0)], 0))
        .await
        .unwrap();
    let before = to_the_end(before).await;
    let running = server.create(config("carcassonne", 2)).await;
    let mut bots = [
        RawBot::join(&server, &running.tickets[0]).await,
        RawBot::join(&server, &running.tickets[1]).await,
    ];
    let [one, other] = &mut bots;
    let asked = tokio::select! {
        asked = one.next_request() => (0, asked),
        asked = other.next_request() => (1, asked),
    };
    bots[asked.0].answer(&asked.1, Choice::Index(0)).await;
    let open = |request| watch(&server, request);
    let mut updates = open(of_match(&running.match_id, &[], 1)).await.unwrap();
    let seen = next(&mut updates).await.unwrap().position.unwrap();
    server.crash().await;

    let again = TestServer::over(&store, Limits::default()).await;
    let after = watch(&again, of_match(&over.match_id, &[seat(0)], 0))
        .await
        .unwrap();
    assert_eq!(positions(&to_the_end(after).await), positions(&before));
    let mut updates = watch(&again, of_match(&running.match_id, &[], 1))
        .await
        .unwrap();
    assert_eq!(next(&mut updates).await.unwrap().position.unwrap(), seen);
}

#[tokio::test]
async fn a_replay_file_shows_its_positions_and_an_altered_one_is_refused() {
    let server = TestServer::open().await;
    let seated = server.create(config("bridges_to_nowhere", 2)).await;
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    let request = GetReplayRequest {
        match_id: seated.match_id.clone(),
        as_file: true,
    };
    let file = server.matches().get_replay(request).await.unwrap();
    let mut file = file.into_inner().file;
    let viewers = [SPECTATOR, seat(0), seat(1)];
    let of_file = |file: &[u8]| WatchPositionsRequest {
        source: Some(Source::ReplayFile(file.to_vec())),
        viewers: viewers.to_vec(),
        from_decision: 0,
    };
    let from_match = watch(&server, of_match(&seated.match_id, &viewers, 0))
        .await
        .unwrap();
    let from_match = to_the_end(from_match).await;
    let from_file = to_the_end(watch(&server, of_file(&file)).await.unwrap()).await;
    assert_eq!(positions(&from_file), positions(&from_match));
    let info = from_file[0].r#match.as_ref().unwrap();
    assert_eq!(info.match_id, seated.match_id);
    let middle = file.len() / 2;
    file[middle] ^= 1;
    let refused = watch(&server, of_file(&file)).await.unwrap_err();
    assert_eq!(reason(&refused), "REPLAY_INVALID");
    assert!(refused.message().contains("altered"), "{refused:?}");
}

#[tokio::test]
async fn a_stopping_server_ends_streams_with_its_reason() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut updates = watch(&server, of_match(&seated.match_id, &[], 0))
        .await
        .unwrap();
    next(&mut updates).await.unwrap();
    server.stop.cancel();
    let ended = pin!(updates.message());
    let ended = timeout(PATIENCE, ended).await.unwrap().unwrap_err();
    assert_eq!(reason(&ended), "SERVER_STOPPING");
}

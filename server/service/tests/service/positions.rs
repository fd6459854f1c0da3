//! Streams of positions: live, after the match, and from a file; and who may see what of them.

use bridgemaster_proto::v1::{
    MatchState, Position, Viewer, WatchPositionsRequest, WatchPositionsResponse,
    watch_positions_request::Source,
};
use bridgemaster_server::{
    Limits, ServerOptions,
    identity::KeyScope::{Create, Play, Read},
};
use tonic::Streaming;

use crate::{
    caller::{Caller, positions_of},
    raw_bot::RawBot,
    streams::{assert_invalid, find, next, outcome, reason, rest},
    test_server::{GAMES, TestServer, config, of_two},
};

fn from_decision(match_id: &str, viewers: &[Viewer], from_decision: u32) -> WatchPositionsRequest {
    WatchPositionsRequest { from_decision, ..positions_of(match_id, viewers) }
}

fn seat(number: u32) -> Viewer {
    Viewer { seat: Some(number) }
}

const SPECTATOR: Viewer = Viewer { seat: None };

/// Returns all positions that a caller gets.
async fn all_positions(caller: &Caller, request: WatchPositionsRequest) -> Vec<Position> {
    positions(&rest(caller.positions(request).await.unwrap()).await)
}

async fn next_update(updates: &mut Streaming<WatchPositionsResponse>) -> WatchPositionsResponse {
    next(updates).await.unwrap().unwrap()
}

fn positions(all: &[WatchPositionsResponse]) -> Vec<Position> {
    all.iter().filter_map(|one| one.position.clone()).collect()
}

/// Returns the part of a position that spectators see both during and after the match.
fn public(mut position: Position) -> Position {
    if let Some(played) = &mut position.played {
        played.decision = None;
        played.notation.clear();
    }
    // The banks are not recorded, so they are computed differently after the match.
    position.bank_left_ms.clear();
    position
}

/// Lets the first bot of a match decide once. Returns its seat.
async fn decide_once(bots: &mut [RawBot; 2]) -> u32 {
    let [one, other] = bots;
    let (seat, asked) = tokio::select! {
        asked = one.next_request() => (0, asked),
        asked = other.next_request() => (1, asked),
    };
    bots[seat].answer_first(&asked).await;
    seat as u32
}

#[tokio::test]
async fn a_match_shows_the_same_positions_live_and_afterwards() {
    // A request may contain a whole replay file.
    let server =
        TestServer::with_limits(Limits { request_bytes: 4 * 1024 * 1024, ..Limits::default() })
            .await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let id = seated.match_id.as_str();
        let mut updates = server.positions(positions_of(id, &[])).await.unwrap();
        let first = next_update(&mut updates).await;
        let waiting = first.r#match.unwrap();
        assert_eq!(waiting.state(), MatchState::Waiting);
        assert!(waiting.config.is_some() && first.position.is_none());

        let (result, live) = tokio::join!(server.play(&seated), rest(updates));
        let last = live.last().unwrap().r#match.as_ref().unwrap();
        assert_eq!(last.result.as_ref(), Some(&result), "{game}");
        let live = positions(&live);
        let numbers = live.iter().map(|position| position.number);
        assert!(numbers.eq(0..=result.decisions), "{game}");

        let viewers = [SPECTATOR, seat(0), seat(1)];
        let all = server.positions(positions_of(id, &viewers)).await.unwrap();
        let all = rest(all).await;
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

        let rest_of = all_positions(&server, from_decision(id, &viewers, 7)).await;
        assert_eq!(rest_of, ended[7..]);

        let file = server.replay_file(id).await.unwrap();
        let of_file = |file: &[u8]| WatchPositionsRequest {
            source: Some(Source::ReplayFile(file.to_vec())),
            viewers: viewers.to_vec(),
            from_decision: 0,
        };
        assert_eq!(all_positions(&server, of_file(&file)).await, ended);
        let mut altered = file;
        let middle = altered.len() / 2;
        altered[middle] ^= 1;
        let refused = server.positions(of_file(&altered)).await.unwrap_err();
        assert_eq!(reason(&refused), "REPLAY_INVALID");
        assert!(refused.message().contains("altered"), "{refused:?}");
    }
}

#[tokio::test]
async fn a_match_can_be_watched_from_any_decision_also_after_a_restart() {
    let mut server = TestServer::stored().await;
    let seated = server.create(config("carcassonne", 2)).await;
    let id = seated.match_id.as_str();
    let mut bots = server.join_all(&seated).await;
    bots[0].started().await;
    let mut early = server.positions(positions_of(id, &[])).await.unwrap();
    let first = next_update(&mut early).await;
    assert_eq!(first.r#match.unwrap().state(), MatchState::Running);
    assert_eq!(first.position.unwrap().number, 0);
    // The first bot places its tile, and then gets a request for a meeple.
    let decided = decide_once(&mut bots).await;
    let second = next_update(&mut early).await;
    assert!(second.r#match.is_none(), "the info of the match has not changed");
    let position = second.position.unwrap();
    assert_eq!(position.number, 1);
    assert_eq!(position.played.as_ref().unwrap().seat, decided);

    // A later viewer may start at any decision.
    let mut seen = Vec::new();
    for is_restarted in [false, true] {
        if is_restarted {
            server.restart().await;
        }
        let late = server.positions(from_decision(id, &[], 1)).await;
        let first = next_update(&mut late.unwrap()).await;
        assert!(first.r#match.unwrap().config.is_some());
        let position = first.position.unwrap();
        assert_eq!(position.number, 1);
        seen.push(position);
    }
    assert_eq!(seen[0], seen[1]);
    let over = server.played(config("alhambra", 2)).await.match_id;
    let of_seat = || positions_of(&over, &[seat(0)]);
    let before = all_positions(&server, of_seat()).await;
    server.restart().await;
    assert_eq!(all_positions(&server, of_seat()).await, before);
}

#[tokio::test]
async fn the_view_of_a_seat_is_visible_only_after_the_match() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let watch = async |viewers: &[Viewer]| {
        let request = positions_of(&seated.match_id, viewers);
        server.positions(request).await
    };
    let running = watch(&[SPECTATOR, seat(1)]).await;
    assert_eq!(outcome(running), "MATCH_RUNNING");
    server.play(&seated).await;
    watch(&[seat(1)]).await.unwrap();
    let refused = watch(&[SPECTATOR, seat(2)]).await;
    assert_invalid(refused, "viewers[1].seat: 2 is out of range");
    let many = watch(&[SPECTATOR; 9]).await;
    assert_eq!(outcome(many), "INVALID_FIELD");
    let unknown = server.positions(positions_of("none", &[])).await;
    assert_eq!(outcome(unknown), "MATCH_UNKNOWN");
}

#[tokio::test]
async fn during_a_match_a_bots_key_sees_its_seat_and_its_decisions() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create, Read]).await;
    let ada = server.caller("ada", &[Play, Read]).await;
    let bob = server.caller("bob", &[Play, Read]).await;
    let seated = maker.create(config("old_london_bridge", 2)).await;
    let id = &*seated.match_id;
    let mut own = ada.join(&seated.tickets[0]).await;
    let mut other = bob.join(&seated.tickets[1]).await;
    let asked = own.next_request().await;
    other.next_request().await;
    own.answer_first(&asked).await;

    let refused = bob.positions(positions_of(id, &[seat(0)])).await;
    assert_eq!(outcome(refused), "MATCH_RUNNING");
    let chosen = async |caller: &Caller, viewers: &[Viewer]| {
        let updates = caller.positions(from_decision(id, viewers, 1)).await;
        find(&mut updates.unwrap(), |message| {
            let position = message.position?;
            Some((position.played.unwrap(), position.observations.len()))
        })
        .await
    };
    let (played, views) = chosen(&ada, &[SPECTATOR, seat(0)]).await;
    assert_eq!((played.seat, views), (0, 2));
    assert!(played.decision.is_some() && !played.legal_decisions.is_empty());
    // It is public that the seat has chosen, but its choice is secret.
    for (caller, viewer) in [(&bob, seat(1)), (&bob, SPECTATOR), (&maker, SPECTATOR)] {
        let (played, _) = chosen(caller, &[viewer]).await;
        assert_eq!(played.seat, 0);
        assert_eq!(played.decision, None);
        assert_eq!(played.notation, "");
        assert_eq!(played.legal_decisions, []);
    }
}

#[tokio::test]
async fn the_stream_of_a_cancelled_match_ends_with_its_cancellation() {
    let server = TestServer::open().await;
    let id = server.create(of_two()).await.match_id;
    let mut updates = server.positions(positions_of(&id, &[])).await.unwrap();
    next_update(&mut updates).await;
    server.cancel(&id, "enough").await.unwrap();
    let last = rest(updates).await;
    assert_eq!(positions(&last), []);
    let last = last.last().unwrap().r#match.clone().unwrap();
    assert_eq!(last.state(), MatchState::Cancelled);
    let late = server.positions(positions_of(&id, &[])).await.unwrap();
    assert_eq!(rest(late).await.len(), 1);
}

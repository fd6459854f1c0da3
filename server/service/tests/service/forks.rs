//! Matches that continue from a position of a replay.

use std::sync::Arc;

use bridgemaster_games::{Seat, Viewer};
use bridgemaster_proto::v1::{
    CreateMatchRequest, DecidedBy, Decision, DecisionRecord, ForkChance, GetReplayRequest,
    MatchFork, Position, Replay, decision::Choice, match_fork::Source, play_request, record,
};
use bridgemaster_replay::{Disclosure, Positions, verify};
use bridgemaster_server::Limits;
use bridgemaster_store::{MemoryStore, Store};
use tonic::{Code, Status};

use crate::{
    raw_bot::{RawBot, reason},
    test_server::{GAMES, Seated, TestServer, config},
};

/// Returns limits that allow a whole replay file in a request.
fn large_limits() -> Limits {
    Limits {
        request_bytes: 4 * 1024 * 1024,
        ..Limits::default()
    }
}

/// Plays a match with well-behaved bots to its end.
async fn played(server: &TestServer, game: &str) -> Replay {
    let seated = server.create(config(game, 2)).await;
    let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    server.replay(&seated.match_id).await.unwrap()
}

async fn file(server: &TestServer, match_id: &str) -> Vec<u8> {
    let request = GetReplayRequest {
        match_id: match_id.to_owned(),
        as_file: true,
    };
    let answer = server.matches().get_replay(request).await.unwrap();
    answer.into_inner().file
}

fn by_id(replay: &Replay, decisions: u32) -> MatchFork {
    MatchFork {
        source: Some(Source::MatchId(replay.match_id.clone())),
        decisions,
        ..MatchFork::default()
    }
}

/// Creates the request of a fork with the rules of this replay.
fn fork_request(replay: &Replay, fork: MatchFork) -> CreateMatchRequest {
    let mut config = replay.config.clone().unwrap();
    config.seed = None;
    CreateMatchRequest {
        config: Some(config),
        fork: Some(fork),
        ..CreateMatchRequest::default()
    }
}

async fn create_fork(server: &TestServer, request: CreateMatchRequest) -> Seated {
    let made = server.matches().create_match(request).await.unwrap();
    let made = made.into_inner();
    Seated {
        match_id: made.r#match.unwrap().match_id,
        tickets: made.tickets.into_iter().map(|one| one.ticket).collect(),
    }
}

fn decisions(replay: &Replay) -> Vec<&DecisionRecord> {
    let records = replay.records.iter();
    let decisions = records.filter_map(|record| match &record.record {
        Some(record::Record::Decision(decision)) => Some(decision),
        _ => None,
    });
    decisions.collect()
}

/// Returns the positions of a replay as a seat sees them.
fn seen(replay: &Replay, seat: u8) -> Vec<Position> {
    let viewer = Viewer::Seat(Seat::new(seat).unwrap());
    let opened = Positions::open(replay, &[viewer], 0, Disclosure::Everything);
    let mut positions = opened.unwrap();
    let mut seen: Vec<Position> = positions.first().into_iter().collect();
    for record in &replay.records {
        seen.extend(positions.after(record).unwrap());
    }
    seen
}

#[tokio::test]
async fn a_forked_match_contains_the_history_and_its_replay_is_self_contained() {
    for game in [GAMES[0], GAMES[1]] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut server = TestServer::over(&store, large_limits()).await;
        let before = played(&server, game).await;
        let bytes = file(&server, &before.match_id).await;
        let half = before.result.as_ref().unwrap().decisions / 2;
        let fork = MatchFork {
            source: Some(Source::ReplayFile(bytes)),
            ..by_id(&before, half)
        };
        let seated = create_fork(&server, fork_request(&before, fork)).await;
        let mut first = RawBot::join(&server, &seated.tickets[0]).await;
        let mut second = RawBot::join(&server, &seated.tickets[1]).await;
        first.started().await;
        second.started().await;
        let info = server.info(&seated.match_id).await;
        // The referee plays forced decisions itself.
        assert!(
            info.decisions >= half,
            "{game}: what was taken over is public"
        );
        let origin = info.fork.unwrap();
        assert_eq!(
            (&origin.match_id, origin.decisions),
            (&before.match_id, half)
        );
        server.crash().await;

        // The history is stored too.
        let server = TestServer::over(&store, large_limits()).await;
        let (one, other) = tokio::join!(
            RawBot::resume(&server, &seated.tickets[0], first.resume_point()),
            RawBot::resume(&server, &seated.tickets[1], second.resume_point()),
        );
        assert_eq!(one.result, other.result);
        let after = server.replay(&seated.match_id).await.unwrap();
        let verified = verify(&after).unwrap();
        assert_eq!(verified.copied_decisions, Some(half), "{game}");
        assert_eq!(after.setup, before.setup);
        let (old, new) = (decisions(&before), decisions(&after));
        let taken_over = new.iter().zip(&old).take(half as usize);
        for (new, old) in taken_over {
            assert_eq!((new.seat, &new.decision), (old.seat, &old.decision));
            assert_eq!(
                (new.decided_by(), new.digest),
                (DecidedBy::Replay, old.digest)
            );
            assert_eq!((new.charge, new.request_id), (None, 0));
        }
        let own = &new[half as usize..];
        assert!(own.iter().all(|own| own.decided_by() != DecidedBy::Replay));
        assert_eq!(after.config.unwrap().seed, before.config.unwrap().seed);
    }
}

#[tokio::test]
async fn a_fork_does_not_copy_the_notes_of_decisions() {
    let server = TestServer::with_limits(large_limits()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut noting = RawBot::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    let asked = other.answer_until(noting.next_request()).await;
    let noted = play_request::Message::Decision(Decision {
        request_id: asked.request_id,
        choice: Some(Choice::Index(0)),
        note: "it leaves room for two".to_owned(),
    });
    noting.send(noted).await;
    tokio::join!(noting.play_on(), other.play_on());
    let before = server.replay(&seated.match_id).await.unwrap();
    let has_note = |decision: &&DecisionRecord| !decision.note.is_empty();
    let noted = decisions(&before).iter().position(has_note).unwrap();

    let fork = by_id(&before, u32::try_from(noted).unwrap() + 1);
    let seated = create_fork(&server, fork_request(&before, fork)).await;
    let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    let mut after = server.replay(&seated.match_id).await.unwrap();
    verify(&after).unwrap();
    let taken_over = decisions(&after)[noted];
    assert_eq!(taken_over.decided_by(), DecidedBy::Replay);
    assert_eq!(taken_over.note, "");

    let records = after.records.iter_mut();
    let mut decisions = records.filter_map(|record| match &mut record.record {
        Some(record::Record::Decision(decision)) => Some(decision),
        _ => None,
    });
    "a forged note".clone_into(&mut decisions.nth(noted).unwrap().note);
    let forged = verify(&after).unwrap_err().to_string();
    assert!(forged.contains("decision.note"), "{forged}");
}

#[tokio::test]
async fn redrawn_chance_keeps_only_what_the_chosen_seat_knows() {
    let server = TestServer::with_limits(large_limits()).await;
    for game in GAMES {
        let before = played(&server, game).await;
        let half = before.result.as_ref().unwrap().decisions / 2;
        let mut fork = by_id(&before, half);
        fork.set_chance(ForkChance::Redraw);
        fork.knowing_seats = vec![1];
        let mut digests = Vec::new();
        for seed in ["one", "two"] {
            let mut request = fork_request(&before, fork.clone());
            request.config.as_mut().unwrap().seed = Some(seed.to_owned());
            let seated = create_fork(&server, request).await;
            let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
            for bot in bots {
                bot.await.unwrap().unwrap();
            }
            let after = server.replay(&seated.match_id).await.unwrap();
            verify(&after).unwrap();
            let known = |replay: &Replay| seen(replay, 1)[half as usize].observations.clone();
            assert_eq!(known(&after), known(&before), "{game}: seat 1 knows it");
            digests.push(decisions(&after)[half as usize].digest);
            let again = verify(&Replay {
                fork: None,
                ..after.clone()
            });
            assert!(again.is_err(), "{game}: a replay that hides its origin");
        }
        assert_ne!(
            digests[0], digests[1],
            "{game}: the rest follows from the seed"
        );
    }
}

#[tokio::test]
async fn an_invalid_fork_is_refused_with_its_field() {
    let server = TestServer::with_limits(large_limits()).await;
    let before = played(&server, GAMES[0]).await;
    let all = before.result.as_ref().unwrap().decisions;
    let refused = |request: CreateMatchRequest| async {
        let refused = server.matches().create_match(request).await;
        refused.err().unwrap()
    };
    let field = |status: &Status, start: &str| {
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        assert!(status.message().starts_with(start), "{status:?}");
    };
    let none = refused(fork_request(&before, MatchFork::default())).await;
    field(&none, "fork.source: must be a match or a replay file");
    let late = refused(fork_request(&before, by_id(&before, all))).await;
    field(
        &late,
        &format!("fork.decisions: is {all}, but the replay has {all}"),
    );
    let mut known = by_id(&before, 1);
    known.knowing_seats = vec![0];
    field(
        &refused(fork_request(&before, known)).await,
        "fork.knowing_seats: only allowed with REDRAW",
    );
    let mut nobody = by_id(&before, 1);
    nobody.set_chance(ForkChance::Redraw);
    field(
        &refused(fork_request(&before, nobody.clone())).await,
        "fork.knowing_seats: must name exactly one seat",
    );
    nobody.knowing_seats = vec![7];
    field(
        &refused(fork_request(&before, nobody)).await,
        "fork: seat 7 does not exist",
    );
    let mut seeded = fork_request(&before, by_id(&before, 1));
    seeded.config.as_mut().unwrap().seed = Some("another".to_owned());
    field(
        &refused(seeded).await,
        "config.seed: must be empty or the seed of the replay",
    );
    let mut other_game = fork_request(&before, by_id(&before, 1));
    other_game.config = Some(config(GAMES[1], 2));
    field(
        &refused(other_game).await,
        "config.game: must be the game of the replay",
    );
    let mut other_seats = fork_request(&before, by_id(&before, 1));
    other_seats.config.as_mut().unwrap().seats = 3;
    field(
        &refused(other_seats).await,
        "config.seats: is 3, but the replay has 2",
    );
    let damaged = MatchFork {
        source: Some(Source::ReplayFile(b"no replay".to_vec())),
        ..by_id(&before, 1)
    };
    let damaged = refused(fork_request(&before, damaged)).await;
    assert_eq!(reason(&damaged), "REPLAY_INVALID");
    let unknown = MatchFork {
        source: Some(Source::MatchId("nobody".to_owned())),
        ..by_id(&before, 1)
    };
    assert_eq!(
        reason(&refused(fork_request(&before, unknown)).await),
        "MATCH_UNKNOWN"
    );
}

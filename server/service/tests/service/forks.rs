//! Matches that continue from a position of a replay.

use bridgemaster_games::{Seat, Viewer};
use bridgemaster_proto::v1::{
    CreateMatchRequest, DecidedBy, Decision, DecisionRecord, ForkChance, MatchFork, Position,
    Replay, decision::Choice, match_fork::Source, play_request, record,
};
use bridgemaster_replay::{Disclosure, Positions, verify};
use bridgemaster_server::Limits;
use tonic::Code;

use crate::{
    raw_bot::resume_all,
    streams::outcome,
    test_server::{GAMES, Seated, TestServer, config, memory, of_two},
};

/// Returns limits that allow a whole replay file in a request.
fn large_limits() -> Limits {
    Limits { request_bytes: 4 * 1024 * 1024, ..Limits::default() }
}

/// Plays a match with well-behaved bots to its end.
async fn played(server: &TestServer, game: &str) -> Replay {
    let seated = server.played(config(game, 2)).await;
    server.replay(&seated.match_id).await.unwrap()
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
    CreateMatchRequest { config: Some(config), fork: Some(fork), ..CreateMatchRequest::default() }
}

/// Creates a forked match, plays it to its end, and returns its replay after verifying it.
async fn play_fork(server: &TestServer, request: CreateMatchRequest) -> Replay {
    let seated = Seated::from(server.create_by(request).await.unwrap());
    server.play(&seated).await;
    let after = server.replay(&seated.match_id).await.unwrap();
    verify(&after).unwrap();
    after
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
        let mut server = TestServer::over(&memory(), large_limits()).await;
        let before = played(&server, game).await;
        let bytes = server.replay_file(&before.match_id).await.unwrap();
        let half = before.result.as_ref().unwrap().decisions / 2;
        let fork = MatchFork { source: Some(Source::ReplayFile(bytes)), ..by_id(&before, half) };
        let made = server.create_by(fork_request(&before, fork)).await;
        let seated = Seated::from(made.unwrap());
        let mut bots = server.join_all(&seated).await;
        for bot in &mut bots {
            bot.started().await;
        }
        let info = server.info(&seated.match_id).await;
        // The referee plays forced decisions itself.
        assert!(info.decisions >= half, "{game}: the history is public");
        let origin = info.fork.unwrap();
        assert_eq!((&origin.match_id, origin.decisions), (&before.match_id, half));

        // The history is stored too.
        server.restart().await;
        let known = bots.map(|bot| bot.resume_point());
        resume_all(&server, &seated.tickets, known).await;
        let after = server.replay(&seated.match_id).await.unwrap();
        let verified = verify(&after).unwrap();
        assert_eq!(verified.copied_decisions, Some(half), "{game}");
        assert_eq!(after.setup, before.setup);
        let (old, new) = (decisions(&before), decisions(&after));
        let (taken_over, own) = new.split_at(half as usize);
        for (new, old) in taken_over.iter().zip(old) {
            assert_eq!((new.seat, &new.decision), (old.seat, &old.decision));
            assert_eq!((new.decided_by(), new.digest), (DecidedBy::Replay, old.digest));
            assert_eq!((new.charge, new.request_id), (None, 0));
        }
        assert!(own.iter().all(|own| own.decided_by() != DecidedBy::Replay));
        assert_eq!(after.config.unwrap().seed, before.config.unwrap().seed);
    }
}

#[tokio::test]
async fn a_fork_does_not_copy_the_notes_of_decisions() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let [mut noting, mut other] = server.join_all(&seated).await;
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
    let mut after = play_fork(&server, fork_request(&before, fork)).await;
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
    let server = TestServer::open().await;
    for game in GAMES {
        let before = played(&server, game).await;
        let half = before.result.as_ref().unwrap().decisions / 2;
        let mut fork = by_id(&before, half);
        fork.set_chance(ForkChance::Redraw);
        fork.knowing_seats = vec![1];
        let known = |replay: &Replay| seen(replay, 1)[half as usize].observations.clone();
        let mut digests = Vec::new();
        for seed in ["one", "two"] {
            let mut request = fork_request(&before, fork.clone());
            request.config.as_mut().unwrap().seed = Some(seed.to_owned());
            let after = play_fork(&server, request).await;
            assert_eq!(known(&after), known(&before), "{game}: seat 1 knows it");
            digests.push(decisions(&after)[half as usize].digest);
            let again = verify(&Replay { fork: None, ..after });
            assert!(again.is_err(), "{game}: a replay that hides its origin");
        }
        let [one, two] = digests[..] else { panic!() };
        assert_ne!(one, two, "{game}: the rest follows from the seed");
    }
}

#[tokio::test]
async fn an_invalid_fork_is_refused_with_its_field() {
    let server = TestServer::with_limits(large_limits()).await;
    let before = played(&server, GAMES[0]).await;
    let all = before.result.as_ref().unwrap().decisions;
    let forked = |decisions, change: fn(&mut MatchFork)| {
        let mut fork = by_id(&before, decisions);
        change(&mut fork);
        fork_request(&before, fork)
    };
    let with = |change: fn(&mut CreateMatchRequest)| {
        let mut request = forked(1, |_| ());
        change(&mut request);
        request
    };
    let late = format!("fork.decisions: is {all}, but the replay has {all}");
    for (bad, message) in [
        (forked(1, |fork| fork.source = None), "fork.source: must be a match or a replay file"),
        (forked(all, |_| ()), &*late),
        (
            forked(1, |fork| fork.knowing_seats = vec![0]),
            "fork.knowing_seats: only allowed with REDRAW",
        ),
        (
            forked(1, |fork| fork.set_chance(ForkChance::Redraw)),
            "fork.knowing_seats: must name exactly one seat",
        ),
        (
            forked(1, |fork| {
                fork.set_chance(ForkChance::Redraw);
                fork.knowing_seats = vec![7];
            }),
            "fork: seat 7 does not exist",
        ),
        (
            with(|request| request.config.as_mut().unwrap().seed = Some("another".to_owned())),
            "config.seed: must be empty or the seed of the replay",
        ),
        (
            with(|request| request.config = Some(config(GAMES[1], 2))),
            "config.game: must be the game of the replay",
        ),
        (
            with(|request| request.config.as_mut().unwrap().seats = 3),
            "config.seats: is 3, but the replay has 2",
        ),
    ] {
        let refused = server.create_by(bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
        assert!(refused.message().starts_with(message), "{refused:?}");
    }
    for (source, why) in [
        (Source::ReplayFile(b"no replay".to_vec()), "REPLAY_INVALID"),
        (Source::MatchId("nobody".to_owned()), "MATCH_UNKNOWN"),
    ] {
        let fork = MatchFork { source: Some(source), ..by_id(&before, 1) };
        let refused = server.create_by(fork_request(&before, fork)).await;
        assert_eq!(outcome(refused), why);
    }
}

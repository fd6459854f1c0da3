//! Matches of well-behaved bots from start to end, as seen by bots, by spectators and in replays.

use bridgemaster_games::with_game;
use bridgemaster_proto::v1::{
    DecidedBy, FaultReason, MatchConfig, MatchInfo, MatchState, Replay, WatchPositionsRequest,
    decision::Choice, play_response::Message, record::Record,
};
use bridgemaster_sdk::seed_commitment;

use crate::{
    caller::positions_of,
    metrics::scrape,
    streams::{next, outcome, rest},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two},
};

/// A seed that is too long to occur in a message by chance.
const SEED: &str = "a-seed-that-nobody-may-see";

fn seat_counts(game: &str) -> std::ops::RangeInclusive<u32> {
    with_game!(game, G => u32::from(*G::SEATS.start())..=u32::from(*G::SEATS.end())).unwrap()
}

/// Asserts that a replay has every decision, each with its origin.
fn assert_complete(replay: &Replay) {
    let result = replay.result.as_ref().unwrap();
    let records = replay.records.iter();
    let decisions: Vec<_> = records
        .filter_map(|record| match record.record.as_ref().unwrap() {
            Record::Decision(decision) => Some(decision),
            _ => None,
        })
        .collect();
    assert_eq!(decisions.len(), result.decisions as usize);
    for seat in &result.seats {
        let by = |who| {
            let own = decisions.iter().filter(|d| d.seat == seat.seat);
            own.filter(|d| d.decided_by() == who).count() as u32
        };
        assert_eq!(by(DecidedBy::Bot), seat.clock_use.unwrap().answered);
        assert_eq!(by(DecidedBy::Referee), seat.forced_decisions);
    }
    let numbers = replay.records.iter().map(|record| record.number);
    assert!(numbers.eq(0..replay.records.len() as u32));
}

#[tokio::test]
async fn a_match_of_every_game_and_seat_count_is_played_to_its_end() {
    let server = TestServer::open().await;
    for game in GAMES {
        for seats in seat_counts(game) {
            let seated = server.create(config(game, seats)).await;
            let id = &*seated.match_id;
            let updates = server.watch(id).await.unwrap();
            assert_eq!(outcome(server.replay(id).await), "MATCH_RUNNING");
            let (result, updates) = tokio::join!(server.play(&seated), rest(updates));
            assert_faultless(&result);
            assert_eq!(result.seats.len(), seats as usize);
            for seat in &result.seats {
                assert_eq!(seat.place, seat.place_by_score);
                let sum: i32 = seat.breakdown.iter().map(|line| line.points).sum();
                assert_eq!(sum, seat.score);
                assert!(seat.clock_use.unwrap().answered > 0);
            }
            let info = server.info(id).await;
            assert_eq!(info.state(), MatchState::Ended);
            assert_eq!(info.result.as_ref(), Some(&result));
            assert_eq!(info.config.unwrap().seed.as_deref(), Some("test-seed"));
            assert_complete(&server.replay(id).await.unwrap());

            // A spectator sees the match from its creation to its result.
            let first = &updates[0];
            assert_eq!(first.r#match.as_ref().unwrap().state(), MatchState::Waiting);
            assert!(first.observation.is_none() && first.events.is_empty());
            for update in &updates {
                let info = update.r#match.as_ref().unwrap();
                let seed = &info.config.as_ref().and_then(|config| config.seed.as_ref());
                assert_eq!(seed.is_some(), info.result.is_some());
            }
            let last = updates.last().unwrap();
            assert_eq!(last.r#match.as_ref().unwrap().result, Some(result));
            assert!(last.observation.is_some());
            assert!(updates.iter().any(|update| !update.events.is_empty()));
        }
        let asking = MatchConfig { ask_forced: true, ..config(game, 2) };
        let result = server.play(&server.create(asking).await).await;
        assert!(result.seats.iter().all(|seat| seat.forced_decisions == 0));
    }
}

#[tokio::test]
async fn the_messages_of_a_seat_are_numbered_without_gaps_and_its_stream_ends_cleanly() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut bot = server.join(&seated.tickets[1]).await;
    for expected in 1.. {
        let message = bot.next().await.unwrap().unwrap();
        assert_eq!(bot.last_sequence, expected, "sequence has no gap");
        match message {
            Message::DecisionRequest(request) => bot.answer_first(&request).await,
            Message::MatchEnded(_) => break,
            _ => {}
        }
    }
    assert!(bot.end().await.is_none(), "the stream ends without an error");
    good.await.unwrap().unwrap();
}

/// Asserts that a message contains no secret of a running match.
fn assert_secret(message: &impl prost::Message, secrets: &[&str]) {
    let bytes = message.encode_to_vec();
    for secret in secrets {
        let mut parts = bytes.windows(secret.len());
        let is_revealed = parts.any(|part| part == secret.as_bytes());
        assert!(!is_revealed, "{secret} is revealed");
    }
}

#[tokio::test]
async fn seed_and_tickets_are_secret_during_the_match_and_the_seed_then_matches_its_commitment() {
    let server = TestServer::open().await;
    let mut commitments = Vec::new();
    for game in GAMES {
        let seed = format!("{SEED}.{game}");
        let seeded = MatchConfig { seed: Some(seed.clone()), ..config(game, 2) };
        let seated = server.create(seeded).await;
        let id = &*seated.match_id;
        let tickets: Vec<&str> = seated.tickets.iter().map(String::as_str).collect();
        let secrets = [&tickets[..], &[&*seed]].concat();
        let assert_info_secret = |info: &MatchInfo, commitment: &str| {
            assert_secret(info, &secrets);
            assert_eq!(info.seed_salt, "");
            assert_eq!(info.seed_commitment, commitment);
        };
        let commitment = server.info(id).await.seed_commitment;
        assert_eq!(commitment.len(), 64);
        assert_info_secret(&server.info(id).await, &commitment);

        let mut updates = server.watch(id).await.unwrap();
        let [mut bot, mut other] = server.join_all(&seated).await;
        for bot in [&mut bot, &mut other] {
            let started = bot.started().await;
            assert_eq!(started.seed_commitment, commitment);
            assert_secret(&started, &secrets);
        }
        let asked = other.answer_until(bot.next_request()).await;
        assert_secret(&asked, &secrets);
        assert_info_secret(&server.info(id).await, &commitment);
        assert_secret(&server.page(Default::default()).await.unwrap(), &secrets);
        // Of the updates during a match, only the first one has the commitment.
        for expected in [&*commitment, "", ""] {
            let update = next(&mut updates).await.unwrap().unwrap();
            assert_secret(&update, &secrets);
            assert_info_secret(&update.r#match.unwrap(), expected);
        }

        bot.answer_first(&asked).await;
        let (ended, _) = tokio::join!(bot.play_on(), other.play_on());
        assert_eq!(ended.seed, seed);
        let computed = seed_commitment(&ended.seed, &ended.seed_salt);
        assert_eq!(computed.as_ref(), Some(&commitment));
        let info = server.info(id).await;
        assert_eq!(info.config.unwrap().seed, Some(seed));
        let replay = server.replay(id).await.unwrap();
        for revealed in [
            (info.seed_commitment, info.seed_salt),
            (replay.seed_commitment.clone(), replay.seed_salt.clone()),
        ] {
            assert_eq!(revealed, (commitment.clone(), ended.seed_salt.clone()));
        }
        assert_secret(&replay, &tickets);
        let verified = bridgemaster_replay::verify(&replay).unwrap();
        assert!(verified.commitment_checked);
    }
    // Matches with the same seed have different commitments.
    for _ in 0..3 {
        let id = server.create(of_two()).await.match_id;
        commitments.push(server.info(&id).await.seed_commitment);
    }
    commitments.sort();
    commitments.dedup();
    assert_eq!(commitments.len(), 3);
}

#[tokio::test]
async fn hundreds_of_spectators_of_one_match_get_the_same_messages() {
    const EACH: usize = 250;
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let id = &seated.match_id;
    let (mut watching, mut looking) = (Vec::new(), Vec::new());
    for number in 0..EACH {
        let watched = server.watch(id).await.unwrap();
        watching.push(tokio::spawn(rest(watched)));
        let from_decision = if number % 2 == 0 { 0 } else { 10 };
        let wanted = WatchPositionsRequest { from_decision, ..positions_of(id, &[]) };
        let looked = server.positions(wanted).await.unwrap();
        looking.push((from_decision, tokio::spawn(rest(looked))));
    }
    let decisions = server.play(&seated).await.decisions;
    let mut received = Vec::new();
    for one in watching {
        let mut updates = one.await.unwrap();
        // Bots may have joined before a spectator started.
        updates.retain(|one| !one.events.is_empty());
        received.push(updates);
    }
    assert!(received.iter().all(|update| *update == received[0]) && !received[0].is_empty());
    for (from, one) in looking {
        let messages = one.await.unwrap();
        let numbers = messages.iter().filter_map(|one| one.position.as_ref());
        let numbers = numbers.map(|position| position.number);
        assert!(numbers.eq(from..=decisions));
        let last = messages.last().unwrap().r#match.as_ref().unwrap();
        assert_eq!(last.state(), MatchState::Ended);
    }
}

#[tokio::test]
async fn a_fault_is_secret_while_it_is_secret_who_has_decided() {
    let server = TestServer::open().await;
    let seated = server.create(config("old_london_bridge", 2)).await;
    let [mut faulty, mut other] = server.join_all(&seated).await;
    // Both choose at the same time.
    let (asked, others) = (faulty.next_request().await, other.next_request().await);
    let mut updates = server.watch(&seated.match_id).await.unwrap();
    next(&mut updates).await.unwrap().unwrap();

    faulty.answer(&asked, Choice::Index(u32::MAX)).await;
    let own = faulty.next_seat_status().await.seat.unwrap();
    assert_eq!((own.seat, own.strikes), (0, 1));
    assert_eq!(server.info(&seated.match_id).await.seats[0].strikes, 0);
    let counted = "bridgemaster_faults_total{reason=\"ILLEGAL\",action=\"STRIKE\"}";
    assert_eq!(scrape(&server).await.get(counted), None);

    // Making a choice is an event.
    other.answer_first(&others).await;
    let update = next(&mut updates).await.unwrap().unwrap();
    assert_eq!(update.events.len(), 1, "nothing may be sent before");
    assert_eq!(update.r#match.unwrap().seats[0].strikes, 1);
    let status = other.next_seat_status().await;
    assert_eq!(status.reason(), FaultReason::Illegal);
    assert_eq!(status.seat, Some(own));
    assert_eq!(scrape(&server).await[counted], 1.0);
}

#[tokio::test]
async fn a_secret_choice_reaches_neither_spectators_nor_the_other_seat() {
    let server = TestServer::open().await;
    let choose = async |index| {
        let seated = server.create(config("old_london_bridge", 2)).await;
        let [mut chooser, mut other] = server.join_all(&seated).await;
        other.next_request().await;
        let asked = chooser.next_request().await;
        let mut updates = server.watch(&seated.match_id).await.unwrap();
        next(&mut updates).await.unwrap().unwrap();
        chooser.answer(&asked, Choice::Index(index)).await;
        let update = next(&mut updates).await.unwrap().unwrap();
        assert_eq!(update.events.len(), 1, "it is public that a choice was made");
        // The other seat joins again and gets the same request.
        let mut again = server.join(&seated.tickets[1]).await;
        let seen = again.next_request().await.game;
        (update.observation, update.events, seen)
    };
    assert_eq!(choose(0).await, choose(1).await);
}

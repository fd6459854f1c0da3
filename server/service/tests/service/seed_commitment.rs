//! The seed of a match: committed to before it, secret during it, revealed after it.

use bridgemaster_proto::v1::{
    CreateMatchRequest, ListMatchesRequest, MatchInfo, WatchMatchRequest, decision::Choice,
    play_response::Message,
};
use bridgemaster_sdk::seed_commitment;

use crate::{
    raw_bot::RawBot,
    test_server::{GAMES, TestServer, config},
};

/// Longer than anything that could stand in a message by chance.
const SEED: &str = "a-seed-that-nobody-may-see";

fn assert_secret(info: &MatchInfo) {
    let text = format!("{info:?}");
    assert!(!text.contains(SEED), "{text}");
    assert_eq!(info.seed_salt, "");
}

#[tokio::test]
async fn seed_and_salt_are_secret_during_the_match_and_then_match_the_commitment() {
    let server = TestServer::open().await;
    for game in GAMES {
        let mut seeded = config(game, 2);
        seeded.seed = Some(SEED.to_owned());
        let request = CreateMatchRequest {
            config: Some(seeded),
            ..CreateMatchRequest::default()
        };
        let created = server.matches().create_match(request).await.unwrap();
        let created = created.into_inner();
        let info = created.r#match.unwrap();
        assert_secret(&info);
        let (match_id, commitment) = (info.match_id, info.seed_commitment);
        assert_eq!(commitment.len(), 64);

        let good = server.good_bot(&created.tickets[0].ticket);
        let mut bot = RawBot::join(&server, &created.tickets[1].ticket).await;
        let started = bot.started().await;
        assert_eq!(started.seed_commitment, commitment);
        assert!(!format!("{started:?}").contains(SEED));
        let asked = bot.next_request().await;
        assert!(!format!("{asked:?}").contains(SEED));

        let running = server.info(&match_id).await;
        assert_secret(&running);
        assert_eq!(running.seed_commitment, commitment);
        let list = ListMatchesRequest::default();
        let listed = server.matches().list_matches(list).await.unwrap();
        listed.into_inner().matches.iter().for_each(|other| {
            if other.match_id == match_id {
                assert_secret(other);
            }
        });
        let watch = WatchMatchRequest {
            match_id: match_id.clone(),
        };
        let mut updates = server.matches().watch_match(watch).await.unwrap();
        let first = updates.get_mut().message().await.unwrap().unwrap();
        assert!(!format!("{first:?}").contains(SEED));
        let watched = first.r#match.unwrap();
        assert_secret(&watched);
        assert_eq!(watched.seed_commitment, commitment);

        bot.answer(&asked, Choice::Index(0)).await;
        let ended = loop {
            match bot.next().await.unwrap().unwrap() {
                Message::DecisionRequest(request) => bot.answer(&request, Choice::Index(0)).await,
                Message::MatchEnded(ended) => break ended,
                _ => {}
            }
        };
        assert_eq!(ended.seed, SEED);
        let computed = seed_commitment(&ended.seed, &ended.seed_salt);
        assert_eq!(computed.as_ref(), Some(&commitment));
        good.await.unwrap().unwrap();

        let info = server.info(&match_id).await;
        assert_eq!(info.config.unwrap().seed.as_deref(), Some(SEED));
        let revealed = (info.seed_commitment, info.seed_salt);
        assert_eq!(revealed, (commitment.clone(), ended.seed_salt.clone()));
        let replay = server.replay(&match_id).await.unwrap();
        let kept = (replay.seed_commitment.clone(), replay.seed_salt.clone());
        assert_eq!(kept, decoded(&commitment, &ended.seed_salt));
        let verified = bridgemaster_replay::verify(&replay).unwrap();
        assert!(verified.commitment_checked);
    }
}

fn decoded(commitment: &str, salt: &str) -> (String, String) {
    (commitment.to_owned(), salt.to_owned())
}

#[tokio::test]
async fn matches_of_one_seed_have_different_commitments() {
    let server = TestServer::open().await;
    let mut commitments = Vec::new();
    for _ in 0..3 {
        let seated = server.create(config(GAMES[0], 2)).await;
        commitments.push(server.info(&seated.match_id).await.seed_commitment);
    }
    commitments.sort();
    commitments.dedup();
    assert_eq!(commitments.len(), 3);
}

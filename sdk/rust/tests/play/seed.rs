//! Checks of the revealed seed against the server's commitment.

use bridgemaster_sdk::{Advice, PlayError, v1};
use v1::play_response;

use crate::{
    scripted_bot::{outcome, welcomed},
    scripted_server::{match_result, match_started},
};

/// Seed, salt, and their commitment as computed by Python's hashlib.
const SEED: &str = "london-1209";

const SALT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

const COMMITMENT: &str = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";

fn committed() -> play_response::Message {
    let play_response::Message::MatchStarted(started) = match_started() else {
        panic!("match_started() returns a MatchStarted")
    };
    play_response::Message::MatchStarted(v1::MatchStarted {
        seed_commitment: COMMITMENT.to_owned(),
        ..started
    })
}

fn revealing(seed: &str, seed_salt: &str) -> play_response::Message {
    play_response::Message::MatchEnded(v1::MatchEnded {
        result: Some(match_result()),
        seed: seed.to_owned(),
        seed_salt: seed_salt.to_owned(),
    })
}

#[tokio::test]
async fn a_seed_that_matches_the_commitment_is_accepted() {
    let (_server, playing, _control, stream) = welcomed().await;
    stream.send(1, committed()).await;
    stream.send(2, revealing(SEED, SALT)).await;
    drop(stream);
    assert_eq!(outcome(playing).await.unwrap(), match_result());
}

#[tokio::test]
async fn a_seed_or_salt_that_does_not_match_is_an_error_with_the_result() {
    let other_salt = SALT.replace("00", "01");
    for (seed, salt) in [("london-1210", SALT), (SEED, &other_salt), ("", "")] {
        let (_server, playing, _control, stream) = welcomed().await;
        stream.send(1, committed()).await;
        stream.send(2, revealing(seed, salt)).await;
        drop(stream);
        let error = outcome(playing).await.unwrap_err();
        assert_eq!(error.advice(), Advice::Stop);
        let PlayError::BrokenSeedCommitment { commitment, result, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!((commitment.as_str(), *result), (COMMITMENT, match_result()));
    }
}

#[tokio::test]
async fn a_seed_revealed_with_the_group_may_be_missing_but_must_match_the_commitment() {
    let of_group = || {
        let play_response::Message::MatchStarted(started) = committed() else {
            panic!("match_started() returns a MatchStarted")
        };
        let group = v1::MatchGroup {
            seed_reveal: v1::SeedReveal::WithGroup.into(),
            ..v1::MatchGroup::default()
        };
        let config = v1::MatchConfig { group: Some(group), ..v1::MatchConfig::default() };
        play_response::Message::MatchStarted(v1::MatchStarted {
            config: Some(Box::new(config)),
            ..started
        })
    };
    for (seed, salt, is_accepted) in
        [("", "", true), (SEED, SALT, true), ("london-1210", SALT, false), (SEED, "", false)]
    {
        let (_server, playing, _control, stream) = welcomed().await;
        stream.send(1, of_group()).await;
        stream.send(2, revealing(seed, salt)).await;
        drop(stream);
        assert_eq!(outcome(playing).await.is_ok(), is_accepted, "{seed:?} {salt:?}");
    }
}

#[tokio::test]
async fn a_commitment_that_changes_breaks_the_protocol() {
    let (_server, playing, _control, stream) = welcomed().await;
    stream.send(1, committed()).await;
    stream.send(2, match_started()).await;
    let error = outcome(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Protocol(_)), "{error:?}");
}

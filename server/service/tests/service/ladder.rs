//! Ladders: attending bots are paired, and their matches are rated.

use std::collections::BTreeSet;

use bridgemaster_proto::v1::{
    AttendanceState, GetLadderBotRequest, GetLadderRequest, Ladder, LadderState,
    ListHeadToHeadsRequest, ListLaddersRequest, MatchState, OfferPurpose, RequestMatchRequest,
};
use tokio::time::timeout;
use tonic::Code;

use crate::{
    ladder_fixture::{
        NAME, advance, attend, bot, client, csv, get, make, matches, of_two, standings, until,
        until_counted, watch,
    },
    metrics::scrape,
    raw_bot::reason,
    test_server::{PATIENCE, TestServer},
};

#[tokio::test]
async fn bots_that_attend_are_validated_paired_and_rated() {
    let server = TestServer::open().await;
    let made = make(&server, of_two()).await.unwrap();
    assert_eq!(made.state(), LadderState::Open);
    assert_eq!((made.max_matches, made.max_slots), (16, 64));
    let bots = ["ada", "bob", "cyd"].map(|name| attend(&server, name, "1", 2));
    until_counted(&server, 9).await;
    let numbers = scrape(&server).await;
    let number = |name: &str| numbers[&format!("bridgemaster_{name}")];
    assert!(number("ladder_matches_total{outcome=\"played\"}") >= 9.0);
    // Lag may annul any number of matches here.
    assert!(number("ladder_matches_total{outcome=\"annulled\"}") >= 0.0);
    // Two bots in each match.
    assert!(number("ladder_pairing_seconds_count") >= 9.0);
    assert!(number("ladder_waiting_seconds_count") >= 18.0);
    assert_eq!(number("attending_bots{queue=\"ladder\"}"), 3.0);
    assert_eq!(number("attending_bots{queue=\"other\"}"), 0.0);
    advance(&server, LadderState::Closed).await.unwrap();
    // Their streams end with the last match.
    for bot in bots {
        let left = timeout(PATIENCE, bot).await.expect("it leaves");
        left.unwrap().unwrap();
    }
    let table_of = standings(&server, false).await;
    assert_eq!(table_of.len(), 3);
    let mut sum = 0.0;
    for standing in &table_of {
        let rating = standing.rating.unwrap();
        assert!(rating.elo_low < rating.elo && rating.elo < rating.elo_high);
        assert!(rating.rank_best >= 1 && rating.rank_worst <= 3);
        // A bot with fewer than 30 matches has less weight in the mean.
        sum += rating.elo * f64::from(rating.matches.min(30));
    }
    assert!(sum.abs() < 1e-3, "the mean is 0: {table_of:?}");
    let all = matches(&server, "").await;
    let mut seeds = BTreeSet::new();
    let mut validated = BTreeSet::new();
    for one in all.iter().rev() {
        let info = one.r#match.as_ref().unwrap();
        assert_eq!(info.labels["ladder"], NAME);
        let names = info.seats.iter().map(|seat| seat.bot_name.clone());
        match one.purpose() {
            OfferPurpose::Validation => validated.extend(names),
            purpose => {
                assert_eq!(purpose, OfferPurpose::Rated);
                for name in names {
                    assert!(validated.contains(&name), "{name} is validated first");
                }
            }
        }
        if info.state() == MatchState::Ended {
            let seed = info.config.as_ref().unwrap().seed.clone().unwrap();
            assert!(seeds.insert(seed), "no seed is played twice");
        }
    }
    let of_ada = matches(&server, "ada").await;
    assert!(!of_ada.is_empty() && of_ada.len() < all.len());
    let request = ListHeadToHeadsRequest {
        ladder_id: NAME.to_owned(),
        bot: Some(bot("ada")),
        ..ListHeadToHeadsRequest::default()
    };
    let met = client(&server).list_head_to_heads(request).await.unwrap();
    let met = met.into_inner().entries;
    let ada = table_of.iter().find(|standing| standing.bot_name == "ada");
    let sum: u32 = met
        .iter()
        .map(|one| one.head_to_head.unwrap().matches)
        .sum();
    assert_eq!(sum, ada.unwrap().rating.unwrap().matches);
    let csv = csv(&server).await;
    let counted = csv.lines().filter(|line| line.contains(",rated,played,"));
    assert_eq!(counted.count() as u64, 2 * get(&server).await.matches);
    let request = GetLadderBotRequest {
        ladder_id: NAME.to_owned(),
        bot_name: "ada".to_owned(),
    };
    let versions = client(&server).get_ladder_bot(request).await.unwrap();
    let versions = versions.into_inner().versions;
    assert_eq!(versions.len(), 1);
    assert!(!versions[0].history.is_empty());
}

#[tokio::test]
async fn a_requested_match_is_played_and_does_not_count() {
    let server = TestServer::open().await;
    make(&server, of_two()).await.unwrap();
    let request = RequestMatchRequest {
        ladder_id: NAME.to_owned(),
        bots: vec![bot("ada"), bot("ada")],
    };
    let refused = client(&server).request_match(request.clone()).await;
    assert_eq!(reason(&refused.unwrap_err()), "BOT_UNKNOWN");
    // Attends alone, so that no rated match takes its slots.
    let _bot = attend(&server, "ada", "1", 4);
    until(&server, |update| {
        let mut standings = update.standings.iter();
        standings.any(|standing| standing.state() == AttendanceState::Active)
    })
    .await;
    let asked = client(&server).request_match(request).await.unwrap();
    let match_id = asked.into_inner().match_id;
    server.result(&match_id).await;
    let all = matches(&server, "").await;
    let found = all
        .iter()
        .find(|one| one.r#match.as_ref().unwrap().match_id == match_id);
    assert_eq!(found.unwrap().purpose(), OfferPurpose::Requested);
    // The result is reported before the ladder has processed it.
    let lines = timeout(PATIENCE, async {
        let mut updates = watch(&server).await;
        loop {
            let csv = csv(&server).await;
            let lines = csv.lines().filter(|line| line.contains(&match_id));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            if !lines.is_empty() {
                return lines;
            }
            updates
                .message()
                .await
                .unwrap()
                .expect("the stream continues");
        }
    });
    let lines = lines.await.expect("it is taken in");
    assert_eq!(lines.len(), 2, "one for each seat: {lines:?}");
    for line in &lines {
        assert!(line.contains(",requested,played,"), "{line}");
    }
    assert_eq!(get(&server).await.matches, 0, "it does not count");
    let rated = standings(&server, true).await;
    assert!(rated.iter().all(|standing| standing.rating.is_none()));
}

#[tokio::test]
async fn a_ladder_is_frozen_and_closes_after_its_closing_round() {
    let server = TestServer::open().await;
    let mut short = of_two();
    short.closing = Some(bridgemaster_proto::v1::ClosingRule {
        settled_top: 0,
        confidence: 0.0,
        max_matches_per_bot: 3,
    });
    make(&server, short).await.unwrap();
    let _bots = ["ada", "bob"].map(|name| attend(&server, name, "1", 1));
    until_counted(&server, 1).await;
    let frozen = advance(&server, LadderState::Frozen).await.unwrap();
    assert_eq!(frozen.state(), LadderState::Frozen);
    let _late = attend(&server, "late", "1", 1);
    until(&server, |update| {
        update.ladder.as_ref().unwrap().state() == LadderState::Closed
    })
    .await;
    let names = standings(&server, true).await.into_iter();
    let names: Vec<String> = names.map(|standing| standing.bot_name).collect();
    assert!(!names.contains(&"late".to_owned()), "{names:?}");
    let again = advance(&server, LadderState::Frozen).await.unwrap_err();
    assert_eq!(reason(&again), "LADDER_CLOSED");
}

#[tokio::test]
async fn invalid_requests_about_ladders_are_refused_with_their_field() {
    let server = TestServer::open().await;
    let mut seeded = of_two();
    seeded.config.as_mut().unwrap().seed = Some("s".to_owned());
    let of = |change: fn(&mut Ladder)| {
        let mut ladder = of_two();
        change(&mut ladder);
        ladder
    };
    for (bad, field) in [
        (
            of(|ladder| ladder.ladder_id = "No".to_owned()),
            "ladder.ladder_id",
        ),
        (of(|ladder| ladder.config = None), "ladder.config.game"),
        (seeded, "ladder.config.seed"),
        (
            of(|ladder| ladder.config.as_mut().unwrap().seats = 9),
            "ladder.config.seats",
        ),
        (
            of(|ladder| ladder.rules_version = 99),
            "ladder.rules_version",
        ),
        (
            of(|ladder| ladder.max_matches = 10_001),
            "ladder.max_matches",
        ),
        (of(|ladder| ladder.max_slots = 65), "ladder.max_slots"),
        (
            of(|ladder| ladder.house_bots = vec!["@1".to_owned()]),
            "ladder.house_bots",
        ),
        (
            of(|ladder| ladder.key_names = vec!["ada".to_owned()]),
            "ladder.key_names",
        ),
        (of(|ladder| ladder.replays = 9), "ladder.replays"),
    ] {
        let refused = make(&server, bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{field}: {refused}");
        assert!(refused.message().starts_with(field), "{field}: {refused}");
    }
    make(&server, of_two()).await.unwrap();
    let again = make(&server, of_two()).await.unwrap_err();
    assert!(again.message().starts_with("ladder.ladder_id"), "{again}");
    let ladder_id = "nothing".to_owned();
    let unknown = client(&server)
        .get_ladder(GetLadderRequest { ladder_id })
        .await;
    assert_eq!(reason(&unknown.unwrap_err()), "LADDER_UNKNOWN");
    let listed = client(&server)
        .list_ladders(ListLaddersRequest::default())
        .await;
    assert_eq!(listed.unwrap().into_inner().ladders.len(), 1);
}

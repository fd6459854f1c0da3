//! Ladders: attending bots are paired, and their matches are rated.

use std::collections::BTreeSet;

use bridgemaster_proto::v1::{
    AttendanceState, GetLadderBotRequest, GetLadderRequest, Ladder, LadderState,
    ListHeadToHeadsRequest, ListLaddersRequest, MatchConfig, MatchState, OfferPurpose,
    RequestMatchRequest,
};
use tokio::time::timeout;
use tonic::Code;

use crate::{
    ladder_fixture::{
        NAME, advance, bot, csv, get, league, make, matches, standings, until, until_counted, watch,
    },
    metrics::scrape,
    streams::{PATIENCE, next, outcome, reason},
    test_server::TestServer,
};

#[tokio::test]
async fn bots_that_attend_are_validated_paired_and_rated() {
    let server = TestServer::open().await;
    let made = make(&server, league()).await.unwrap();
    assert_eq!(made.state(), LadderState::Open);
    assert_eq!((made.max_matches, made.max_slots), (16, 8));
    let bots = ["ada", "bob", "cyd"].map(|name| server.attend(NAME, name, "1", 2));
    until_counted(&server, 9).await;
    let numbers = scrape(&server).await;
    let number = |name: &str| numbers[&format!("bridgemaster_{name}")];
    assert!(number("ladder_matches_total{outcome=\"played\"}") >= 9.0);
    // Lag may annul any number of matches in this test.
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
    assert!(sum.abs() < 1e-3, "the mean must be 0: {table_of:?}");
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
    let met = server.ladders().list_head_to_heads(request).await.unwrap();
    let met = met.into_inner().entries;
    let ada = table_of.iter().find(|standing| standing.bot_name == "ada");
    let sum: u32 = met.iter().map(|one| one.head_to_head.unwrap().matches).sum();
    assert_eq!(sum, ada.unwrap().rating.unwrap().matches);
    let csv = csv(&server).await;
    let counted = csv.lines().filter(|line| line.contains(",rated,played,"));
    assert_eq!(counted.count() as u64, 2 * get(&server).await.matches);
    let request = GetLadderBotRequest { ladder_id: NAME.to_owned(), bot_name: "ada".to_owned() };
    let versions = server.ladders().get_ladder_bot(request).await.unwrap();
    let versions = versions.into_inner().versions;
    assert_eq!(versions.len(), 1);
    assert!(!versions[0].history.is_empty());
}

#[tokio::test]
async fn a_requested_match_is_played_and_does_not_count() {
    let server = TestServer::open().await;
    make(&server, league()).await.unwrap();
    let request =
        RequestMatchRequest { ladder_id: NAME.to_owned(), bots: vec![bot("ada"), bot("ada")] };
    let refused = server.ladders().request_match(request.clone()).await;
    assert_eq!(reason(&refused.unwrap_err()), "BOT_UNKNOWN");
    // This bot attends alone, so that no rated match takes its slots.
    let _bot = server.attend(NAME, "ada", "1", 4);
    until(&server, |update| {
        let mut standings = update.standings.iter();
        standings.any(|standing| standing.state() == AttendanceState::Active)
    })
    .await;
    let asked = server.ladders().request_match(request).await.unwrap();
    let match_id = asked.into_inner().match_id;
    server.result(&match_id).await;
    let all = matches(&server, "").await;
    let found = all.iter().find(|one| one.r#match.as_ref().unwrap().match_id == match_id);
    assert_eq!(found.unwrap().purpose(), OfferPurpose::Requested);
    // The result is sent before the ladder has processed it.
    let mut updates = watch(&server).await;
    let lines = loop {
        let csv = csv(&server).await;
        let lines = csv.lines().filter(|line| line.contains(&match_id));
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        if !lines.is_empty() {
            break lines;
        }
        next(&mut updates).await.unwrap().unwrap();
    };
    assert_eq!(lines.len(), 2, "expected a line for each seat: {lines:?}");
    for line in &lines {
        assert!(line.contains(",requested,played,"), "{line}");
    }
    assert_eq!(get(&server).await.matches, 0, "the match does not count");
    let rated = standings(&server, true).await;
    assert!(rated.iter().all(|standing| standing.rating.is_none()));
}

#[tokio::test]
async fn a_ladder_is_frozen_and_closes_after_its_closing_round() {
    let server = TestServer::open().await;
    let mut short = league();
    short.closing = Some(bridgemaster_proto::v1::ClosingRule {
        settled_top: 0,
        confidence: 0.0,
        max_matches_per_bot: 3,
    });
    make(&server, short).await.unwrap();
    let _bots = ["ada", "bob"].map(|name| server.attend(NAME, name, "1", 1));
    until_counted(&server, 1).await;
    let frozen = advance(&server, LadderState::Frozen).await.unwrap();
    assert_eq!(frozen.state(), LadderState::Frozen);
    let _late = server.attend(NAME, "late", "1", 1);
    until(&server, |update| update.ladder.as_ref().unwrap().state() == LadderState::Closed).await;
    let names = standings(&server, true).await.into_iter();
    let names: Vec<String> = names.map(|standing| standing.bot_name).collect();
    assert!(!names.contains(&"late".to_owned()), "{names:?}");
    let again = advance(&server, LadderState::Frozen).await.unwrap_err();
    assert_eq!(reason(&again), "LADDER_CLOSED");
}

#[tokio::test]
async fn invalid_requests_about_ladders_are_refused_with_their_field() {
    let server = TestServer::open().await;
    let of = |change: fn(&mut Ladder)| {
        let mut ladder = league();
        change(&mut ladder);
        ladder
    };
    let of_config = |change: fn(&mut MatchConfig)| {
        let mut ladder = league();
        change(ladder.config.as_mut().unwrap());
        ladder
    };
    let names = |name: &str| vec![name.to_owned()];
    let house_bots = names("@1");
    let key_names = names("ada");
    for (bad, field) in [
        (of(|it| it.ladder_id = "No".to_owned()), "ladder.ladder_id"),
        (of(|it| it.config = None), "ladder.config.game"),
        (of_config(|config| config.seed = Some("s".to_owned())), "ladder.config.seed"),
        (of_config(|config| config.seats = 9), "ladder.config.seats"),
        (of(|it| it.rules_version = 99), "ladder.rules_version"),
        (of(|it| it.max_matches = 10_001), "ladder.max_matches"),
        (of(|it| it.max_slots = 65), "ladder.max_slots"),
        (Ladder { house_bots, ..league() }, "ladder.house_bots"),
        (Ladder { key_names, ..league() }, "ladder.key_names"),
        (of(|it| it.replays = 9), "ladder.replays"),
        (of(|it| it.rating_method = 9), "ladder.rating_method"),
    ] {
        let refused = make(&server, bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{field}: {refused}");
        assert!(refused.message().starts_with(field), "{field}: {refused}");
    }
    make(&server, league()).await.unwrap();
    let again = make(&server, league()).await.unwrap_err();
    assert!(again.message().starts_with("ladder.ladder_id"), "{again}");
    let ladder_id = "nothing".to_owned();
    let request = GetLadderRequest { ladder_id };
    let unknown = server.ladders().get_ladder(request).await;
    assert_eq!(outcome(unknown), "LADDER_UNKNOWN");
    let listed = server.ladders().list_ladders(ListLaddersRequest::default()).await;
    assert_eq!(listed.unwrap().into_inner().ladders.len(), 1);
}

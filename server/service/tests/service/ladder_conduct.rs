//! Bots that do not join their matches, decline offers, or change their versions too often.

use std::collections::BTreeSet;

use bridgemaster_proto::v1::{
    AttendanceState, DeclineOfferRequest, MatchState, UnbenchBotRequest, WatchLadderResponse,
};

use crate::{
    ladder_fixture::{
        NAME, attend_by_hand, attending, bot, first_offer, get, join_offered, ladder, league, make,
        make_housed, matches, next_offer, standings, until, until_counted,
    },
    streams::{end, outcome, reason},
    test_server::{TestServer, of_two, with_clock},
};

#[tokio::test]
async fn a_bot_that_misses_its_seats_is_benched_until_it_is_readmitted() {
    let server = TestServer::open().await;
    let quick = with_clock(of_two(), |clock| clock.startup_ms = Some(500));
    let mut quick = ladder(quick);
    // The limit of this house bot is so high that it is never benched, even on a slow machine.
    quick.house_bots = vec!["good".to_owned()];
    make(&server, quick).await.unwrap();
    let _good = server.attend(NAME, "good", "1", 4);
    let mut idle = attend_by_hand(&server, "idle").await.unwrap();
    let benched = end(&mut idle).await;
    assert_eq!(reason(&benched), "BOT_BENCHED");
    assert!(benched.message().contains("3 times in a row"), "{benched}");
    let refused = attend_by_hand(&server, "idle").await;
    assert_eq!(outcome(refused), "BOT_BENCHED");
    let all = standings(&server, false).await;
    let state = |name: &str| {
        let standing = all.iter().find(|standing| standing.bot_name == name);
        standing.unwrap().state()
    };
    assert_eq!(state("idle"), AttendanceState::Benched);
    assert_ne!(state("good"), AttendanceState::Benched);
    let unbench = UnbenchBotRequest { ladder_id: NAME.to_owned(), bot: Some(bot("idle")) };
    server.ladders().unbench_bot(unbench).await.unwrap();
    attend_by_hand(&server, "idle").await.unwrap();
    assert_eq!(get(&server).await.matches, 0, "the validation does not count");
}

#[tokio::test]
async fn a_new_version_waits_for_the_previous_one_and_other_bots_continue() {
    let server = TestServer::open().await;
    let _house = make_housed(&server).await;
    let (_first, offer) = first_offer(&server, "ada").await;
    // A match names its bots before they have joined.
    let paired = matches(&server, "ada").await.pop().unwrap();
    let seats = paired.r#match.unwrap().seats;
    let seats = seats.iter();
    let bots = seats.map(|seat| (&*seat.bot_name, &*seat.bot_version));
    assert_eq!(bots.collect::<BTreeSet<_>>(), BTreeSet::from([("ada", "1"), ("house", "1")]));
    // A bot that plays without ever answering.
    let _playing = join_offered(&server, "ada", &offer).await;
    let _second = server.attend(NAME, "ada", "2", 1);
    let _other = server.attend(NAME, "bob", "1", 1);
    until_counted(&server, 1).await;
    for one in matches(&server, "ada").await {
        let info = one.r#match.unwrap();
        assert_ne!(info.state(), MatchState::Cancelled);
    }
}

#[tokio::test]
async fn a_bot_that_changes_its_version_too_often_is_refused() {
    let server = TestServer::open().await;
    make(&server, league()).await.unwrap();
    let mut lobby = server.lobby();
    let request = |version: u32| attending("ada", &version.to_string());
    let mut held = Vec::new();
    for version in 0..20 {
        held.push(lobby.attend(request(version)).await.unwrap());
        let version = version.to_string();
        let has_entered = |update: &WatchLadderResponse| {
            let mut standings = update.standings.iter();
            standings.any(|standing| standing.bot_version == version)
        };
        until(&server, has_entered).await;
    }
    let refused = lobby.attend(request(20)).await.unwrap_err();
    assert_eq!(reason(&refused), "LIMIT_REACHED");
    assert!(refused.message().contains("within a day"), "{refused}");
    let again = lobby.attend(request(3)).await;
    again.expect("the version has entered before");
}

#[tokio::test]
async fn a_bot_that_keeps_declining_is_benched() {
    let server = TestServer::open().await;
    let _house = make_housed(&server).await;
    let (mut stream, mut offer) = first_offer(&server, "ada").await;
    let benched = loop {
        let decline =
            DeclineOfferRequest { offer_id: offer.offer_id, reason: "not this one".to_owned() };
        server.lobby().decline_offer(decline).await.unwrap();
        match next_offer(&mut stream).await {
            Ok(next) => offer = next,
            Err(refused) => break refused,
        }
    };
    assert_eq!(reason(&benched), "BOT_BENCHED");
}

//! Bots that do not join their matches, decline offers, or change their versions too often.

use std::collections::BTreeSet;

use bridgemaster_proto::v1::{
    AttendRequest, AttendanceState, DeclineOfferRequest, Hello, MatchState, UnbenchBotRequest,
    attend_response, lobby_service_client::LobbyServiceClient,
};
use tokio::time::timeout;

use crate::{
    ladder_fixture::{
        NAME, attend, bot, client, first_offer, get, ladder, make, matches, of_two, standings,
        until, until_counted,
    },
    raw_bot::{self, RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

#[tokio::test]
async fn a_bot_that_misses_its_seats_is_benched_until_it_is_readmitted() {
    let server = TestServer::open().await;
    let quick = with_clock(config(GAMES[0], 2), |clock| clock.startup_ms = Some(500));
    let mut quick = ladder(quick);
    // It is never benched, however slow the machine.
    quick.house_bots = vec!["good".to_owned()];
    make(&server, quick).await.unwrap();
    let _good = attend(&server, "good", "1", 4);
    let request = AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: "idle".to_owned(),
        bot_version: "1".to_owned(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let mut idle = lobby.attend(request.clone()).await.unwrap().into_inner();
    let ended = timeout(PATIENCE, async {
        loop {
            match idle.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it did not leave"),
                Err(refused) => return refused,
            }
        }
    });
    let benched = ended.await.expect("it is benched");
    assert_eq!(reason(&benched), "BOT_BENCHED");
    assert!(benched.message().contains("3 times in a row"), "{benched}");
    let refused = lobby.attend(request.clone()).await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_BENCHED");
    let all = standings(&server, false).await;
    let state = |name: &str| {
        let standing = all.iter().find(|standing| standing.bot_name == name);
        standing.unwrap().state()
    };
    assert_eq!(state("idle"), AttendanceState::Benched);
    assert_ne!(state("good"), AttendanceState::Benched);
    let unbench = UnbenchBotRequest {
        ladder_id: NAME.to_owned(),
        bot: Some(bot("idle")),
    };
    client(&server).unbench_bot(unbench).await.unwrap();
    lobby.attend(request).await.unwrap();
    assert_eq!(get(&server).await.matches, 0, "nothing of it counts");
}

#[tokio::test]
async fn a_match_names_its_bots_before_they_join() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (_ada, _) = first_offer(&server, "ada", "1").await;
    let paired = matches(&server, "ada").await.pop().unwrap();
    let seats = paired.r#match.unwrap().seats;
    let bots = seats
        .iter()
        .map(|seat| (&*seat.bot_name, &*seat.bot_version));
    assert_eq!(
        bots.collect::<BTreeSet<_>>(),
        BTreeSet::from([("ada", "1"), ("house", "1")])
    );
}

#[tokio::test]
async fn a_new_version_waits_for_the_previous_one_and_other_bots_continue() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (_first, offer) = first_offer(&server, "ada", "1").await;
    let hello = Hello {
        bot_name: "ada".to_owned(),
        ..raw_bot::hello()
    };
    // A bot that plays without ever answering.
    let _playing = RawBot::join_with(&server, &offer.ticket, hello).await;
    let _second = attend(&server, "ada", "2", 1);
    let _other = attend(&server, "bob", "1", 1);
    until_counted(&server, 1).await;
    let cancelled = matches(&server, "ada").await.into_iter();
    let cancelled = cancelled
        .filter(|one| one.r#match.as_ref().unwrap().state() == MatchState::Cancelled)
        .count();
    assert_eq!(cancelled, 0);
}

#[tokio::test]
async fn a_bot_that_changes_its_version_too_often_is_refused() {
    let server = TestServer::open().await;
    make(&server, of_two()).await.unwrap();
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let request = |version: u32| AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: "ada".to_owned(),
        bot_version: version.to_string(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut attending = Vec::new();
    for version in 0..20 {
        attending.push(lobby.attend(request(version)).await.unwrap());
        until(&server, |update| {
            let mut standings = update.standings.iter();
            standings.any(|standing| standing.bot_version == version.to_string())
        })
        .await;
    }
    let refused = lobby.attend(request(20)).await.unwrap_err();
    assert_eq!(reason(&refused), "LIMIT_REACHED");
    assert!(refused.message().contains("within a day"), "{refused}");
    lobby
        .attend(request(3))
        .await
        .expect("it has entered before");
}

#[tokio::test]
async fn a_bot_that_keeps_declining_is_benched() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (mut stream, offer) = first_offer(&server, "ada", "1").await;
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let mut offer_id = offer.offer_id;
    let ended = timeout(PATIENCE, async {
        loop {
            let reason = "not this one".to_owned();
            let decline = DeclineOfferRequest { offer_id, reason };
            lobby.decline_offer(decline).await.unwrap();
            offer_id = loop {
                match stream.message().await {
                    Ok(Some(response)) => {
                        if let Some(attend_response::Message::Offer(offer)) = response.message {
                            break offer.offer_id;
                        }
                    }
                    Ok(None) => panic!("it did not leave"),
                    Err(refused) => return refused,
                }
            };
        }
    });
    assert_eq!(reason(&ended.await.expect("it is benched")), "BOT_BENCHED");
}

//! Spectators: they see exactly the public state.

use bridgemaster_proto::v1::{
    FaultReason, ListMatchesRequest, MatchFilter, MatchState, WatchMatchRequest,
    WatchPositionsRequest, decision::Choice, watch_positions_request::Source,
};
use bridgemaster_server::Limits;
use tokio::time::timeout;
use tonic::Streaming;

use crate::{
    metrics::scrape,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

#[tokio::test]
async fn a_spectator_sees_the_match_from_waiting_to_its_result() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let request = WatchMatchRequest {
            match_id: seated.match_id.clone(),
        };
        let mut updates = server
            .matches()
            .watch_match(request)
            .await
            .unwrap()
            .into_inner();
        let first = updates.message().await.unwrap().unwrap();
        assert_eq!(first.r#match.unwrap().state(), MatchState::Waiting);
        assert!(first.observation.is_none() && first.events.is_empty());

        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        let (mut events, mut last) = (0, None);
        while let Some(message) = timeout(PATIENCE, updates.message()).await.unwrap().unwrap() {
            events += message.events.len();
            let info = message.r#match.clone().unwrap();
            let seed = info.config.and_then(|config| config.seed);
            assert_eq!(seed.is_some(), info.result.is_some());
            last = Some(message);
        }
        let last = last.unwrap();
        let result = last.r#match.unwrap().result.unwrap();
        assert!(last.observation.is_some() && events > 0);
        for bot in bots {
            assert_eq!(bot.await.unwrap().unwrap(), result);
        }
    }
}

#[tokio::test]
async fn hundreds_of_spectators_of_one_match_get_the_same_messages() {
    const EACH: usize = 250;
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let id = &seated.match_id;
    let (mut watching, mut looking) = (Vec::new(), Vec::new());
    for number in 0..EACH {
        // Some start before the first bot joins.
        let wanted = WatchMatchRequest {
            match_id: id.clone(),
        };
        let watched = server.matches().watch_match(wanted).await;
        watching.push(tokio::spawn(read(watched.unwrap().into_inner())));
        let from_decision = if number % 2 == 0 { 0 } else { 10 };
        let wanted = WatchPositionsRequest {
            source: Some(Source::MatchId(id.clone())),
            from_decision,
            ..WatchPositionsRequest::default()
        };
        let looked = server.matches().watch_positions(wanted).await;
        let looked = tokio::spawn(read(looked.unwrap().into_inner()));
        looking.push((from_decision, looked));
    }
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    let replay = server.replay(id).await.unwrap();
    let decisions = replay.result.unwrap().decisions;
    let mut received = Vec::new();
    for one in watching {
        let updates = one.await.unwrap();
        // Bots may have joined before a spectator started.
        let tail: Vec<_> = updates
            .iter()
            .filter(|one| !one.events.is_empty())
            .collect();
        received.push(tail.into_iter().cloned().collect::<Vec<_>>());
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

/// Collects all messages of a stream.
async fn read<T>(mut stream: Streaming<T>) -> Vec<T> {
    let mut messages = Vec::new();
    while let Some(message) = timeout(PATIENCE, stream.message()).await.unwrap().unwrap() {
        messages.push(message);
    }
    messages
}

#[tokio::test]
async fn a_fault_is_secret_while_it_is_secret_who_has_decided() {
    let server = TestServer::open().await;
    let seated = server.create(config("old_london_bridge", 2)).await;
    let mut faulty = RawBot::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    // Both choose at the same time.
    let (asked, others) = (faulty.next_request().await, other.next_request().await);
    let request = WatchMatchRequest {
        match_id: seated.match_id.clone(),
    };
    let watching = server.matches().watch_match(request).await;
    let mut updates = watching.unwrap().into_inner();
    updates.message().await.unwrap().unwrap();

    faulty.answer(&asked, Choice::Index(u32::MAX)).await;
    let own = faulty.next_seat_status().await.seat.unwrap();
    assert_eq!((own.seat, own.strikes), (0, 1));
    assert_eq!(server.info(&seated.match_id).await.seats[0].strikes, 0);
    let counted = "bridgemaster_faults_total{reason=\"ILLEGAL\",action=\"STRIKE\"}";
    assert_eq!(scrape(&server).await.get(counted), None);

    // Making a choice is an event.
    other.answer(&others, Choice::Index(0)).await;
    let update = updates.message().await.unwrap().unwrap();
    assert_eq!(update.events.len(), 1, "nothing was sent before");
    assert_eq!(update.r#match.unwrap().seats[0].strikes, 1);
    let status = other.next_seat_status().await;
    assert_eq!(status.reason(), FaultReason::Illegal);
    assert_eq!(status.seat, Some(own));
    assert_eq!(scrape(&server).await[counted], 1.0);
}

#[tokio::test]
async fn a_secret_choice_reaches_neither_spectators_nor_the_other_seat() {
    let server = TestServer::open().await;
    let choose = |index| {
        let server = &server;
        async move {
            let seated = server.create(config("old_london_bridge", 2)).await;
            let mut chooser = RawBot::join(server, &seated.tickets[0]).await;
            let mut other = RawBot::join(server, &seated.tickets[1]).await;
            other.next_request().await;
            let asked = chooser.next_request().await;
            let request = WatchMatchRequest {
                match_id: seated.match_id.clone(),
            };
            let mut updates = server
                .matches()
                .watch_match(request)
                .await
                .unwrap()
                .into_inner();
            updates.message().await.unwrap().unwrap();
            chooser.answer(&asked, Choice::Index(index)).await;
            let update = updates.message().await.unwrap().unwrap();
            assert_eq!(update.events.len(), 1, "that a choice was made is public");
            // The other seat joins again and gets the same request.
            let mut again = RawBot::join(server, &seated.tickets[1]).await;
            (
                update.observation,
                update.events,
                again.next_request().await.game,
            )
        }
    };
    assert_eq!(choose(0).await, choose(1).await);
}

#[tokio::test]
async fn spectators_of_a_match_are_limited() {
    let limits = Limits {
        watchers_per_match: 1,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let request = || WatchMatchRequest {
        match_id: seated.match_id.clone(),
    };
    let _watching = server.matches().watch_match(request()).await.unwrap();
    let refused = server.matches().watch_match(request()).await.unwrap_err();
    assert_eq!(reason(&refused), "LIMIT_REACHED");
    let unknown = WatchMatchRequest {
        match_id: "nothing".to_owned(),
    };
    let refused = server.matches().watch_match(unknown).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_UNKNOWN");
}

#[tokio::test]
async fn matches_are_listed_newest_first_page_by_page() {
    let server = TestServer::open().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(server.create(config(GAMES[0], 2)).await.match_id);
    }
    made.reverse();
    let (mut listed, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListMatchesRequest {
            filter: Some(MatchFilter {
                state: MatchState::Waiting.into(),
                ..MatchFilter::default()
            }),
            page_size: 2,
            page_token,
        };
        let page = server
            .matches()
            .list_matches(request)
            .await
            .unwrap()
            .into_inner();
        listed.extend(page.matches.into_iter().map(|m| m.match_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, made);
    let bad = ListMatchesRequest {
        page_token: "x".to_owned(),
        ..ListMatchesRequest::default()
    };
    let refused = server.matches().list_matches(bad).await.unwrap_err();
    assert!(refused.message().starts_with("page_token"), "{refused:?}");
}

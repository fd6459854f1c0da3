//! A restart over the same store: matches resume, and results stay.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    ListMatchesRequest, MatchFilter, MatchState, decision::Choice, play_response::Message,
};
use bridgemaster_replay::verify;
use bridgemaster_server::Limits;
use bridgemaster_store::{KeyName, MatchCounts, MemoryStore, Store};

use crate::{
    raw_bot::{RawBot, hello},
    test_server::{GAMES, TestServer, config},
};

fn store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// Lists the matches of the server, one per page.
async fn listed(server: &TestServer, state: MatchState) -> Vec<String> {
    let mut ids = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListMatchesRequest {
            filter: Some(MatchFilter {
                state: state.into(),
                ..MatchFilter::default()
            }),
            page_size: 1,
            page_token,
        };
        let page = server.matches().list_matches(request).await.unwrap();
        let page = page.into_inner();
        ids.extend(page.matches.into_iter().map(|info| info.match_id));
        if page.next_page_token.is_empty() {
            return ids;
        }
        page_token = page.next_page_token;
    }
}

#[tokio::test]
async fn bots_resume_with_their_numbers_their_request_and_their_clocks() {
    for game in GAMES {
        let store = store();
        let mut server = TestServer::over(&store, Limits::default()).await;
        let seated = server.create(config(game, 2)).await;
        let mut first = RawBot::join(&server, &seated.tickets[0]).await;
        let mut second = RawBot::join(&server, &seated.tickets[1]).await;
        let mut asked = second.answer_until(first.next_request()).await;
        for _ in 0..2 {
            first.answer(&asked, Choice::Index(0)).await;
            asked = second.answer_until(first.next_request()).await;
        }
        let info = server.info(&seated.match_id).await;
        server.crash().await;

        let server = TestServer::over(&store, Limits::default()).await;
        let again = server.info(&seated.match_id).await;
        assert_eq!(again.decisions, info.decisions);
        assert_eq!(again.seed_commitment, info.seed_commitment);
        let back = first.hello_after(first.last_sequence - 1);
        let mut peek = RawBot::join_with(&server, &seated.tickets[0], back).await;
        let again = peek.next_request().await;
        assert!(peek.resumed);
        assert_ne!(
            peek.history_id, first.history_id,
            "every server has its own"
        );
        assert_eq!(peek.last_sequence, first.last_sequence);
        assert_eq!(again, asked, "the clock too");
        let (first, second) = tokio::join!(
            RawBot::resume(&server, &seated.tickets[0], peek.resume_point()),
            RawBot::resume(&server, &seated.tickets[1], second.resume_point()),
        );
        assert_eq!(first.result, second.result);
        for seat in &first.result.unwrap().seats {
            assert_eq!(seat.fault_count, 0, "{game}: {:?}", seat.faults);
        }
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok(), "{game}");
    }
}

#[tokio::test]
async fn a_match_that_waits_for_bots_still_waits_after_a_restart() {
    let store = store();
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let early = RawBot::join(&server, &seated.tickets[0]).await;
    server.crash().await;
    drop(early);

    let server = TestServer::over(&store, Limits::default()).await;
    let info = server.info(&seated.match_id).await;
    assert_eq!(info.state(), MatchState::Waiting);
    let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
    for bot in bots {
        let result = bot.await.unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn results_and_replays_survive_and_nothing_is_counted_twice() {
    let store = store();
    // One match is in memory, the others only in the store.
    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let mut server = TestServer::over(&store, limits.clone()).await;
    let mut ended = Vec::new();
    for game in &GAMES[..3] {
        let seated = server.create(config(game, 2)).await;
        let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
        for bot in bots {
            bot.await.unwrap().unwrap();
        }
        let info = server.info(&seated.match_id).await;
        let replay = server.replay(&seated.match_id).await.unwrap();
        ended.insert(0, (info, replay));
    }
    let open = server.create(config(GAMES[0], 2)).await;
    for restart in [false, true] {
        if restart {
            server.crash().await;
            server = TestServer::over(&store, limits.clone()).await;
        }
        for (info, replay) in &ended {
            assert_eq!(server.info(&info.match_id).await, *info);
            assert_eq!(server.replay(&info.match_id).await.unwrap(), *replay);
            let result = server.result(&info.match_id).await;
            assert_eq!(Some(result), info.result);
        }
        let ids: Vec<String> = ended
            .iter()
            .map(|(info, _)| info.match_id.clone())
            .collect();
        assert_eq!(listed(&server, MatchState::Ended).await, ids);
        let mut all = listed(&server, MatchState::Unspecified).await;
        all.retain(|id| *id != open.match_id);
        assert_eq!(all, ids);
        // The store indexes them by the names of their bots.
        let bot = KeyName::new(&ended[0].0.seats[1].bot_name).unwrap();
        let of_bot = store.finished(None, 9, Some(&bot)).await.unwrap();
        let of_bot = of_bot.matches.iter().map(|found| found.match_id.as_str());
        assert!(of_bot.eq(ids.iter().map(String::as_str)));
        let counts = store.match_counts().await.unwrap();
        let (open, finished) = (1, 3);
        assert_eq!(counts, MatchCounts { open, finished });
    }
}

#[tokio::test]
async fn a_bot_absent_at_the_end_gets_the_result_after_a_restart() {
    let store = store();
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[1]);
    let mut bot = RawBot::join(&server, &seated.tickets[0]).await;
    let ended = loop {
        match bot.next().await.unwrap().unwrap() {
            Message::DecisionRequest(request) => bot.answer(&request, Choice::Index(0)).await,
            Message::MatchEnded(ended) => break ended,
            _ => {}
        }
    };
    good.await.unwrap().unwrap();
    server.crash().await;

    let server = TestServer::over(&store, Limits::default()).await;
    let last = bot.last_sequence;
    let mut of_another_history = bot.hello_after(last - 1);
    of_another_history.history_id = Some("00112233445566778899aabbccddeeff".to_owned());
    for (back, resumed) in [
        (bot.hello_after(last - 1), true),
        (bot.hello_after(1), false),
        (bot.hello_after(last + 1), false),
        (of_another_history, false),
        (hello(), false),
    ] {
        let mut again = RawBot::join_with(&server, &seated.tickets[0], back).await;
        assert_eq!(again.resumed, resumed);
        assert_eq!(again.history_id, bot.history_id, "nothing happened since");
        if !resumed {
            assert_eq!(again.started().await.match_id, seated.match_id);
        }
        let message = again.next().await.unwrap();
        assert_eq!(message, Some(Message::MatchEnded(ended.clone())));
        assert_eq!(again.last_sequence, bot.last_sequence);
        assert!(matches!(again.next().await, Ok(None)), "it ends well");
    }
}

//! Streams that are lost, replaced or reset, or end with a restart of the server: the seat stays,
//! and its bot may reconnect.

use bridgemaster_proto::v1::{
    Hello, MatchConfig, MatchState, SeatClock, SeatState, TimeControl, play_request,
    play_response::Message,
};
use bridgemaster_replay::verify;
use bridgemaster_sdk::seat_clock;
use bridgemaster_store::KeyName;

use crate::{
    caller::in_state,
    raw_bot::{RawBot, bearer, hello, hello_message, request, resume_all},
    raw_call::{NarrowClient, PLAY, framed_message},
    streams::{reason, until},
    test_server::{GAMES, TestServer, assert_faultless, config, keeping_one, memory, of_two},
};

const UNKNOWN_HISTORY: &str = "00112233445566778899aabbccddeeff";

#[tokio::test]
async fn a_second_connection_with_the_same_ticket_takes_over_the_seat() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut older = server.join(&seated.tickets[1]).await;
        let asked = older.next_request().await;

        let mut newer = server.join(&seated.tickets[1]).await;
        assert_eq!(newer.started().await.seat, 1);
        let again = newer.next_request().await;
        assert_eq!(again.request_id, asked.request_id);
        assert_eq!(again.game, asked.game);
        assert_eq!(reason(&older.end().await.unwrap()), "SUPERSEDED");

        newer.answer_first(&again).await;
        assert_faultless(&newer.play_on().await.result.unwrap());
        good.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_reconnecting_bot_resumes_or_starts_over_without_a_fault() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut bot = server.join(&seated.tickets[1]).await;
    assert!(!bot.resumed, "the bot had received nothing");
    bot.started().await;
    let before = bot.last_sequence;
    let asked = bot.next_request().await;
    let last = bot.last_sequence;
    let with_history = |history_id: Option<&str>| Hello {
        last_sequence: Some(last),
        history_id: history_id.map(str::to_owned),
        ..hello()
    };
    let without_number = Hello { last_sequence: None, ..bot.hello_after(0) };
    for (hello, resumed) in [
        (bot.hello_after(before), true),
        (bot.hello_after(last), true),
        (bot.hello_after(last + 1), false),
        (bot.hello_after(u32::MAX), false),
        (with_history(None), false),
        (with_history(Some(UNKNOWN_HISTORY)), false),
        (with_history(Some("no history at all")), false),
        (without_number, false),
    ] {
        let said = format!("{hello:?}");
        let has_request = hello.last_sequence == Some(last) && resumed;
        let mut back = RawBot::join_with(&server, &seated.tickets[1], hello).await;
        let joined = (back.resumed, &back.history_id);
        assert_eq!(joined, (resumed, &bot.history_id), "{said}");
        if !resumed {
            let Some(Message::MatchStarted(_)) = back.next().await.unwrap() else {
                panic!("a bot that starts over gets the start first: {said}")
            };
        }
        if !has_request {
            let again = back.next_request().await;
            let content = (again.request_id, &again.game);
            assert_eq!(content, (asked.request_id, &asked.game), "{said}");
            assert_eq!(back.last_sequence, last);
            let (left, left_before) = (again.clock.unwrap(), asked.clock.unwrap());
            assert!(left.decision_left_ms <= left_before.decision_left_ms);
        }
    }
    let back = RawBot::join_with(&server, &seated.tickets[1], bot.hello_after(last)).await;
    back.answer_first(&asked).await;
    assert_faultless(&back.play_on().await.result.unwrap());
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_hello_that_arrives_after_a_later_one_leaves_the_newer_stream_alone() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let good = server.good_bot(&seated.tickets[0]);
    let ticket = &seated.tickets[1];
    let numbered = |client: &str, stream_number| Hello {
        client_instance_id: client.to_owned(),
        stream_number,
        ..hello()
    };
    let newest = RawBot::join_with(&server, ticket, numbered("bot", 2)).await;
    for (hello, refusal) in
        [(numbered("bot", 1), "SUPERSEDED"), (numbered(&"x".repeat(65), 3), "INVALID_FIELD")]
    {
        let refused = RawBot::refused(&server, ticket, play_request::Message::Hello(hello)).await;
        assert_eq!(reason(&refused), refusal);
    }
    assert_faultless(&newest.play_on().await.result.unwrap());
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_late_request_does_not_end_a_newer_stream_whose_hello_is_on_its_way() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    // On a busy machine, an attempt can take longer than the server waits for the Hello.
    until("the newer stream joins", async || {
        let newest = RawBot::open_silently(&server, &seated.tickets[1]).await;
        let _late = RawBot::open_silently(&server, &seated.tickets[1]).await;
        newest.send(hello_message()).await;
        newest.welcomed().await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_reset_stream_is_lost_whatever_its_error_code() {
    let server = TestServer::open().await;
    for code in [
        h2::Reason::NO_ERROR,
        h2::Reason::PROTOCOL_ERROR,
        h2::Reason::INTERNAL_ERROR,
        h2::Reason::CANCEL,
    ] {
        let seated = server.create(of_two()).await;
        let mut client = NarrowClient::connect(&server, 65_535).await;
        let headers = [("authorization", &*bearer(&seated.tickets[1]))];
        let hello = framed_message(&request(hello_message()));
        let (mut body, _response) = client.start(PLAY, &headers, hello).await;
        let is_in = async |state| server.info(&seated.match_id).await.seats[1].state() == state;
        until("it joins", async || is_in(SeatState::Connected).await).await;
        body.send_reset(code);
        until("it leaves", async || is_in(SeatState::Paused).await).await;
        assert_faultless(&server.play(&seated).await);
    }
}

#[tokio::test]
async fn a_bot_that_replays_the_whole_history_is_not_a_slow_reader() {
    const KEPT: u32 = bridgemaster_referee::MAX_RETAINED_MESSAGES as u32;
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let mut bot = server.join(&seated.tickets[1]).await;
    let mut other = server.join(&seated.tickets[0]).await;
    // The other seat is joined and left, each of which sends the bot a message.
    for _ in 0..=KEPT / 2 {
        drop(other);
        let status = bot.next_seat_status().await.seat.unwrap();
        assert_eq!(status.state(), SeatState::Paused);
        other = server.join(&seated.tickets[0]).await;
        bot.next_seat_status().await;
    }
    let last = bot.last_sequence;
    let hello = bot.hello_after(last - KEPT);
    let is_paused = async |seat: usize| {
        let seats = server.info(&seated.match_id).await.seats;
        seats[seat].state() == SeatState::Paused
    };
    drop(bot);
    until("it leaves", async || is_paused(1).await).await;
    drop(other);
    until("the other bot leaves", async || is_paused(0).await).await;

    let mut back = RawBot::join_with(&server, &seated.tickets[1], hello).await;
    for sequence in last - KEPT + 1..=last + 1 {
        back.next().await.unwrap().unwrap();
        assert_eq!(back.last_sequence, sequence);
    }
}

/// Returns other time controls of a seat.
fn odds(seat: u32, bank_ms: u32) -> SeatClock {
    SeatClock { seat, time_control: Some(TimeControl::fischer(bank_ms, 0, 30_000)) }
}

#[tokio::test]
async fn bots_resume_after_a_restart_with_their_numbers_their_request_and_their_clocks() {
    for game in GAMES {
        let mut server = TestServer::stored().await;
        let seated = server
            .create(MatchConfig { seat_clocks: vec![odds(0, 70_000)], ..config(game, 2) })
            .await;
        let [mut first, mut second] = server.join_all(&seated).await;
        for bot in [&mut first, &mut second] {
            let config = bot.started().await.config.unwrap();
            assert_eq!(config.seat_clocks, [odds(0, 70_000)], "{game}");
            assert_eq!(seat_clock(&config, 0).time_control, odds(0, 70_000).time_control);
        }
        let mut asked = second.answer_until(first.next_request()).await;
        assert_eq!(asked.clock.unwrap().bank_left_ms, 70_000, "{game}");
        for _ in 0..2 {
            first.answer_first(&asked).await;
            asked = second.answer_until(first.next_request()).await;
        }
        let info = server.info(&seated.match_id).await;
        let shown = info.config.as_ref().unwrap();
        assert_eq!(shown.seat_clocks, [odds(0, 70_000)]);
        let of_match = config(game, 2).clock.unwrap().time_control;
        assert_eq!(shown.clock.unwrap().time_control, of_match);

        server.restart().await;
        let again = server.info(&seated.match_id).await;
        assert_eq!(again.decisions, info.decisions);
        assert_eq!(again.seed_commitment, info.seed_commitment);
        let back = first.hello_after(first.last_sequence - 1);
        let mut peek = RawBot::join_with(&server, &seated.tickets[0], back).await;
        let again = peek.next_request().await;
        assert!(peek.resumed);
        assert_ne!(peek.history_id, first.history_id, "each server has its own history");
        assert_eq!(peek.last_sequence, first.last_sequence);
        assert_eq!(again, asked, "the clock is the same too");
        let known = [peek.resume_point(), second.resume_point()];
        let result = resume_all(&server, &seated.tickets, known).await;
        assert_faultless(&result);
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok(), "{game}");
        // With the time control of the match, the remaining time would be inconsistent.
        let mut forged = replay;
        forged.config.as_mut().unwrap().seat_clocks.clear();
        assert!(verify(&forged).is_err(), "{game}");
    }
}

#[tokio::test]
async fn a_match_that_waits_for_bots_still_waits_after_a_restart() {
    let mut server = TestServer::stored().await;
    let seated = server.create(of_two()).await;
    let early = server.join(&seated.tickets[0]).await;
    server.restart().await;
    drop(early);
    let info = server.info(&seated.match_id).await;
    assert_eq!(info.state(), MatchState::Waiting);
    assert_faultless(&server.play(&seated).await);
}

#[tokio::test]
async fn results_and_replays_survive_and_nothing_is_counted_twice() {
    // One match is in memory, the others only in the store.
    let mut server = TestServer::over(&memory(), keeping_one()).await;
    let mut ended = Vec::new();
    for game in &GAMES[..3] {
        let seated = server.played(config(game, 2)).await;
        let info = server.info(&seated.match_id).await;
        let replay = server.replay(&seated.match_id).await.unwrap();
        ended.insert(0, (info, replay));
    }
    let open = server.create(of_two()).await;
    let ids: Vec<&str> = ended.iter().map(|(info, _)| &*info.match_id).collect();
    for is_restarted in [false, true] {
        if is_restarted {
            server.restart().await;
        }
        for (info, replay) in &ended {
            assert_eq!(server.info(&info.match_id).await, *info);
            assert_eq!(server.replay(&info.match_id).await.unwrap(), *replay);
            let result = server.result(&info.match_id).await;
            assert_eq!(Some(result), info.result);
        }
        let listed = server.list_by(in_state(MatchState::Ended)).await;
        assert_eq!(listed.unwrap(), ids);
        let mut all = server.list().await.unwrap();
        all.retain(|id| *id != open.match_id);
        assert_eq!(all, ids);
        // The store indexes the matches by the names of their bots.
        let bot = KeyName::new(&ended[0].0.seats[1].bot_name).unwrap();
        let of_bot = server.store().list(None, 9, &[(&bot).into()]).await.unwrap();
        let of_bot = of_bot.matches.iter().map(|found| found.match_id.as_str());
        assert!(of_bot.eq(ids.iter().copied()));
        assert_eq!(server.store().open_match_ids().await.unwrap().len(), 1);
        assert_eq!(server.store().finished(None, 9).await.unwrap().matches.len(), 3);
    }
}

#[tokio::test]
async fn a_bot_absent_at_the_end_gets_the_result_after_a_restart() {
    let mut server = TestServer::stored().await;
    let seated = server.create(of_two()).await;
    let good = server.good_bot(&seated.tickets[1]);
    let mut bot = server.join(&seated.tickets[0]).await;
    let ended = bot.play_to_end().await;
    good.await.unwrap().unwrap();

    server.restart().await;
    let last = bot.last_sequence;
    let of_another_history =
        Hello { history_id: Some(UNKNOWN_HISTORY.to_owned()), ..bot.hello_after(last - 1) };
    for (back, resumed) in [
        (bot.hello_after(last - 1), true),
        (bot.hello_after(1), false),
        (bot.hello_after(last + 1), false),
        (of_another_history, false),
        (hello(), false),
    ] {
        let mut again = RawBot::join_with(&server, &seated.tickets[0], back).await;
        assert_eq!(again.resumed, resumed);
        assert_eq!(again.history_id, bot.history_id, "nothing has happened since");
        if !resumed {
            assert_eq!(again.started().await.match_id, seated.match_id);
        }
        let message = again.next().await.unwrap();
        assert_eq!(message, Some(Message::MatchEnded(ended.clone())));
        assert_eq!(again.last_sequence, last);
        assert!(matches!(again.next().await, Ok(None)), "the stream ends without an error");
    }
}

//! The SDK against a server whose every message is in the test's hand.

#![allow(clippy::unwrap_used, missing_docs)]

mod scripted_server;

use std::{
    collections::HashMap,
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use bridgemaster_sdk::{Advice, Bot, Choice, Options, PlayError, Request, play, v1};
use scripted_server::{
    HISTORY_ID, SEAT, ScriptedServer, decision_rejected, decision_request, match_ended,
    match_result, match_started, seat_status, soon,
};
use tokio::{
    net::{TcpListener, TcpSocket},
    task::JoinHandle,
};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};
use v1::{play_request, play_response};

/// What a bot was told, in order.
#[derive(Debug, PartialEq)]
enum Heard {
    Started(u32),
    Asked(u32),
    Rejected(u32, String),
    Strikes(u32),
    Ended(u32),
}

/// Tells what it hears, and answers with what the test hands it.
struct Puppet {
    heard: Sender<Heard>,
    choices: Receiver<Choice>,
}

/// The test's ends of a [`Puppet`].
struct Strings {
    heard: Receiver<Heard>,
    choices: Sender<Choice>,
}

impl Strings {
    /// Everything that was heard since the last call.
    fn heard(&self) -> Vec<Heard> {
        self.heard.try_iter().collect()
    }

    fn choose(&self, index: usize) {
        self.choices.send(Choice::Index(index)).unwrap();
    }
}

fn puppet() -> (Puppet, Strings) {
    let (heard, heard_by_test) = channel();
    let (choices, choices_of_test) = channel();
    (
        Puppet {
            heard,
            choices: choices_of_test,
        },
        Strings {
            heard: heard_by_test,
            choices,
        },
    )
}

impl Bot for Puppet {
    fn decide(&mut self, request: &Request) -> Choice {
        self.heard.send(Heard::Asked(request.request_id)).unwrap();
        self.choices.recv().unwrap()
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.heard.send(Heard::Started(started.seat)).unwrap();
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        self.heard
            .send(Heard::Rejected(rejected.request_id, rejected.field.clone()))
            .unwrap();
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        self.heard
            .send(Heard::Strikes(status.seat.as_ref().unwrap().strikes))
            .unwrap();
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        self.heard.send(Heard::Ended(result.decisions)).unwrap();
    }
}

fn options(url: &str) -> Options {
    Options {
        bot_version: "1.0".to_owned(),
        games: vec!["old_london_bridge".to_owned()],
        ..Options::new(url, "ticket-7".parse().unwrap(), "puppet")
    }
}

type Playing = JoinHandle<Result<v1::MatchResult, PlayError>>;

fn start(server: &ScriptedServer) -> (Playing, Strings) {
    let (bot, strings) = puppet();
    (tokio::spawn(play(bot, options(&server.url))), strings)
}

async fn played(playing: Playing) -> Result<v1::MatchResult, PlayError> {
    soon("the end of play", playing).await.unwrap()
}

#[tokio::test]
async fn a_whole_match_reaches_the_bot_and_its_answers_the_server() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.authorization.as_deref(), Some("Bearer ticket-7"));
    assert_eq!(
        hello,
        v1::Hello {
            protocol_revision: 1,
            bot_name: "puppet".to_owned(),
            bot_version: "1.0".to_owned(),
            games: vec!["old_london_bridge".to_owned()],
            last_sequence: None,
            history_id: None,
        }
    );
    stream.send(1, match_started()).await;
    for (sequence, request_id, index) in [(2, 1, 2), (3, 2, 0)] {
        stream.send(sequence, decision_request(request_id)).await;
        strings.choose(index as usize);
        assert_eq!(stream.decision().await, (request_id, index));
    }
    stream.send(4, seat_status(1)).await;
    stream.send(5, match_ended()).await;
    assert!(stream.is_ended_by_bot().await);
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Strikes(1),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_choice_carries_its_note() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    let noted = Choice::Index(2).with_note("the park is nearly full");
    strings.choices.send(noted).unwrap();
    let expected = v1::Decision {
        request_id: 1,
        choice: Some(v1::decision::Choice::Index(2)),
        note: "the park is nearly full".to_owned(),
    };
    assert_eq!(
        stream.next().await,
        v1::play_request::Message::Decision(expected)
    );
    stream.send(3, decision_request(2)).await;
    let resigned = Choice::Resign.with_note("nothing is left");
    strings.choices.send(resigned).unwrap();
    let expected = v1::play_request::Message::Resign(v1::Resign {});
    assert_eq!(stream.next().await, expected);
    stream.send(4, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_lost_stream_is_resumed_and_the_open_request_answered_on_the_new_one() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    assert_eq!(
        soon_heard(&strings, 2).await,
        [Heard::Started(SEAT), Heard::Asked(1)]
    );
    stream.fail(Status::unavailable("gone")).await;

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(HISTORY_ID));
    stream.send(2, decision_request(1)).await;
    strings.choose(1);
    assert_eq!(stream.decision().await, (1, 1));
    stream.send(3, match_ended()).await;
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
    assert_eq!(strings.heard(), [Heard::Ended(7)]);
}

#[tokio::test]
async fn an_answer_that_a_lost_stream_may_have_swallowed_is_sent_again_once() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    strings.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    drop(stream);

    let (_, mut stream) = server.next_welcomed().await;
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(2, decision_request(1)).await;
    stream.send(3, decision_request(2)).await;
    strings.choose(0);
    assert_eq!(stream.decision().await, (2, 0));
    stream.send(4, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_bot_that_is_not_resumed_begins_anew_without_its_unsent_answer() {
    const ANOTHER: &str = "ffffffffffffffffffffffffffffffff";
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    for number in [1, 2] {
        stream.send(1 + number, decision_request(number)).await;
        strings.choose(number as usize);
        assert_eq!(stream.decision().await, (number, number));
    }
    drop(stream);

    // For this server the first request is still open, and nobody has answered it.
    let (_, mut stream) = server.next_not_resumed(ANOTHER).await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    strings.choose(0);
    assert_eq!(stream.decision().await, (1, 0));
    drop(stream);

    let (hello, mut stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(2));
    assert_eq!(hello.history_id.as_deref(), Some(ANOTHER));
    assert_eq!(stream.decision().await, (1, 0), "the new one, again");
    stream.send(3, match_ended()).await;
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Started(SEAT),
            Heard::Asked(1),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn what_a_bot_thought_about_before_it_began_anew_answers_nothing() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    assert_eq!(soon_heard(&strings, 2).await.last(), Some(&Heard::Asked(1)));
    drop(stream);

    let (_, mut stream) = server.next_not_resumed("another").await;
    stream.send(1, match_started()).await;
    // Of the same number, and another all the same.
    stream.send(2, decision_request(1)).await;
    stream
        .send(0, play_response::Message::Ping(v1::Ping { nonce: 9 }))
        .await;
    assert_eq!(
        stream.next().await,
        play_request::Message::Pong(v1::Pong { nonce: 9 })
    );
    strings.choose(1);
    strings.choose(2);
    assert_eq!(stream.decision().await, (1, 2));
    stream.send(3, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_message_that_comes_twice_counts_once() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(1, match_started()).await;
    stream.send(2, seat_status(1)).await;
    stream.send(2, seat_status(1)).await;
    stream.send(3, decision_request(1)).await;
    strings.choose(1);
    assert_eq!(stream.decision().await, (1, 1));
    stream.send(3, decision_request(1)).await;
    stream.send(4, decision_request(2)).await;
    strings.choose(2);
    assert_eq!(stream.decision().await, (2, 2));
    stream.send(5, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
    assert_eq!(
        strings.heard(),
        [
            Heard::Started(SEAT),
            Heard::Strikes(1),
            Heard::Asked(1),
            Heard::Asked(2),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_ping_is_answered_while_the_bot_thinks() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    assert_eq!(soon_heard(&strings, 2).await.last(), Some(&Heard::Asked(1)));
    stream
        .send(0, play_response::Message::Ping(v1::Ping { nonce: 99 }))
        .await;
    assert_eq!(
        stream.next().await,
        play_request::Message::Pong(v1::Pong { nonce: 99 })
    );
    strings.choose(0);
    assert_eq!(stream.decision().await, (1, 0));
    stream.send(3, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_refusal_is_surfaced_with_its_reason_and_not_tried_again() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let mut stream = server.next_stream().await;
    stream.hello().await;
    stream
        .fail(refusal(
            Code::Unauthenticated,
            "TICKET_UNKNOWN",
            "no such ticket",
        ))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(error.advice(), Advice::Fix);
    let PlayError::Refused(refusal) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refusal.reason, "TICKET_UNKNOWN");
    assert_eq!(refusal.message, "no such ticket");
}

#[tokio::test]
async fn a_refusal_that_asks_for_another_try_gets_one() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream
        .fail(refusal(
            Code::ResourceExhausted,
            "SLOW_CONSUMER",
            "the queue is full",
        ))
        .await;
    let (hello, stream) = server.next_welcomed().await;
    assert_eq!(hello.last_sequence, Some(1));
    stream.send(2, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_refused_decision_is_told_to_the_bot_and_asked_for_again() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    strings.choose(9);
    assert_eq!(stream.decision().await, (1, 9));
    stream.send(3, decision_rejected(1)).await;
    strings.choose(1);
    assert_eq!(stream.decision().await, (1, 1));
    stream.send(4, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
    assert_eq!(
        strings.heard()[1..],
        [
            Heard::Asked(1),
            Heard::Rejected(1, "index".to_owned()),
            Heard::Asked(1),
            Heard::Ended(7)
        ]
    );
}

#[tokio::test]
async fn a_bot_that_is_always_refused_ends_with_the_last_refusal() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    for sequence in 3..=5 {
        strings.choose(9);
        assert_eq!(stream.decision().await, (1, 9));
        stream.send(sequence, decision_rejected(1)).await;
    }
    let error = played(playing).await.unwrap_err();
    let PlayError::NoLegalDecision {
        request_id: 1,
        times: 3,
        last,
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(last.detail, "valid: 0 to 2");
}

#[tokio::test]
async fn a_bot_can_resign() {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, mut stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    strings.choices.send(Choice::Resign).unwrap();
    let resign = v1::Resign {};
    assert_eq!(stream.next().await, play_request::Message::Resign(resign));
    stream.send(3, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_bot_that_panics_ends_play_with_its_message() {
    struct Faulty;
    impl Bot for Faulty {
        fn decide(&mut self, request: &Request) -> Choice {
            panic!("no idea about request {}", request.request_id)
        }
    }
    let mut server = ScriptedServer::start().await;
    let playing = tokio::spawn(play(Faulty, options(&server.url)));
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    let error = played(playing).await.unwrap_err();
    let PlayError::BotPanicked(message) = error else {
        panic!("{error:?}")
    };
    assert_eq!(message, "no idea about request 1");
}

/// Seed and salt, and their commitment as Python's hashlib gives it.
const SEED: &str = "london-1209";
const SALT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const COMMITMENT: &str = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";

fn committed() -> play_response::Message {
    let play_response::Message::MatchStarted(started) = match_started() else {
        panic!("a MatchStarted is made")
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
async fn a_seed_that_is_the_one_committed_to_ends_play_well() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, committed()).await;
    stream.send(2, revealing(SEED, SALT)).await;
    drop(stream);
    assert_eq!(played(playing).await.unwrap(), match_result());
}

#[tokio::test]
async fn a_seed_or_salt_that_was_not_committed_to_is_an_error_with_the_result() {
    let other_salt = SALT.replace("00", "01");
    for (seed, salt) in [("london-1210", SALT), (SEED, &other_salt), ("", "")] {
        let mut server = ScriptedServer::start().await;
        let (playing, _strings) = start(&server);
        let (_, stream) = server.next_welcomed().await;
        stream.send(1, committed()).await;
        stream.send(2, revealing(seed, salt)).await;
        drop(stream);
        let error = played(playing).await.unwrap_err();
        assert_eq!(error.advice(), Advice::Stop);
        let PlayError::BrokenSeedCommitment {
            commitment, result, ..
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!((commitment.as_str(), *result), (COMMITMENT, match_result()));
    }
}

#[tokio::test]
async fn a_seed_that_is_told_with_the_group_may_come_later_and_must_be_the_one_committed_to() {
    let of_group = || {
        let play_response::Message::MatchStarted(started) = committed() else {
            panic!("a MatchStarted is made")
        };
        let group = v1::MatchGroup {
            seed_reveal: v1::SeedReveal::WithGroup.into(),
            ..v1::MatchGroup::default()
        };
        let config = v1::MatchConfig {
            group: Some(group),
            ..v1::MatchConfig::default()
        };
        play_response::Message::MatchStarted(v1::MatchStarted {
            config: Some(Box::new(config)),
            ..started
        })
    };
    for (seed, salt, is_right) in [
        ("", "", true),
        (SEED, SALT, true),
        ("london-1210", SALT, false),
        (SEED, "", false),
    ] {
        let mut server = ScriptedServer::start().await;
        let (playing, _strings) = start(&server);
        let (_, stream) = server.next_welcomed().await;
        stream.send(1, of_group()).await;
        stream.send(2, revealing(seed, salt)).await;
        drop(stream);
        assert_eq!(played(playing).await.is_ok(), is_right, "{seed:?} {salt:?}");
    }
}

#[tokio::test]
async fn a_commitment_that_changes_breaks_the_protocol() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, committed()).await;
    stream.send(2, match_started()).await;
    let error = played(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn a_bot_waits_for_a_server_that_starts_after_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (bot, _strings) = puppet();
    let playing = tokio::spawn(play(bot, options(&url)));
    let (first_attempt, _) = soon("a first attempt", listener.accept()).await.unwrap();
    drop(first_attempt);
    let mut server = ScriptedServer::start_on(listener);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_ended()).await;
    drop(stream);
    played(playing).await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable_after_the_time_for_connecting() {
    // Bound, so that nobody else gets the port, and not listening.
    let unheard = TcpSocket::new_v4().unwrap();
    unheard.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", unheard.local_addr().unwrap());
    let (bot, _strings) = puppet();
    let options = Options {
        connect_for: Duration::from_millis(50),
        ..options(&url)
    };
    let error = played(tokio::spawn(play(bot, options))).await.unwrap_err();
    assert!(matches!(error, PlayError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.advice(), Advice::Retry);
}

#[tokio::test]
async fn a_server_that_does_not_come_back_is_lost_after_the_time_for_resuming() {
    let mut server = ScriptedServer::start().await;
    let (bot, _strings) = puppet();
    let options = Options {
        reconnect_for: Duration::from_millis(50),
        ..options(&server.url)
    };
    let playing = tokio::spawn(play(bot, options));
    let (_, stream) = server.next_welcomed().await;
    server.stop();
    drop(stream);
    let error = played(playing).await.unwrap_err();
    assert!(matches!(error, PlayError::Lost { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_is_revoked_during_the_match_ends_play_with_that_reason() {
    let mut server = ScriptedServer::start().await;
    let (playing, _strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream
        .fail(refusal(Code::Unauthenticated, "KEY_REVOKED", "revoked"))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("KEY_REVOKED", Advice::Fix));
}

#[tokio::test]
async fn a_server_that_stops_and_does_not_come_back_is_told_by_its_reason() {
    let mut server = ScriptedServer::start().await;
    let (bot, _strings) = puppet();
    let options = Options {
        reconnect_for: Duration::ZERO,
        ..options(&server.url)
    };
    let playing = tokio::spawn(play(bot, options));
    let (_, stream) = server.next_welcomed().await;
    stream
        .fail(refusal(Code::Unavailable, "SERVER_STOPPING", "until later"))
        .await;
    let error = played(playing).await.unwrap_err();
    assert_eq!(reason(&error), ("SERVER_STOPPING", Advice::Retry));
}

/// The reason of the server, and what to do.
fn reason(error: &PlayError) -> (&str, Advice) {
    let PlayError::Refused(refusal) = error else {
        panic!("{error:?}")
    };
    (&refusal.reason, error.advice())
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_before_dialling() {
    let (bot, _strings) = puppet();
    let error = play(bot, options("not an address")).await.unwrap_err();
    assert!(matches!(error, PlayError::Options(_)), "{error:?}");
}

fn refusal(code: Code, reason: &str, message: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, "bridgemaster", HashMap::new());
    Status::with_error_details(code, message, details)
}

/// The next `count` things that the bot heard.
async fn soon_heard(strings: &Strings, count: usize) -> Vec<Heard> {
    let mut heard = Vec::new();
    soon("what the bot heard", async {
        while heard.len() < count {
            heard.extend(strings.heard.try_recv());
            tokio::task::yield_now().await;
        }
    })
    .await;
    heard
}

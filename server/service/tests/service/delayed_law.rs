//! Until the spectators' delay has passed, every call must answer as if the later part of the match
//! did not exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

use bridgemaster_proto::v1::{
    AttendRequest, AttendResponse, CreateMatchRequest, CreateQueueRequest, GetMatchRequest,
    ListMatchesRequest, MatchConfig, MatchFilter, MatchFork, MatchInfo, MatchState, Queue,
    SeatReservation, SeatTicket, WatchMatchesRequest, WatchPositionsRequest,
    attend_response::Message, match_fork::Source,
};
use tonic::{Status, Streaming};

use crate::{
    caller::{Caller, creating, in_state, positions_of},
    raw_bot::RawBot,
    streams::{find, next, outcome, reason},
    test_server::{GAMES, Seated, TestServer, of_two, with_delay},
};

pub(crate) const AN_HOUR_MS: u32 = 3_600_000;
/// The stages of a match, none of which is visible yet.
const STAGES: [&str; 4] = ["nothing", "the start", "a cancellation", "the end"];

/// A match of which spectators see only the creation.
struct Staged {
    request: CreateMatchRequest,
    info: MatchInfo,
    tickets: Vec<SeatTicket>,
    _bots: Vec<RawBot>,
}

/// Returns the request that forks a match.
pub(crate) fn forking(match_id: &str) -> CreateMatchRequest {
    CreateMatchRequest {
        fork: Some(MatchFork {
            source: Some(Source::MatchId(match_id.to_owned())),
            decisions: 1,
            ..MatchFork::default()
        }),
        ..creating(MatchConfig { seed: None, ..of_two() })
    }
}

/// Creates a match in which the stage of this name has happened.
async fn staged(server: &TestServer, stage: &str) -> Staged {
    let request = CreateMatchRequest {
        idempotency_key: "a key of more than sixteen bytes".to_owned(),
        ..creating(with_delay(GAMES[0], AN_HOUR_MS))
    };
    let created = server.create_by(request.clone()).await.unwrap();
    let seated = Seated::from(created.clone());
    let (info, tickets) = (created.r#match.unwrap(), created.tickets);
    let mut bots = Vec::new();
    match stage {
        "nothing" => {}
        "the end" => drop(server.play(&seated).await),
        _ => {
            bots.extend(server.join_all(&seated).await);
            bots[0].started().await;
        }
    }
    if stage == "a cancellation" {
        server.cancel(&info.match_id, "hidden").await.unwrap();
    }
    Staged { request, info, tickets, _bots: bots }
}

fn answer<T: Debug>(result: Result<T, Status>) -> String {
    match result {
        Ok(response) => format!("{response:?}"),
        Err(refused) => format!("{}: {}", reason(&refused), refused.message()),
    }
}

/// Returns the first message of a stream.
async fn first<T: Debug>(opened: Result<Streaming<T>, Status>) -> String {
    match opened {
        Err(refused) => answer(Err::<T, _>(refused)),
        Ok(mut stream) => format!("{:?}", next(&mut stream).await.unwrap()),
    }
}

/// Returns the answers of all calls that read a match.
async fn reads(server: &Caller, id: &str) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for without_config in [false, true] {
        let get = GetMatchRequest { match_id: id.to_owned(), wait_ms: 20, without_config };
        let got = server.matches().get_match(get).await;
        let name = format!("GetMatch, without config: {without_config}");
        answers.insert(name, answer(got.map(tonic::Response::into_inner)));
    }
    let states =
        [MatchState::Waiting, MatchState::Running, MatchState::Ended, MatchState::Cancelled];
    let by_bot = ["raw", "good"]
        .map(|name| MatchFilter { bot_name: name.to_owned(), ..MatchFilter::default() });
    for filter in states.map(in_state).into_iter().chain(by_bot) {
        let name = format!("ListMatches {filter:?}");
        let list = ListMatchesRequest { filter: Some(filter), ..ListMatchesRequest::default() };
        answers.insert(name, answer(server.page(list).await));
    }
    let mut insert = |name: &str, answer: String| {
        answers.insert(name.to_owned(), answer);
    };
    insert("WatchMatch", first(server.watch(id).await).await);
    let overview = server.overview(WatchMatchesRequest::default()).await;
    insert("WatchMatches", first(overview).await);
    for from_decision in [0, 1, 1_000] {
        let watch = WatchPositionsRequest { from_decision, ..positions_of(id, &[]) };
        let name = format!("WatchPositions from {from_decision}");
        insert(&name, first(server.positions(watch).await).await);
    }
    insert("GetReplay", answer(server.replay(id).await));
    insert("GetReplay as a file", answer(server.replay_file(id).await));
    let forked = server.create_by(forking(id)).await;
    insert("CreateMatch with a fork", answer(forked));
    answers
}

/// Returns the answers of the calls that may change a match, except cancellations.
async fn changes(server: &Caller, staged: &Staged) -> BTreeMap<String, String> {
    let id = &*staged.info.match_id;
    let mut answers = BTreeMap::new();
    let again = server.create_by(staged.request.clone()).await;
    answers.insert("CreateMatch again".to_owned(), answer(again));
    for seats in [&[][..], &[0], &[1, 0], &[2]] {
        let replaced = server.replace_tickets(id, seats).await;
        answers.insert(format!("ReplaceTickets {seats:?}"), answer(replaced));
    }
    let expired = answer(server.expire(id, 0, "").await);
    answers.insert("ExpireSeat".to_owned(), expired);
    let closed = answer(server.close_group(id).await);
    answers.insert("CloseGroup".to_owned(), closed);
    answers
}

/// Replaces the values that always differ between matches: identifiers, random numbers and times.
fn neutral(answers: BTreeMap<String, String>, staged: &Staged) -> BTreeMap<String, String> {
    let info = &staged.info;
    let neutral = |text: String| {
        // A ticket consists of the match identifier, a separator and a secret.
        let before_secret = format!("{}-", info.match_id);
        let mut parts = text.split(&before_secret);
        let mut neutral = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (secret, rest) = part.split_at(32);
            assert!(secret.bytes().all(|byte| byte.is_ascii_hexdigit()));
            neutral.push_str("TICKET");
            neutral.push_str(rest);
        }
        neutral
            .replace(&info.match_id, "ID")
            .replace(&info.seed_commitment, "COMMITMENT")
            .replace(&info.created_unix_ms.to_string(), "CREATED")
    };
    let answers = answers.into_iter();
    answers.map(|(call, text)| (call, neutral(text))).collect()
}

#[tokio::test]
async fn every_call_answers_as_if_the_later_part_did_not_exist_also_after_a_crash() {
    let (mut outcomes, mut cancellations) = (Vec::new(), Vec::new());
    for stage in STAGES {
        let mut server = TestServer::stored().await;
        let staged = staged(&server, stage).await;
        let id = &staged.info.match_id;
        let mut answers = vec![neutral(reads(&server, id).await, &staged)];
        server.restart().await;
        answers.push(neutral(reads(&server, id).await, &staged));
        answers.push(neutral(changes(&server, &staged).await, &staged));
        answers.push(neutral(reads(&server, id).await, &staged));
        outcomes.push((stage, answers));
        if stage != "nothing" {
            let cancelled = [(); 2].map(|()| server.cancel(id, "a look"));
            let mut answers = BTreeMap::new();
            for (number, cancelled) in cancelled.into_iter().enumerate() {
                answers.insert(format!("CancelMatch {number}"), answer(cancelled.await));
            }
            cancellations.push((stage, vec![neutral(answers, &staged)]));
            assert_eq!(server.info(id).await.state(), MatchState::Waiting, "{stage}");
        }
    }
    let (_, nothing) = &outcomes[0];
    assert_eq!(nothing[0], nothing[1], "a crash changes nothing");
    for outcomes in [&outcomes, &cancellations] {
        let (_, first) = &outcomes[0];
        for (stage, answers) in &outcomes[1..] {
            for (answers, expected) in answers.iter().zip(first) {
                for (call, text) in answers {
                    assert_eq!(text, &expected[call], "{call} reveals {stage}");
                }
            }
        }
    }
    let tickets = &nothing[2]["CreateMatch again"];
    assert_eq!(tickets.matches("TICKET").count(), 2, "{tickets}");
}

#[tokio::test]
async fn changes_of_a_match_report_its_end_once_it_is_visible() {
    let server = TestServer::open().await;
    let seated = server.played(with_delay(GAMES[0], 700)).await;
    let id = &*seated.match_id;
    server.result(id).await;
    for seats in [&[][..], &[0]] {
        let replaced = server.replace_tickets(id, seats).await;
        assert_eq!(outcome(replaced), "MATCH_ENDED");
    }
    assert_eq!(outcome(server.expire(id, 0, "").await), "MATCH_ENDED");
    assert_eq!(outcome(server.cancel(id, "").await), "MATCH_ENDED");
}

#[tokio::test]
async fn replaced_tickets_of_a_delayed_match_are_valid_only_for_vacant_seats() {
    let server = TestServer::open().await;
    let staged = staged(&server, "nothing").await;
    let _bot = server.join(&staged.tickets[0].ticket).await;
    let replaced = server.replace_tickets(&staged.info.match_id, &[]).await;
    let replaced = replaced.unwrap();
    let seats: BTreeSet<u32> = replaced.iter().map(|ticket| ticket.seat).collect();
    assert_eq!(seats, BTreeSet::from([0, 1]), "the number reveals nothing");
    server.join(&replaced[1].ticket).await;
    let refused = RawBot::try_join(&server, &replaced[0].ticket).await;
    assert_eq!(outcome(refused), "TICKET_UNKNOWN");
}

#[tokio::test]
async fn a_page_token_does_not_reveal_that_a_bot_has_joined_a_hidden_match() {
    let server = TestServer::open().await;
    let _hidden = staged(&server, "the start").await;
    let seated = server.create(of_two()).await;
    let _bot = server.join(&seated.tickets[0]).await;
    let list = ListMatchesRequest {
        filter: Some(MatchFilter { bot_name: "raw".to_owned(), ..MatchFilter::default() }),
        page_size: 1,
        ..ListMatchesRequest::default()
    };
    let page = server.page(list).await.unwrap();
    let ids: Vec<_> = page.matches.iter().map(|info| &*info.match_id).collect();
    assert_eq!(ids, [&*seated.match_id]);
    assert_eq!(page.next_page_token, "");
}

#[tokio::test]
async fn a_cancellation_before_the_start_is_visible_immediately_and_after_a_restart() {
    let mut server = TestServer::stored().await;
    let staged = staged(&server, "nothing").await;
    let id = &staged.info.match_id;
    let cancelled = server.cancel(id, "nobody comes").await.unwrap();
    assert_eq!(cancelled.state(), MatchState::Cancelled);
    assert_eq!(server.info(id).await, cancelled);
    server.restart().await;
    assert_eq!(server.info(id).await, cancelled);
}

/// Creates a delayed match whose seat 0 is offered to an attending bot. Returns the match with the
/// tickets of both seats, and the attendance stream.
async fn offered(server: &TestServer) -> (Seated, Streaming<AttendResponse>) {
    let mut lobby = server.lobby();
    let queue_id = || "league".to_owned();
    let queue = Queue { queue_id: queue_id(), ..Queue::default() };
    let create = CreateQueueRequest { queue: Some(queue) };
    lobby.create_queue(create).await.unwrap();
    let attend = AttendRequest {
        queue_id: queue_id(),
        bot_name: "ada".to_owned(),
        bot_version: "1".to_owned(),
        slots: 1,
        protocol_revision: 1,
        ..AttendRequest::default()
    };
    let mut attending = lobby.attend(attend).await.unwrap().into_inner();
    let reservation = SeatReservation { seat: 0, key_name: "ada".to_owned(), queue_id: queue_id() };
    let request = CreateMatchRequest {
        seat_reservations: vec![reservation],
        ..creating(with_delay(GAMES[0], AN_HOUR_MS))
    };
    let created = server.create_by(request).await.unwrap();
    assert_eq!(created.tickets[0].seat, 1);
    let mut seated = Seated::from(created);
    let offer = find(&mut attending, |response| match response.message {
        Some(Message::Offer(offer)) => Some(offer),
        _ => None,
    });
    seated.tickets.insert(0, offer.await.ticket);
    (seated, attending)
}

#[tokio::test]
async fn new_tickets_for_an_offered_seat_are_refused_also_after_a_hidden_end_and_a_crash() {
    let mut server = TestServer::stored().await;
    let (seated, _attending) = offered(&server).await;
    let id = &*seated.match_id;
    let in_play = answer(server.replace_tickets(id, &[0]).await);
    assert!(in_play.contains("is offered in a queue"), "{in_play}");
    let [mut first, _second] = server.join_all(&seated).await;
    first.started().await;
    server.cancel(id, "hidden").await.unwrap();
    server.restart().await;
    assert_eq!(answer(server.replace_tickets(id, &[0]).await), in_play);
    let vacant = server.replace_tickets(id, &[]).await.unwrap();
    let seats: Vec<u32> = vacant.iter().map(|ticket| ticket.seat).collect();
    assert_eq!(seats, [1], "an offered seat gets no ticket");
}

//! The law of the spectators' delay: until the delay has passed, every call answers as if the later
//! part of the match did not exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bridgemaster_proto::v1::{
    AttendRequest, AttendResponse, CancelMatchRequest, CreateMatchRequest, CreateQueueRequest,
    ExpireSeatRequest, GetMatchRequest, GetReplayRequest, ListMatchesRequest, MatchConfig,
    MatchFilter, MatchFork, MatchInfo, MatchState, Queue, ReplaceTicketsRequest, SeatReservation,
    SeatTicket, WatchMatchRequest, WatchMatchesRequest, WatchPositionsRequest,
    attend_response::Message, lobby_service_client::LobbyServiceClient,
    match_fork::Source as ForkSource, watch_positions_request::Source,
};
use bridgemaster_server::Limits;
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;
use tonic::{Response, Status, Streaming};

use crate::{
    delayed_spectators::{AN_HOUR_MS, with_delay},
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// What has happened in a match, none of which is visible yet.
const STAGES: [&str; 4] = ["nothing", "the start", "a cancellation", "the end"];

/// A match of which spectators see only its creation.
struct Staged {
    request: CreateMatchRequest,
    info: MatchInfo,
    tickets: Vec<SeatTicket>,
    _bots: Vec<RawBot>,
}

/// Creates a match in which the stage of this name has happened.
async fn staged(server: &TestServer, stage: &str) -> Staged {
    let request = CreateMatchRequest {
        config: Some(with_delay(GAMES[0], AN_HOUR_MS)),
        idempotency_key: "a key of more than sixteen bytes".to_owned(),
        ..CreateMatchRequest::default()
    };
    let created = server.matches().create_match(request.clone()).await;
    let created = created.unwrap().into_inner();
    let (info, tickets) = (created.r#match.unwrap(), created.tickets);
    let mut bots = Vec::new();
    match stage {
        "nothing" => {}
        "the end" => {
            for bot in [0, 1].map(|seat: usize| server.good_bot(&tickets[seat].ticket)) {
                bot.await.unwrap().unwrap();
            }
        }
        _ => {
            for ticket in &tickets {
                bots.push(RawBot::join(server, &ticket.ticket).await);
            }
            bots[0].started().await;
        }
    }
    if stage == "a cancellation" {
        cancel(server, &info.match_id).await;
    }
    Staged {
        request,
        info,
        tickets,
        _bots: bots,
    }
}

/// Cancels a match, and returns the match as the caller sees it.
async fn cancel(server: &TestServer, match_id: &str) -> MatchInfo {
    let cancel = CancelMatchRequest {
        match_id: match_id.to_owned(),
        reason: "hidden".to_owned(),
    };
    let cancelled = server.matches().cancel_match(cancel).await.unwrap();
    cancelled.into_inner().r#match.unwrap()
}

fn answer<T: std::fmt::Debug>(result: Result<Response<T>, Status>) -> String {
    match result {
        Ok(response) => format!("{:?}", response.into_inner()),
        Err(refused) => format!("{}: {}", reason(&refused), refused.message()),
    }
}

/// Returns the first message of a stream.
async fn first<T: std::fmt::Debug>(opened: Result<Response<Streaming<T>>, Status>) -> String {
    match opened {
        Err(refused) => format!("{}: {}", reason(&refused), refused.message()),
        Ok(stream) => {
            let mut stream = stream.into_inner();
            let message = timeout(PATIENCE, stream.message()).await;
            format!("{:?}", message.expect("a message is sent").unwrap())
        }
    }
}

/// Returns the answers of all calls that read a match.
async fn reads(server: &TestServer, staged: &Staged) -> BTreeMap<String, String> {
    let id = || staged.info.match_id.clone();
    let mut answers = BTreeMap::new();
    for without_config in [false, true] {
        let get = GetMatchRequest {
            match_id: id(),
            wait_ms: 20,
            without_config,
        };
        let name = format!("GetMatch, without config: {without_config}");
        answers.insert(name, answer(server.matches().get_match(get).await));
    }
    let states = [
        MatchState::Waiting,
        MatchState::Running,
        MatchState::Ended,
        MatchState::Cancelled,
    ];
    let by_state = states.map(|state| MatchFilter {
        state: state.into(),
        ..MatchFilter::default()
    });
    let by_bot = ["raw", "good"].map(|name| MatchFilter {
        bot_name: name.to_owned(),
        ..MatchFilter::default()
    });
    for filter in by_state.into_iter().chain(by_bot) {
        let name = format!("ListMatches {filter:?}");
        let list = ListMatchesRequest {
            filter: Some(filter),
            ..ListMatchesRequest::default()
        };
        answers.insert(name, answer(server.matches().list_matches(list).await));
    }
    let watch = WatchMatchRequest { match_id: id() };
    let watched = server.matches().watch_match(watch).await;
    answers.insert("WatchMatch".to_owned(), first(watched).await);
    let overview = WatchMatchesRequest::default();
    let watched = server.matches().watch_matches(overview).await;
    answers.insert("WatchMatches".to_owned(), first(watched).await);
    for from_decision in [0, 1, 1_000] {
        let watch = WatchPositionsRequest {
            source: Some(Source::MatchId(id())),
            from_decision,
            ..WatchPositionsRequest::default()
        };
        let watched = server.matches().watch_positions(watch).await;
        let name = format!("WatchPositions from {from_decision}");
        answers.insert(name, first(watched).await);
    }
    for as_file in [false, true] {
        let get = GetReplayRequest {
            match_id: id(),
            as_file,
        };
        let name = format!("GetReplay, as file: {as_file}");
        answers.insert(name, answer(server.matches().get_replay(get).await));
    }
    let fork = CreateMatchRequest {
        config: Some(MatchConfig {
            seed: None,
            ..config(GAMES[0], 2)
        }),
        fork: Some(MatchFork {
            source: Some(ForkSource::MatchId(id())),
            decisions: 1,
            ..MatchFork::default()
        }),
        ..CreateMatchRequest::default()
    };
    let forked = answer(server.matches().create_match(fork).await);
    answers.insert("CreateMatch with a fork".to_owned(), forked);
    answers
}

/// Returns the answers of the calls that may change a match.
async fn changes(server: &TestServer, staged: &Staged) -> BTreeMap<String, String> {
    let id = || staged.info.match_id.clone();
    let mut answers = BTreeMap::new();
    let again = server.matches().create_match(staged.request.clone()).await;
    answers.insert("CreateMatch again".to_owned(), answer(again));
    for seats in [vec![], vec![0], vec![1, 0], vec![2]] {
        let name = format!("ReplaceTickets {seats:?}");
        let replace = ReplaceTicketsRequest {
            match_id: id(),
            seats,
        };
        answers.insert(
            name,
            answer(server.matches().replace_tickets(replace).await),
        );
    }
    let expire = ExpireSeatRequest {
        match_id: id(),
        ..ExpireSeatRequest::default()
    };
    let expired = answer(server.matches().expire_seat(expire).await);
    answers.insert("ExpireSeat".to_owned(), expired);
    answers
}

/// Replaces the values that differ between matches anyway: identifiers, random numbers and times.
fn neutral(answers: BTreeMap<String, String>, staged: &Staged) -> BTreeMap<String, String> {
    let neutral = |text: String| {
        // A ticket is the identifier of its match, a separator and a secret.
        let before_secret = format!("{}-", staged.info.match_id);
        let mut parts = text.split(&before_secret);
        let mut neutral = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (secret, rest) = part.split_at(32);
            assert!(secret.bytes().all(|byte| byte.is_ascii_hexdigit()));
            neutral.push_str("TICKET");
            neutral.push_str(rest);
        }
        neutral
            .replace(&staged.info.match_id, "ID")
            .replace(&staged.info.seed_commitment, "COMMITMENT")
            .replace(&staged.info.created_unix_ms.to_string(), "CREATED")
    };
    let answers = answers.into_iter();
    answers.map(|(call, text)| (call, neutral(text))).collect()
}

#[tokio::test]
async fn every_call_answers_as_if_the_later_part_did_not_exist_also_after_a_crash() {
    let mut outcomes = Vec::new();
    for stage in STAGES {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut server = TestServer::over(&store, Limits::default()).await;
        let staged = staged(&server, stage).await;
        let mut answers = vec![neutral(reads(&server, &staged).await, &staged)];
        server.crash().await;
        server = TestServer::over(&store, Limits::default()).await;
        answers.push(neutral(reads(&server, &staged).await, &staged));
        answers.push(neutral(changes(&server, &staged).await, &staged));
        answers.push(neutral(reads(&server, &staged).await, &staged));
        outcomes.push((stage, answers));
    }
    let (_, nothing) = &outcomes[0];
    assert_eq!(nothing[0], nothing[1], "a crash changes nothing");
    for (stage, answers) in &outcomes[1..] {
        for (read, expected) in answers.iter().zip(nothing) {
            for (call, text) in read {
                assert_eq!(text, &expected[call], "{call} reveals {stage}");
            }
        }
    }
    let tickets = &nothing[2]["CreateMatch again"];
    assert_eq!(tickets.matches("TICKET").count(), 2, "{tickets}");
}

#[tokio::test]
async fn replaced_tickets_of_a_delayed_match_are_valid_only_for_vacant_seats() {
    let server = TestServer::open().await;
    let staged = staged(&server, "nothing").await;
    let _bot = RawBot::join(&server, &staged.tickets[0].ticket).await;
    let replace = ReplaceTicketsRequest {
        match_id: staged.info.match_id.clone(),
        seats: Vec::new(),
    };
    let replaced = server.matches().replace_tickets(replace).await.unwrap();
    let replaced = replaced.into_inner().tickets;
    let seats: BTreeSet<u32> = replaced.iter().map(|ticket| ticket.seat).collect();
    assert_eq!(seats, BTreeSet::from([0, 1]), "the number reveals nothing");
    RawBot::join(&server, &replaced[1].ticket).await;
    let player = server.player().await;
    let refused = RawBot::try_join(player, &replaced[0].ticket).await;
    assert_eq!(reason(&refused.err().unwrap()), "TICKET_UNKNOWN");
}

#[tokio::test]
async fn a_page_token_does_not_reveal_that_a_bot_has_joined_a_hidden_match() {
    let server = TestServer::open().await;
    let _hidden = staged(&server, "the start").await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let _bot = RawBot::join(&server, &seated.tickets[0]).await;
    let list = ListMatchesRequest {
        filter: Some(MatchFilter {
            bot_name: "raw".to_owned(),
            ..MatchFilter::default()
        }),
        page_size: 1,
        ..ListMatchesRequest::default()
    };
    let page = server.matches().list_matches(list).await.unwrap();
    let page = page.into_inner();
    let ids: Vec<_> = page.matches.iter().map(|info| &*info.match_id).collect();
    assert_eq!(ids, [&*seated.match_id]);
    assert_eq!(page.next_page_token, "");
}

#[tokio::test]
async fn a_cancellation_before_the_start_is_visible_once_the_call_returns() {
    let server = TestServer::open().await;
    let staged = staged(&server, "nothing").await;
    let id = &staged.info.match_id;
    assert_eq!(cancel(&server, id).await.state(), MatchState::Cancelled);
    assert_eq!(server.info(id).await.state(), MatchState::Cancelled);
}

/// Creates a delayed match whose seat 0 is offered to an attending bot. Returns the identifier of
/// the match, the tickets of both seats, and the attending stream.
async fn offered(server: &TestServer) -> (String, [String; 2], Streaming<AttendResponse>) {
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let queue = Queue {
        queue_id: "league".to_owned(),
        ..Queue::default()
    };
    let create = CreateQueueRequest { queue: Some(queue) };
    lobby.create_queue(create).await.unwrap();
    let attend = AttendRequest {
        queue_id: "league".to_owned(),
        bot_name: "ada".to_owned(),
        bot_version: "1".to_owned(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut attending = lobby.attend(attend).await.unwrap().into_inner();
    let reservation = SeatReservation {
        seat: 0,
        key_name: "ada".to_owned(),
        queue_id: "league".to_owned(),
    };
    let request = CreateMatchRequest {
        config: Some(with_delay(GAMES[0], AN_HOUR_MS)),
        seat_reservations: vec![reservation],
        ..CreateMatchRequest::default()
    };
    let created = server.matches().create_match(request).await.unwrap();
    let mut created = created.into_inner();
    let ticket = offered_ticket(&mut attending).await;
    let other = created.tickets.remove(0);
    assert_eq!(other.seat, 1);
    let match_id = created.r#match.unwrap().match_id;
    (match_id, [ticket, other.ticket], attending)
}

/// Returns the ticket of the first offer to an attending bot.
async fn offered_ticket(attending: &mut Streaming<AttendResponse>) -> String {
    loop {
        let response = timeout(PATIENCE, attending.message()).await;
        let response = response.expect("a message is sent").unwrap();
        let response = response.expect("the stream continues");
        if let Some(Message::Offer(offer)) = response.message {
            return offer.ticket;
        }
    }
}

#[tokio::test]
async fn new_tickets_for_an_offered_seat_are_refused_also_after_a_hidden_end_and_a_crash() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let (match_id, tickets, _attending) = offered(&server).await;
    let replace = |seats: Vec<u32>| ReplaceTicketsRequest {
        match_id: match_id.clone(),
        seats,
    };
    let in_play = server.matches().replace_tickets(replace(vec![0])).await;
    let in_play = answer(in_play);
    assert!(in_play.contains("is offered in a queue"), "{in_play}");
    let mut first = RawBot::join(&server, &tickets[0]).await;
    let _second = RawBot::join(&server, &tickets[1]).await;
    first.started().await;
    cancel(&server, &match_id).await;
    server.crash().await;
    server = TestServer::over(&store, Limits::default()).await;
    let ended = server.matches().replace_tickets(replace(vec![0])).await;
    assert_eq!(answer(ended), in_play);
    let vacant = server.matches().replace_tickets(replace(vec![])).await;
    let vacant = vacant.unwrap().into_inner().tickets;
    let seats: Vec<u32> = vacant.iter().map(|ticket| ticket.seat).collect();
    assert_eq!(seats, [1], "an offered seat gets no ticket");
}

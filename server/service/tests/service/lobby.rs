//! Attending bots, and organisers that offer them seats.

use bridgemaster_proto::v1::{
    AttendRequest, AttendResponse, Attendance, AttendanceState, CreateMatchRequest,
    CreateMatchResponse, CreateQueueRequest, DeclineOfferRequest, DeleteQueueRequest,
    LeaveQueueRequest, ListQueuesRequest, MatchState, Offer, Queue, SeatReservation,
    UpdateAttendanceRequest, WatchQueueRequest, WatchQueueResponse, attend_response::Message,
    play_request,
};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Admin, Create, Play},
};
use tonic::{Status, Streaming};

use crate::{
    caller::{Caller, creating},
    raw_bot::{RawBot, hello},
    streams::{assert_invalid, end, find, next, outcome, reason, rest},
    test_server::{GAMES, TestServer, of_two},
};

const LEAGUE: &str = "league";

struct Attending(Streaming<AttendResponse>);

async fn open_queue(caller: &Caller, queue: Queue) -> Result<Queue, Status> {
    let request = CreateQueueRequest { queue: Some(queue) };
    let opened = caller.lobby().create_queue(request).await?;
    Ok(opened.into_inner().queue.unwrap())
}

async fn close_queue(caller: &Caller) -> Result<(), Status> {
    let queue_id = LEAGUE.to_owned();
    let request = DeleteQueueRequest { queue_id };
    caller.lobby().delete_queue(request).await.map(drop)
}

async fn queues(caller: &Caller) -> Vec<String> {
    let mut lobby = caller.lobby();
    let listed = lobby.list_queues(ListQueuesRequest::default());
    let queues = listed.await.unwrap().into_inner().queues.into_iter();
    queues.map(|queue| queue.queue_id).collect()
}

async fn try_attend(caller: &Caller, request: AttendRequest) -> Result<Attending, Status> {
    let attending = caller.lobby().attend(request).await?;
    Ok(Attending(attending.into_inner()))
}

async fn attend(caller: &Caller, name: &str, slots: u32) -> Attending {
    try_attend(caller, asking(name, slots)).await.unwrap()
}

async fn watch(caller: &Caller) -> Result<Streaming<WatchQueueResponse>, Status> {
    let queue_id = LEAGUE.to_owned();
    let request = WatchQueueRequest { queue_id };
    Ok(caller.lobby().watch_queue(request).await?.into_inner())
}

async fn pause(caller: &Caller, attendance_id: &str) -> Result<Attendance, Status> {
    let request = UpdateAttendanceRequest {
        attendance_id: attendance_id.to_owned(),
        slots: None,
        paused: Some(true),
        busy_slots: None,
    };
    let updated = caller.lobby().update_attendance(request).await?;
    Ok(updated.into_inner().attendance.unwrap())
}

async fn decline(caller: &Caller, offer_id: &str) -> Result<(), Status> {
    let request = DeclineOfferRequest { offer_id: offer_id.to_owned(), reason: "tired".to_owned() };
    caller.lobby().decline_offer(request).await.map(drop)
}

/// Creates a match whose seats are offered to these bots.
async fn offer(caller: &Caller, names: &[&str]) -> Result<CreateMatchResponse, Status> {
    caller.create_by(offering(names)).await
}

impl Attending {
    async fn attendance(&mut self) -> Attendance {
        let message = next(&mut self.0).await.unwrap().unwrap();
        match message.message {
            Some(Message::Attendance(attendance)) => attendance,
            other => panic!("{other:?}"),
        }
    }

    async fn offer(&mut self) -> Offer {
        let offered = |response: AttendResponse| match response.message {
            Some(Message::Offer(offer)) => Some(offer),
            _ => None,
        };
        find(&mut self.0, offered).await
    }

    /// Reads until the bot uses no slot.
    async fn is_free(&mut self) {
        let freed = |response: AttendResponse| match response.message {
            Some(Message::Attendance(attendance)) if attendance.slots_used == 0 => Some(()),
            _ => None,
        };
        find(&mut self.0, freed).await;
    }
}

fn asking(name: &str, slots: u32) -> AttendRequest {
    AttendRequest {
        queue_id: LEAGUE.to_owned(),
        bot_name: name.to_owned(),
        bot_version: "1".to_owned(),
        slots,
        protocol_revision: 1,
        ..AttendRequest::default()
    }
}

fn queue() -> Queue {
    Queue { queue_id: LEAGUE.to_owned(), ..Queue::default() }
}

fn offering(names: &[&str]) -> CreateMatchRequest {
    let seats = (0..).zip(names).map(|(seat, name)| SeatReservation {
        seat,
        key_name: (*name).to_owned(),
        queue_id: LEAGUE.to_owned(),
    });
    CreateMatchRequest { seat_reservations: seats.collect(), ..creating(of_two()) }
}

fn id_of(made: &CreateMatchResponse) -> String {
    made.r#match.clone().unwrap().match_id
}

/// Starts a server with a queue.
async fn with_queue() -> TestServer {
    let server = TestServer::stored().await;
    open_queue(&server, queue()).await.unwrap();
    server
}

#[tokio::test]
async fn attending_bots_are_offered_seats_and_play_under_their_queue_names() {
    let server = with_queue().await;
    assert_eq!(queues(&server).await, [LEAGUE]);
    let mut ada = attend(&server, "ada", 1).await;
    let mut bob = attend(&server, "bob", 0).await;
    assert_eq!(ada.attendance().await.state(), AttendanceState::Active);
    for _ in 0..2 {
        let made = offer(&server, &["ada", "bob"]).await.unwrap();
        let id = id_of(&made);
        assert!(made.tickets.is_empty(), "the tickets are in the offers");
        let mut playing = Vec::new();
        for (attending, seat) in [(&mut ada, 0), (&mut bob, 1)] {
            let offer = attending.offer().await;
            assert_eq!((offer.seat, &offer.match_id), (seat, &id));
            assert_eq!(offer.game_id, GAMES[0]);
            playing.push(server.join(&offer.ticket).await);
        }
        let seats = server.info(&id).await.seats;
        let names: Vec<_> = seats.iter().map(|seat| &*seat.bot_name).collect();
        assert_eq!(names, ["ada", "bob"], "the names in Hello are ignored");
        for bot in &playing {
            bot.resign().await;
        }
        server.result(&id).await;
        ada.is_free().await;
        bob.is_free().await;
    }
}

#[tokio::test]
async fn only_the_attending_version_takes_an_offered_seat() {
    let server = with_queue().await;
    let mut ada = attend(&server, "ada", 1).await;
    offer(&server, &["ada"]).await.unwrap();
    let ticket = ada.offer().await.ticket;
    let mut other = hello();
    "2".clone_into(&mut other.bot_version);
    let first = play_request::Message::Hello(other);
    // Holds before and after the right version has joined.
    for _ in 0..2 {
        let refused = RawBot::refused(&server, &ticket, first.clone()).await;
        assert_eq!(reason(&refused), "BOT_VERSION_DIFFERS");
        drop(server.join(&ticket).await);
    }
}

#[tokio::test]
async fn a_reconnecting_bot_gets_the_same_offer_and_its_older_stream_ends() {
    let server = with_queue().await;
    let mut first = attend(&server, "ada", 2).await;
    let id = first.attendance().await.attendance_id;
    offer(&server, &["ada"]).await.unwrap();
    let offer = first.offer().await;
    let mut second = attend(&server, "ada", 2).await;
    assert_eq!(reason(&end(&mut first.0).await), "SUPERSEDED");
    assert_eq!(second.attendance().await.attendance_id, id);
    let again = second.offer().await;
    assert_eq!(again.offer_id, offer.offer_id);
    assert_eq!(again.ticket, offer.ticket);
    assert!(again.time_left_ms <= offer.time_left_ms);
}

#[tokio::test]
async fn queues_and_offers_survive_a_crash() {
    let mut server = with_queue().await;
    let mut ada = attend(&server, "ada", 2).await;
    let taken = offer(&server, &["ada"]).await.unwrap();
    let of_taken = ada.offer().await;
    let bot = server.join(&of_taken.ticket).await;
    let open = offer(&server, &["ada"]).await.unwrap();
    let of_open = ada.offer().await;
    assert_eq!(of_open.match_id, id_of(&open));
    drop(bot);

    server.restart().await;
    let mut ada = attend(&server, "ada", 2).await;
    assert_eq!(ada.attendance().await.slots_used, 2);
    // This includes the offer of the seat that the bot plays, which a restarted program has to
    // receive again.
    let mut again = [ada.offer().await, ada.offer().await];
    again.sort_by_key(|again| again.offer_id != of_taken.offer_id);
    assert_eq!(again[0].offer_id, of_taken.offer_id);
    assert_eq!(again[1].offer_id, of_open.offer_id);
    assert_eq!(again[1].ticket, of_open.ticket, "the older ticket is still valid");
    let refused = offer(&server, &["ada"]).await;
    assert_eq!(outcome(refused), "BOT_NOT_AVAILABLE");
    let _back = server.join(&again[0].ticket).await;
    let _new = server.join(&of_open.ticket).await;
    for made in [taken, open] {
        assert_eq!(server.info(&id_of(&made)).await.seats[0].bot_name, "ada");
    }

    close_queue(&server).await.unwrap();
    server.restart().await;
    let refused = try_attend(&server, asking("ada", 1)).await;
    assert_eq!(outcome(refused), "QUEUE_UNKNOWN");
}

#[tokio::test]
async fn a_bot_without_a_free_slot_gets_no_offer_and_a_retry_returns_the_same_match() {
    let server = with_queue().await;
    for absent in [&["ada"][..], &["ada", "ada"]] {
        assert_eq!(outcome(offer(&server, absent).await), "BOT_NOT_AVAILABLE");
    }
    let mut ada = attend(&server, "ada", 1).await;
    let request = CreateMatchRequest { idempotency_key: "once".to_owned(), ..offering(&["ada"]) };
    let made = server.create_by(request.clone()).await.unwrap();
    let refused = offer(&server, &["ada"]).await;
    assert_eq!(outcome(refused), "BOT_NOT_AVAILABLE");
    let again = server.create_by(request).await.unwrap();
    assert!(again.existed);
    assert_eq!(id_of(&again), id_of(&made));
    let offer = ada.offer().await;
    assert_eq!(again.tickets.len(), 1, "the ticket of the seat that is not offered");
    assert_eq!(again.tickets[0].seat, 1);
    let replaced = server.replace_tickets(&id_of(&made), &[0]).await;
    assert_eq!(outcome(replaced), "INVALID_FIELD");
    let _bot = server.join(&offer.ticket).await;
}

#[tokio::test]
async fn a_match_is_cancelled_when_a_bot_declines_or_changes_its_version() {
    let server = with_queue().await;
    let mut ada = attend(&server, "ada", 1).await;
    let declined = offer(&server, &["ada"]).await.unwrap();
    let of_ada = ada.offer().await;
    decline(&server, &of_ada.offer_id).await.unwrap();
    let info = server.info(&id_of(&declined)).await;
    assert_eq!(info.state(), MatchState::Cancelled);
    let why = info.cancellation.unwrap().reason;
    assert_eq!(why, "a bot declined its seat: tired");
    let refused = decline(&server, &of_ada.offer_id).await;
    assert_eq!(outcome(refused), "OFFER_UNKNOWN");

    let mut bob = attend(&server, "bob", 1).await;
    let made = offer(&server, &["bob"]).await.unwrap();
    bob.offer().await;
    let mut newer = asking("bob", 1);
    "2".clone_into(&mut newer.bot_version);
    try_attend(&server, newer).await.unwrap();
    let info = server.info(&id_of(&made)).await;
    assert_eq!(info.state(), MatchState::Cancelled);
}

#[tokio::test]
async fn the_operator_of_a_queue_sees_its_attendances() {
    let server = with_queue().await;
    let mut watching = watch(&server).await.unwrap();
    let mut ada = attend(&server, "ada", 1).await;
    let id = ada.attendance().await.attendance_id;
    let mut until = async |state| {
        find(&mut watching, |update| {
            let attendance = update.attendance.unwrap();
            assert_eq!(attendance.bot_name, "ada");
            (update.ended || attendance.state() == state).then_some(update.ended)
        })
        .await
    };
    assert!(!until(AttendanceState::Active).await);
    let paused = pause(&server, &id).await.unwrap();
    assert_eq!(paused.state(), AttendanceState::Paused);
    assert!(!until(AttendanceState::Paused).await);
    drop(ada);
    assert!(!until(AttendanceState::Absent).await);
    let request = LeaveQueueRequest { attendance_id: id };
    server.lobby().leave_queue(request).await.unwrap();
    assert!(until(AttendanceState::Unspecified).await);
    close_queue(&server).await.unwrap();
    assert!(rest(watching).await.is_empty());
}

#[tokio::test]
async fn keys_decide_who_attends_and_who_operates_a_queue() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let rival = server.caller("rival", &[Create]).await;
    let admin = server.caller("admin", &[Admin, Create]).await;
    let ada = server.caller("ada", &[Play]).await;
    let bob = server.caller("bob", &[Play]).await;
    let for_ada = || Queue { key_names: vec!["ada".to_owned()], ..queue() };
    let asking = || asking("ada", 1);
    assert_eq!(outcome(open_queue(&ada, for_ada()).await), "SCOPE_MISSING");
    open_queue(&maker, for_ada()).await.unwrap();
    open_queue(&maker, for_ada()).await.expect("once more");
    assert_invalid(open_queue(&rival, for_ada()).await, "queue");

    assert_eq!(queues(&ada).await, [LEAGUE]);
    assert!(queues(&bob).await.is_empty());
    assert_eq!(outcome(try_attend(&bob, asking()).await), "QUEUE_UNKNOWN");
    assert_eq!(outcome(try_attend(&maker, asking()).await), "SCOPE_MISSING");
    let mut attending = attend(&ada, "another name", 1).await;
    let attendance = attending.attendance().await;
    assert_eq!(attendance.bot_name, "ada");
    let refused = pause(&bob, &attendance.attendance_id).await;
    assert_eq!(outcome(refused), "ATTENDANCE_UNKNOWN");

    for stranger in [&rival, &bob] {
        assert_eq!(outcome(watch(stranger).await), "QUEUE_UNKNOWN");
        assert_eq!(outcome(close_queue(stranger).await), "QUEUE_UNKNOWN");
    }
    assert_eq!(outcome(offer(&rival, &["ada"]).await), "QUEUE_UNKNOWN");
    let made = offer(&maker, &["ada"]).await.unwrap();
    assert_eq!(made.r#match.as_ref().unwrap().seats[0].reserved_for, "ada");
    let of_ada = attending.offer().await;
    let refused = decline(&bob, &of_ada.offer_id).await;
    assert_eq!(outcome(refused), "OFFER_UNKNOWN");
    let refused = RawBot::try_join(&bob, &of_ada.ticket).await;
    assert_eq!(outcome(refused), "SEAT_OF_ANOTHER_KEY");
    let _bot = ada.join(&of_ada.ticket).await;
    watch(&admin).await.unwrap();
    close_queue(&admin).await.unwrap();
}

#[tokio::test]
async fn invalid_requests_about_queues_are_refused_with_their_field() {
    let server = TestServer::open().await;
    let of = |change: fn(&mut Queue)| {
        let mut queue = queue();
        change(&mut queue);
        queue
    };
    let of_version = Queue { game_id: GAMES[0].to_owned(), rules_version: Some(1_000), ..queue() };
    let game = of(|queue| queue.game_id = "chess".to_owned());
    let keys = of(|queue| queue.key_names = vec!["ada".to_owned()]);
    for (queue, field) in [
        (Queue::default(), "queue.queue_id"),
        (of(|it| it.queue_id = "A B".to_owned()), "queue.queue_id"),
        (game, "queue.game_id"),
        (of_version, "queue.rules_version"),
        (keys, "queue.key_names"),
    ] {
        let refused = open_queue(&server, queue).await.unwrap_err();
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
    let of_another_game = of(|queue| queue.game_id = GAMES[1].to_owned());
    open_queue(&server, of_another_game).await.unwrap();
    let _ada = attend(&server, "ada", 1).await;
    let refused = offer(&server, &["ada"]).await.unwrap_err();
    assert!(refused.message().starts_with("config.game"), "{refused:?}");
    let of_client = |client_instance_id: String, stream_number| AttendRequest {
        client_instance_id,
        stream_number,
        ..asking("ada", 1)
    };
    for (asking, field) in [
        (asking("", 1), "bot_name"),
        (asking("a\nb", 1), "bot_name"),
        (asking("ada", 65), "slots"),
        (of_client("x".repeat(65), 1), "client_instance_id"),
    ] {
        let refused = try_attend(&server, asking).await.err().unwrap();
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
    let mut later = asking("ada", 1);
    later.protocol_revision = 2;
    let refused = try_attend(&server, later).await;
    assert_eq!(outcome(refused), "PROTOCOL_REVISION_UNSUPPORTED");
    let _newest = try_attend(&server, of_client("bot".to_owned(), 2)).await.unwrap();
    let late = try_attend(&server, of_client("bot".to_owned(), 1)).await;
    assert_eq!(outcome(late), "SUPERSEDED");
}

#[tokio::test]
async fn a_reserved_offer_survives_a_crash_on_a_server_with_keys() {
    let mut server = TestServer::locked_in_memory().await;
    let maker = server.caller("maker", &[Create]).await;
    let ada = server.caller("ada", &[Play]).await;
    open_queue(&maker, queue()).await.unwrap();
    let _attending = attend(&ada, "ada", 1).await;
    offer(&maker, &["ada"]).await.unwrap();
    server.restart().await;
    let [maker, ada] = [maker, ada].map(|caller| server.with(caller.key()));
    let mut attending = attend(&ada, "ada", 1).await;
    let ticket = attending.offer().await.ticket;
    let _bot = ada.join(&ticket).await;
    // The queue still belongs to its creator.
    watch(&maker).await.unwrap();
}

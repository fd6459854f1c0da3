//! Attending bots, and organizers that offer them seats.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    AttendRequest, AttendResponse, Attendance, AttendanceState, CreateMatchRequest,
    CreateMatchResponse, CreateQueueRequest, DeclineOfferRequest, DeleteQueueRequest,
    LeaveQueueRequest, ListQueuesRequest, MatchState, Offer, Queue, ReplaceTicketsRequest,
    SeatReservation, UpdateAttendanceRequest, WatchQueueRequest, WatchQueueResponse,
    attend_response::Message, lobby_service_client::LobbyServiceClient, play_request,
};
use bridgemaster_server::{
    Limits,
    identity::{
        ApiKey, KEY_METADATA,
        KeyScope::{Admin, Create, Play},
    },
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;
use tonic::{Request, Status, Streaming, transport::Channel};

use crate::{
    intercepted_store::InterceptedStore,
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// A caller of the lobby, with or without a key.
struct LobbyCaller<'a> {
    server: &'a TestServer,
    key: Option<&'a ApiKey>,
}

struct Attending(Streaming<AttendResponse>);

impl<'a> LobbyCaller<'a> {
    fn of(server: &'a TestServer) -> Self {
        Self { server, key: None }
    }

    fn with(locked: &'a LockedServer, key: &'a ApiKey) -> Self {
        Self {
            server: &locked.server,
            key: Some(key),
        }
    }

    fn lobby(&self) -> LobbyServiceClient<Channel> {
        LobbyServiceClient::new(self.server.channel.clone())
    }

    fn authenticated<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(key) = self.key {
            let key = key.reveal().parse().unwrap();
            request.metadata_mut().insert(KEY_METADATA, key);
        }
        request
    }

    async fn open_queue(&self, queue: Queue) -> Result<Queue, Status> {
        let request = self.authenticated(CreateQueueRequest { queue: Some(queue) });
        let opened = self.lobby().create_queue(request).await?;
        Ok(opened.into_inner().queue.unwrap())
    }

    async fn close_queue(&self) -> Result<(), Status> {
        let queue_id = "league".to_owned();
        let request = self.authenticated(DeleteQueueRequest { queue_id });
        self.lobby().delete_queue(request).await.map(|_| ())
    }

    async fn queues(&self) -> Vec<String> {
        let request = self.authenticated(ListQueuesRequest::default());
        let listed = self.lobby().list_queues(request).await.unwrap();
        let queues = listed.into_inner().queues.into_iter();
        queues.map(|queue| queue.queue_id).collect()
    }

    async fn try_attend(&self, request: AttendRequest) -> Result<Attending, Status> {
        let attending = self.lobby().attend(self.authenticated(request)).await?;
        Ok(Attending(attending.into_inner()))
    }

    async fn attend(&self, name: &str, slots: u32) -> Attending {
        self.try_attend(asking(name, slots)).await.unwrap()
    }

    async fn watch(&self) -> Result<Streaming<WatchQueueResponse>, Status> {
        let queue_id = "league".to_owned();
        let request = self.authenticated(WatchQueueRequest { queue_id });
        Ok(self.lobby().watch_queue(request).await?.into_inner())
    }

    async fn pause(&self, attendance_id: &str) -> Result<Attendance, Status> {
        let request = self.authenticated(UpdateAttendanceRequest {
            attendance_id: attendance_id.to_owned(),
            slots: None,
            paused: Some(true),
        });
        let updated = self.lobby().update_attendance(request).await?;
        Ok(updated.into_inner().attendance.unwrap())
    }

    async fn leave(&self, attendance_id: &str) -> Result<(), Status> {
        let attendance_id = attendance_id.to_owned();
        let request = self.authenticated(LeaveQueueRequest { attendance_id });
        self.lobby().leave_queue(request).await.map(|_| ())
    }

    async fn decline(&self, offer_id: &str) -> Result<(), Status> {
        let request = self.authenticated(DeclineOfferRequest {
            offer_id: offer_id.to_owned(),
            reason: "tired".to_owned(),
        });
        self.lobby().decline_offer(request).await.map(|_| ())
    }

    /// Creates a match whose seats are offered to these bots.
    async fn offer(&self, names: &[&str]) -> Result<CreateMatchResponse, Status> {
        self.offer_by(offering(names)).await
    }

    async fn offer_by(&self, request: CreateMatchRequest) -> Result<CreateMatchResponse, Status> {
        let request = self.authenticated(request);
        let made = self.server.matches().create_match(request).await?;
        Ok(made.into_inner())
    }
}

impl Attending {
    async fn next(&mut self) -> Result<Option<Message>, Status> {
        let message = timeout(PATIENCE, self.0.message()).await;
        let message = message.expect("the stream goes on or ends")?;
        Ok(message.and_then(|message| message.message))
    }

    /// Reads messages until `pick` accepts one.
    async fn until<T>(&mut self, pick: impl Fn(Message) -> Option<T>) -> T {
        loop {
            let message = self.next().await.unwrap().expect("the stream continues");
            if let Some(picked) = pick(message) {
                return picked;
            }
        }
    }

    async fn attendance(&mut self) -> Attendance {
        let message = self.next().await.unwrap();
        match message {
            Some(Message::Attendance(attendance)) => attendance,
            other => panic!("{other:?}"),
        }
    }

    async fn offer(&mut self) -> Offer {
        self.until(|message| match message {
            Message::Offer(offer) => Some(offer),
            _ => None,
        })
        .await
    }

    /// Reads until the bot uses no slot.
    async fn is_free(&mut self) {
        self.until(|message| match message {
            Message::Attendance(attendance) => (attendance.slots_used == 0).then_some(()),
            _ => None,
        })
        .await;
    }
}

fn asking(name: &str, slots: u32) -> AttendRequest {
    AttendRequest {
        queue_id: "league".to_owned(),
        bot_name: name.to_owned(),
        bot_version: "1".to_owned(),
        slots,
        protocol_revision: 1,
    }
}

fn queue() -> Queue {
    Queue {
        queue_id: "league".to_owned(),
        ..Queue::default()
    }
}

fn offering(names: &[&str]) -> CreateMatchRequest {
    let seats = (0..).zip(names).map(|(seat, name)| SeatReservation {
        seat,
        key_name: (*name).to_owned(),
        queue_id: "league".to_owned(),
    });
    CreateMatchRequest {
        config: Some(config(GAMES[0], 2)),
        seat_reservations: seats.collect(),
        ..CreateMatchRequest::default()
    }
}

fn id_of(made: &CreateMatchResponse) -> String {
    made.r#match.clone().unwrap().match_id
}

#[tokio::test]
async fn attending_bots_are_offered_seats_and_play_under_their_queue_names() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    assert_eq!(guest.queues().await, ["league"]);
    let mut ada = guest.attend("ada", 1).await;
    let mut bob = guest.attend("bob", 0).await;
    assert_eq!(ada.attendance().await.state(), AttendanceState::Active);
    for _ in 0..2 {
        let made = guest.offer(&["ada", "bob"]).await.unwrap();
        assert!(made.tickets.is_empty(), "they are in the offers");
        let mut playing = Vec::new();
        for (attending, seat) in [(&mut ada, 0), (&mut bob, 1)] {
            let offer = attending.offer().await;
            assert_eq!((offer.seat, &offer.match_id), (seat, &id_of(&made)));
            assert_eq!(offer.game_id, GAMES[0]);
            playing.push(RawBot::join(&server, &offer.ticket).await);
        }
        let names: Vec<_> = server.info(&id_of(&made)).await.seats;
        let names: Vec<_> = names.into_iter().map(|seat| seat.bot_name).collect();
        assert_eq!(names, ["ada", "bob"], "whatever Hello says");
        for bot in &playing {
            bot.send(play_request::Message::Resign(Default::default()))
                .await;
        }
        server.result(&id_of(&made)).await;
        ada.is_free().await;
        bob.is_free().await;
    }
}

#[tokio::test]
async fn only_the_attending_version_takes_an_offered_seat() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    let mut ada = guest.attend("ada", 1).await;
    guest.offer(&["ada"]).await.unwrap();
    let ticket = ada.offer().await.ticket;
    let mut other = hello();
    "2".clone_into(&mut other.bot_version);
    let first = request(play_request::Message::Hello(other));
    let mut refused = RawBot::open(&server, &ticket, first.clone()).await.unwrap();
    let refused = refused.next().await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_VERSION_DIFFERS");
    let bot = RawBot::join(&server, &ticket).await;
    drop(bot);
    let mut later = RawBot::open(&server, &ticket, first).await.unwrap();
    let refused = later.next().await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_VERSION_DIFFERS", "coming back, too");
}

#[tokio::test]
async fn a_reconnecting_bot_gets_the_same_offer_and_its_older_stream_ends() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    let mut first = guest.attend("ada", 2).await;
    let id = first.attendance().await.attendance_id;
    guest.offer(&["ada"]).await.unwrap();
    let offer = first.offer().await;
    let mut second = guest.attend("ada", 2).await;
    let superseded = loop {
        match first.next().await {
            Ok(message) => assert!(message.is_some()),
            Err(refused) => break refused,
        }
    };
    assert_eq!(reason(&superseded), "SUPERSEDED");
    assert_eq!(second.attendance().await.attendance_id, id);
    let again = second.offer().await;
    assert_eq!(again.offer_id, offer.offer_id);
    assert_eq!(again.ticket, offer.ticket);
    assert!(again.time_left_ms <= offer.time_left_ms);
}

#[tokio::test]
async fn queues_and_offers_survive_a_crash() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    let mut ada = guest.attend("ada", 2).await;
    let taken = guest.offer(&["ada"]).await.unwrap();
    let first = ada.offer().await;
    let bot = RawBot::join(&server, &first.ticket).await;
    let open = guest.offer(&["ada"]).await.unwrap();
    let offer = ada.offer().await;
    assert_eq!(offer.match_id, id_of(&open));
    drop(bot);

    server.crash().await;
    server = TestServer::over(&store, Limits::default()).await;
    let guest = LobbyCaller::of(&server);
    let mut ada = guest.attend("ada", 2).await;
    assert_eq!(ada.attendance().await.slots_used, 2);
    // Including the offer of the seat that it plays, which a restarted program does not know.
    let again = [ada.offer().await, ada.offer().await];
    let of_first = again
        .iter()
        .position(|again| again.offer_id == first.offer_id);
    let (of_first, of_open) = match of_first {
        Some(0) => (&again[0], &again[1]),
        _ => (&again[1], &again[0]),
    };
    assert_eq!(of_first.offer_id, first.offer_id);
    assert_eq!(of_open.offer_id, offer.offer_id);
    assert_eq!(of_open.ticket, offer.ticket, "the older one is as good");
    let refused = guest.offer(&["ada"]).await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_NOT_AVAILABLE");
    let _back = RawBot::join(&server, &of_first.ticket).await;
    let _new = RawBot::join(&server, &offer.ticket).await;
    for made in [taken, open] {
        assert_eq!(server.info(&id_of(&made)).await.seats[0].bot_name, "ada");
    }

    guest.close_queue().await.unwrap();
    server.crash().await;
    server = TestServer::over(&store, Limits::default()).await;
    let refused = LobbyCaller::of(&server).try_attend(asking("ada", 1)).await;
    assert_eq!(reason(&refused.err().unwrap()), "QUEUE_UNKNOWN");
}

#[tokio::test]
async fn a_bot_without_a_free_slot_gets_no_offer_and_a_retry_returns_the_same_match() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    for absent in [
        guest.offer(&["ada"]).await,
        guest.offer(&["ada", "ada"]).await,
    ] {
        assert_eq!(reason(&absent.unwrap_err()), "BOT_NOT_AVAILABLE");
    }
    let mut ada = guest.attend("ada", 1).await;
    let request = CreateMatchRequest {
        idempotency_key: "once".to_owned(),
        ..offering(&["ada"])
    };
    let made = guest.offer_by(request.clone()).await.unwrap();
    let refused = guest.offer(&["ada"]).await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_NOT_AVAILABLE");
    let again = guest.offer_by(request).await.unwrap();
    assert!(again.existed);
    assert_eq!(id_of(&again), id_of(&made));
    let offer = ada.offer().await;
    assert_eq!(again.tickets.len(), 1, "of the seat that is not offered");
    assert_eq!(again.tickets[0].seat, 1);
    let wanted = ReplaceTicketsRequest {
        match_id: id_of(&made),
        seats: vec![0],
    };
    let replaced = server.matches().replace_tickets(wanted).await;
    assert_eq!(reason(&replaced.unwrap_err()), "INVALID_FIELD");
    let _bot = RawBot::join(&server, &offer.ticket).await;
}

#[tokio::test]
async fn a_match_is_cancelled_when_a_bot_declines_or_changes_its_version() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    let mut ada = guest.attend("ada", 1).await;
    let declined = guest.offer(&["ada"]).await.unwrap();
    let offer = ada.offer().await;
    guest.decline(&offer.offer_id).await.unwrap();
    let info = server.info(&id_of(&declined)).await;
    assert_eq!(info.state(), MatchState::Cancelled);
    assert_eq!(
        info.cancellation.unwrap().reason,
        "a bot declined its seat: tired"
    );
    let refused = guest.decline(&offer.offer_id).await.unwrap_err();
    assert_eq!(reason(&refused), "OFFER_UNKNOWN");

    let mut bob = guest.attend("bob", 1).await;
    let made = guest.offer(&["bob"]).await.unwrap();
    bob.offer().await;
    let mut newer = asking("bob", 1);
    "2".clone_into(&mut newer.bot_version);
    guest.try_attend(newer).await.unwrap();
    let info = server.info(&id_of(&made)).await;
    assert_eq!(info.state(), MatchState::Cancelled);
}

#[tokio::test]
async fn the_operator_of_a_queue_sees_its_attendances() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    guest.open_queue(queue()).await.unwrap();
    let mut watch = guest.watch().await.unwrap();
    let mut ada = guest.attend("ada", 1).await;
    let id = ada.attendance().await.attendance_id;
    let mut until = async |state| loop {
        let update = timeout(PATIENCE, watch.message()).await.unwrap().unwrap();
        let update = update.expect("the stream continues");
        let attendance = update.attendance.unwrap();
        assert_eq!(attendance.bot_name, "ada");
        if update.ended || attendance.state() == state {
            return update.ended;
        }
    };
    assert!(!until(AttendanceState::Active).await);
    assert_eq!(
        guest.pause(&id).await.unwrap().state(),
        AttendanceState::Paused
    );
    assert!(!until(AttendanceState::Paused).await);
    drop(ada);
    assert!(!until(AttendanceState::Absent).await);
    guest.leave(&id).await.unwrap();
    assert!(until(AttendanceState::Unspecified).await);
    guest.close_queue().await.unwrap();
    let end = timeout(PATIENCE, watch.message()).await.unwrap();
    assert_eq!(end.unwrap(), None);
}

#[tokio::test]
async fn keys_decide_who_attends_and_who_operates_a_queue() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let rival = locked.key("rival", &[Create]).await;
    let admin = locked.key("admin", &[Admin, Create]).await;
    let ada = locked.key("ada", &[Play]).await;
    let bob = locked.key("bob", &[Play]).await;
    let [maker, rival, admin, ada, bob] =
        [&maker, &rival, &admin, &ada, &bob].map(|key| LobbyCaller::with(&locked, key));
    let for_ada = Queue {
        key_names: vec!["ada".to_owned()],
        ..queue()
    };
    let refused = ada.open_queue(for_ada.clone()).await.unwrap_err();
    assert_eq!(reason(&refused), "SCOPE_MISSING");
    maker.open_queue(for_ada.clone()).await.unwrap();
    maker.open_queue(for_ada.clone()).await.expect("once more");
    let taken = rival.open_queue(for_ada).await.unwrap_err();
    assert_eq!(reason(&taken), "INVALID_FIELD");

    assert_eq!(ada.queues().await, ["league"]);
    assert!(bob.queues().await.is_empty());
    let refused = bob.try_attend(asking("ada", 1)).await.err().unwrap();
    assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
    let refused = maker.try_attend(asking("ada", 1)).await.err().unwrap();
    assert_eq!(reason(&refused), "SCOPE_MISSING");
    let mut attending = ada.attend("another name", 1).await;
    let attendance = attending.attendance().await;
    assert_eq!(attendance.bot_name, "ada");
    let refused = bob.pause(&attendance.attendance_id).await.unwrap_err();
    assert_eq!(reason(&refused), "ATTENDANCE_UNKNOWN");

    for stranger in [&rival, &bob] {
        let refused = stranger.watch().await.err().unwrap();
        assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
        let refused = stranger.close_queue().await.unwrap_err();
        assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
    }
    let refused = rival.offer(&["ada"]).await.unwrap_err();
    assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
    let made = maker.offer(&["ada"]).await.unwrap();
    assert_eq!(made.r#match.as_ref().unwrap().seats[0].reserved_for, "ada");
    let offer = attending.offer().await;
    let refused = bob.decline(&offer.offer_id).await.unwrap_err();
    assert_eq!(reason(&refused), "OFFER_UNKNOWN");
    let foreign = locked.with(bob.key.unwrap()).open(&offer.ticket).await;
    let refused = foreign.unwrap().next().await.unwrap_err();
    assert_eq!(reason(&refused), "SEAT_OF_ANOTHER_KEY");
    let _bot = locked.with(ada.key.unwrap()).join(&offer.ticket).await;
    admin.watch().await.unwrap();
    admin.close_queue().await.unwrap();
}

#[tokio::test]
async fn invalid_requests_about_queues_are_refused_with_their_field() {
    let server = TestServer::open().await;
    let guest = LobbyCaller::of(&server);
    let wrong = [
        (Queue::default(), "queue.queue_id"),
        (
            Queue {
                queue_id: "A B".to_owned(),
                ..Queue::default()
            },
            "queue.queue_id",
        ),
        (
            Queue {
                game_id: "chess".to_owned(),
                ..queue()
            },
            "queue.game_id",
        ),
        (
            Queue {
                game_id: GAMES[0].to_owned(),
                rules_version: Some(1_000),
                ..queue()
            },
            "queue.rules_version",
        ),
        (
            Queue {
                key_names: vec!["ada".to_owned()],
                ..queue()
            },
            "queue.key_names",
        ),
    ];
    for (queue, field) in wrong {
        let refused = guest.open_queue(queue).await.unwrap_err();
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
    let of_another_game = Queue {
        game_id: GAMES[1].to_owned(),
        ..queue()
    };
    guest.open_queue(of_another_game).await.unwrap();
    let _ada = guest.attend("ada", 1).await;
    let refused = guest.offer(&["ada"]).await.unwrap_err();
    assert!(refused.message().starts_with("config.game"), "{refused:?}");
    let wrong = [
        (asking("", 1), "bot_name"),
        (asking("a\nb", 1), "bot_name"),
        (asking("ada", 65), "slots"),
    ];
    for (asking, field) in wrong {
        let refused = guest.try_attend(asking).await.err().unwrap();
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
    let mut later = asking("ada", 1);
    later.protocol_revision = 2;
    let refused = guest.try_attend(later).await.err().unwrap();
    assert_eq!(reason(&refused), "PROTOCOL_REVISION_UNSUPPORTED");
}

#[tokio::test]
async fn a_reserved_offer_survives_a_crash_on_a_server_with_keys() {
    let memory = Arc::new(MemoryStore::new());
    let open = || {
        let store = InterceptedStore::before_reads(Arc::clone(&memory) as _, || async { Ok(()) });
        LockedServer::over(store, Arc::clone(&memory), Limits::default())
    };
    let mut locked = open().await;
    let maker = locked.key("maker", &[Create]).await;
    let ada = locked.key("ada", &[Play]).await;
    LobbyCaller::with(&locked, &maker)
        .open_queue(queue())
        .await
        .unwrap();
    let _attending = LobbyCaller::with(&locked, &ada).attend("ada", 1).await;
    LobbyCaller::with(&locked, &maker)
        .offer(&["ada"])
        .await
        .unwrap();
    locked.server.crash().await;
    locked = open().await;
    let mut attending = LobbyCaller::with(&locked, &ada).attend("ada", 1).await;
    let ticket = attending.offer().await.ticket;
    let _bot = locked.with(&ada).join(&ticket).await;
    // The queue still belongs to its creator.
    LobbyCaller::with(&locked, &maker).watch().await.unwrap();
}

//! The calls that bots may make on a private server. The methods are listed from the protocol's
//! descriptors.

use std::time::Duration;

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        AttendRequest, AttendResponse, CreateMatchRequest, CreateQueueRequest, Decision,
        LadderAction, LadderBotRef, LadderSettings, LadderState, ListMatchesRequest,
        ListQueuesRequest, MatchInfo, Queue, RulesOperation, RulesPosition, SeatReservation,
        WatchSeatRequest, WatchSeatResponse, attend_response::Message as Attended,
        ladder_action::Action, rules_operation::Operation, seat_service_client::SeatServiceClient,
    },
};
use bridgemaster_sdk::PlayError;
use bridgemaster_server::{
    ServerOptions,
    identity::{ApiKey, CallingBot, KEY_METADATA, PrivateAccess},
};
use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
    Value,
};
use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Request, Status, Streaming,
    codegen::{Bytes, tokio_stream::once},
};

use crate::{
    caller::{Caller, creating},
    groups::withheld,
    ladder_fixture,
    raw_bot::{bearer, hello},
    raw_call::{metadata, start},
    streams::{PATIENCE, next, outcome, reason},
    test_server::{GAMES, Seated, TestServer, assert_faultless, of_two},
};

const QUEUE: &str = "cup";
const BOT: &str = "reused";
const LADDER_BOT: &str = "climber";
/// Methods that require only a ticket.
const WITH_TICKET: [&str; 4] =
    ["PlayService/Play", "SeatService/WatchSeat", "SeatService/Decide", "SeatService/ResignSeat"];
/// Methods that a key of a queue may call.
const WITH_BOT_KEY: [&str; 4] = [
    "LobbyService/Attend",
    "LobbyService/UpdateAttendance",
    "LobbyService/LeaveQueue",
    "LobbyService/DeclineOffer",
];
/// Methods that require no credentials.
const WITH_NOTHING: [&str; 9] = [
    "CatalogService/ListGames",
    "CatalogService/GetServerInfo",
    "RulesService/ListLegalDecisions",
    "RulesService/ApplyDecisions",
    "RulesService/SampleStates",
    "RulesService/GetOutcome",
    "RulesService/GetObservation",
    "RulesService/ConvertNotation",
    "RulesService/OpenSession",
];

/// The credentials that a caller presents.
#[derive(Clone, Default)]
struct Credentials {
    ticket: Option<String>,
    key: Option<String>,
}

/// A private server with a running match, a match that waits for a bot, a finished match, a group,
/// a queue with a bot and an offer, and a ladder with bots.
struct Fixture {
    server: TestServer,
    organiser: Caller,
    access: PrivateAccess,
    bot_key: ApiKey,
    running: Seated,
    waiting: Seated,
    ended: Seated,
    attendance_id: String,
    offer_id: String,
    pool: DescriptorPool,
    _attending: Streaming<AttendResponse>,
    _climbing: AbortOnDropHandle<Result<(), PlayError>>,
    _seat: Streaming<WatchSeatResponse>,
}

fn queue(queue_id: &str) -> Queue {
    Queue { queue_id: queue_id.to_owned(), ..Queue::default() }
}

fn attending(queue_id: &str, name: &str) -> AttendRequest {
    AttendRequest {
        queue_id: queue_id.to_owned(),
        bot_name: name.to_owned(),
        slots: 4,
        protocol_revision: 1,
        ..AttendRequest::default()
    }
}

async fn next_attended(attending: &mut Streaming<AttendResponse>) -> Attended {
    next(attending).await.unwrap().unwrap().message.unwrap()
}

impl Fixture {
    async fn open() -> Self {
        let access = PrivateAccess::generate();
        let server = TestServer::with_options(ServerOptions {
            private: Some(access.clone()),
            rules: true,
            ..ServerOptions::default()
        })
        .await;
        let organiser = server.with(access.organiser_key());
        let ended = organiser.create(of_two()).await;
        server.play(&ended).await;
        // The group of this match stays incomplete.
        let running = organiser.create(withheld(0, 2)).await;
        let waiting = organiser.create(of_two()).await;
        let seat = seated(&server, &running.tickets[0]).await;
        server.good_bot(&running.tickets[1]);
        let request = CreateQueueRequest { queue: Some(queue(QUEUE)) };
        organiser.lobby().create_queue(request).await.unwrap();
        let bot_key = access.issue_bot_key(QUEUE, BOT).unwrap();
        let mut lobby = server.with(&bot_key).lobby();
        let attended = lobby.attend(attending(QUEUE, "another name")).await;
        let mut attending = attended.unwrap().into_inner();
        let Attended::Attendance(attendance) = next_attended(&mut attending).await else {
            panic!("an attendance comes first");
        };
        assert_eq!(attendance.bot_name, BOT);
        let request = CreateMatchRequest {
            seat_reservations: vec![SeatReservation {
                seat: 0,
                key_name: BOT.to_owned(),
                queue_id: QUEUE.to_owned(),
            }],
            ..creating(of_two())
        };
        organiser.create_by(request).await.unwrap();
        let offer = loop {
            if let Attended::Offer(offer) = next_attended(&mut attending).await {
                break offer;
            }
        };
        let league = ladder_fixture::league();
        ladder_fixture::make(&organiser, league).await.unwrap();
        // The bot attends alone, so that no rated match takes its slots after its validation.
        let climbing = organiser.attend(ladder_fixture::NAME, LADDER_BOT, "1", 4);
        Self {
            attendance_id: attendance.attendance_id,
            offer_id: offer.offer_id,
            pool: DescriptorPool::decode(DESCRIPTORS).unwrap(),
            server,
            organiser,
            access,
            bot_key,
            running,
            waiting,
            ended,
            _attending: attending,
            _climbing: AbortOnDropHandle::new(climbing),
            _seat: seat,
        }
    }

    fn methods(&self) -> Vec<MethodDescriptor> {
        let services = self.pool.services();
        let services = services.filter(|service| service.full_name().starts_with("bridgemaster."));
        services.flat_map(|service| service.methods().collect::<Vec<_>>()).collect()
    }

    fn organiser(&self) -> Credentials {
        Credentials { key: Some(self.access.organiser_key().reveal()), ..Credentials::default() }
    }

    fn ticket(&self) -> Credentials {
        Credentials { ticket: Some(self.running.tickets[0].clone()), ..Credentials::default() }
    }

    fn bot_key(&self) -> Credentials {
        Credentials { key: Some(self.bot_key.reveal()), ..Credentials::default() }
    }

    /// Calls a method with a valid request, and returns whether it was refused.
    async fn call(
        &self,
        method: &MethodDescriptor,
        credentials: &Credentials,
    ) -> Result<(), Status> {
        let request = self.message(&method.input());
        let message = Bytes::from(request.encode_to_vec());
        let ticket = credentials.ticket.as_deref().map(bearer);
        let ticket = ticket.as_deref().map(|ticket| ("authorization", ticket));
        let key = credentials.key.as_deref().map(|key| (KEY_METADATA, key));
        let values: Vec<_> = ticket.into_iter().chain(key).collect();
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        // A stream that has no message yet counts as a success once its headers arrive.
        let mut called = start(&self.server, &path, metadata(&values), once(message)).await?;
        if !method.is_server_streaming() {
            called.message().await?;
        }
        Ok(())
    }

    /// As [`Self::call`], once the bot of the ladder attends and has a free slot.
    async fn call_of_ladder_bot(
        &self,
        method: &MethodDescriptor,
        credentials: &Credentials,
    ) -> Result<(), Status> {
        loop {
            match self.call(method, credentials).await {
                Err(status)
                    if ["BOT_UNKNOWN", "BOT_NOT_AVAILABLE"].contains(&&*reason(&status)) =>
                {
                    sleep(Duration::from_millis(10)).await;
                }
                answered => return answered,
            }
        }
    }

    /// Asserts that a method may be called with the credentials that it requires.
    async fn assert_succeeds(&self, name: &str, method: &MethodDescriptor) {
        let credentials = match name {
            name if WITH_TICKET.contains(&name) => vec![self.ticket()],
            name if WITH_BOT_KEY.contains(&name) => vec![self.bot_key()],
            name if WITH_NOTHING.contains(&name) => {
                vec![Credentials::default(), self.organiser()]
            }
            _ => vec![self.organiser()],
        };
        for credentials in credentials {
            let called = timeout(PATIENCE, self.call_of_ladder_bot(method, &credentials)).await;
            let called = called.expect(name);
            called.unwrap_or_else(|status| panic!("{name}: {status:?}"));
        }
    }

    /// Returns a valid request that refers to existing matches, queues and bots. Panics on an
    /// unknown field, whose value must then be added below.
    fn message(&self, of: &MessageDescriptor) -> DynamicMessage {
        let mut message = DynamicMessage::new(of.clone());
        for field in of.fields() {
            let is_chosen = field
                .containing_oneof()
                .is_some_and(|group| group.fields().any(|other| message.has_field(&other)));
            if is_chosen {
                continue;
            }
            if let Some(value) = self.value(of.name(), &field) {
                message.set_field(&field, value);
            }
        }
        message
    }

    /// Returns the value of a field, or `None` if a valid request may omit it.
    fn value(&self, of: &str, field: &FieldDescriptor) -> Option<Value> {
        let text = |text: &str| Some(Value::String(text.to_owned()));
        let set = |message: &dyn Encodable| Some(message.to_value(field));
        let bot = LadderBotRef { bot_name: LADDER_BOT.to_owned(), ..LadderBotRef::default() };
        match (of, field.name()) {
            ("GetReplayRequest", "match_id") => text(&self.ended.match_id),
            ("ReplaceTicketsRequest" | "ExpireSeatRequest", "match_id") => {
                text(&self.waiting.match_id)
            }
            (_, "match_id") => text(&self.running.match_id),
            ("AttendRequest", "bot_name") => text(BOT),
            (_, "bot_name") => text(LADDER_BOT),
            (_, "queue_id") => text(QUEUE),
            (_, "ladder_id") => text(ladder_fixture::NAME),
            (_, "contest_id") => text("0123"),
            (_, "attendance_id") => text(&self.attendance_id),
            (_, "offer_id") => text(&self.offer_id),
            (_, "game_id") => text(GAMES[0]),
            (_, "config") => set(&of_two()),
            (_, "queue") => set(&queue("another")),
            (_, "ladder") => set(&bridgemaster_proto::v1::Ladder {
                ladder_id: "another".to_owned(),
                ..ladder_fixture::league()
            }),
            (_, "state") => Some(Value::EnumNumber(LadderState::Frozen.into())),
            (_, "action") => set(&LadderAction {
                reason: "more matches at a time".to_owned(),
                action: Some(Action::Edit(LadderSettings {
                    max_matches: Some(4),
                    ..LadderSettings::default()
                })),
                ..LadderAction::default()
            }),
            (_, "bot") => set(&bot),
            (_, "bots") => Some(Value::List(vec![bot.to_value(field), bot.to_value(field)])),
            (_, "hello") => set(&hello()),
            ("PlayRequest", _) => None,
            (_, "decision") => set(&Decision::default()),
            (_, "position") => set(&position()),
            (_, "operations") => Some(Value::List(vec![
                RulesOperation {
                    position_number: 0,
                    operation: Some(Operation::Load(Box::new(position()))),
                }
                .to_value(field),
            ])),
            ("ReplaceTicketsRequest", "seats") => Some(Value::List(vec![Value::U32(1)])),
            ("ExpireSeatRequest", "seat") => Some(Value::U32(1)),
            (_, "slots" | "protocol_revision" | "samples" | "request_id") => {
                Some(match field.kind() {
                    Kind::Uint64 => Value::U64(1),
                    _ => Value::U32(1),
                })
            }
            (_, "wait_ms" | "without_config" | "filter" | "page_size" | "page_token")
            | (_, "max_matches" | "interval_ms" | "as_file" | "labels" | "idempotency_key")
            | (_, "rules_version" | "seat_reservations" | "fork" | "reason" | "viewers")
            | (_, "from_decision" | "replay_match_ids" | "paused" | "bot_version")
            | (_, "all_versions" | "against_bot_name" | "annulled" | "seat" | "viewer_seat")
            | (_, "decisions" | "texts" | "busy_slots" | "client_instance_id")
            | (_, "stream_number") => None,
            (message, field) => panic!("no valid value is known for {field} of {message}"),
        }
    }

    /// Returns the matches, queues and ladder as the organiser sees them.
    async fn snapshot(&self) -> (Vec<MatchInfo>, Vec<String>, i32) {
        let listed = self.organiser.page(ListMatchesRequest::default()).await;
        let own = [&self.running, &self.waiting, &self.ended];
        let mut matches = listed.unwrap().matches;
        // The ladder creates matches meanwhile.
        matches.retain(|info| own.iter().any(|own| own.match_id == info.match_id));
        let mut lobby = self.organiser.lobby();
        let queues = lobby.list_queues(ListQueuesRequest::default()).await;
        let queues = queues.unwrap().into_inner().queues.into_iter();
        let queues = queues.map(|queue| queue.queue_id).collect();
        let ladder = ladder_fixture::get(&self.organiser).await;
        (matches, queues, ladder.state)
    }
}

/// A message that is used as the value of a field.
trait Encodable {
    fn to_value(&self, field: &FieldDescriptor) -> Value;
}

impl<M: Message> Encodable for M {
    fn to_value(&self, field: &FieldDescriptor) -> Value {
        let Kind::Message(of) = field.kind() else {
            panic!("{} has no message", field.full_name());
        };
        let bytes = self.encode_to_vec();
        Value::Message(DynamicMessage::decode(of, &*bytes).unwrap())
    }
}

fn position() -> RulesPosition {
    RulesPosition {
        config: Some(of_two()),
        sample_seed: "test-seed".to_owned(),
        ..RulesPosition::default()
    }
}

/// Takes a seat with unary calls.
async fn seated(server: &TestServer, ticket: &str) -> Streaming<WatchSeatResponse> {
    let mut request = Request::new(WatchSeatRequest { hello: Some(hello()) });
    let bearer = bearer(ticket).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let mut seats = SeatServiceClient::new(server.channel.clone());
    let mut watched = seats.watch_seat(request).await.unwrap().into_inner();
    next(&mut watched).await.unwrap();
    watched
}

fn name(method: &MethodDescriptor) -> String {
    format!("{}/{}", method.parent_service().name(), method.name())
}

/// Whether a bot may call the method with these credentials.
fn is_allowed(method: &str, credentials: &Credentials, bot_key: &ApiKey) -> bool {
    let has_bot_key = credentials.key.as_ref() == Some(&bot_key.reveal());
    WITH_NOTHING.contains(&method)
        || (credentials.ticket.is_some() && WITH_TICKET.contains(&method))
        || (has_bot_key && WITH_BOT_KEY.contains(&method))
}

#[tokio::test]
async fn every_call_that_a_bot_does_not_need_is_refused_without_effect() {
    let fixture = Fixture::open().await;
    let ticket = fixture.ticket();
    let foreign = Credentials { key: Some(ApiKey::generate().reveal()), ..ticket.clone() };
    let both = Credentials { key: fixture.bot_key().key, ..ticket.clone() };
    let callers = [
        (Credentials::default(), "KEY_MISSING"),
        (ticket, "KEY_MISSING"),
        (foreign, "KEY_UNKNOWN"),
        (fixture.bot_key(), "SCOPE_MISSING"),
        (both, "SCOPE_MISSING"),
    ];
    let before = fixture.snapshot().await;
    let mut refused = 0;
    for method in fixture.methods() {
        let name = name(&method);
        for (credentials, expected) in &callers {
            if WITH_TICKET.contains(&&*name) || is_allowed(&name, credentials, &fixture.bot_key) {
                continue;
            }
            let status = fixture.call(&method, credentials).await;
            let status = status.expect_err(&format!("{name} is open to a bot"));
            assert_eq!(reason(&status), *expected, "{name}: {status:?}");
            assert!(status.message().contains(&name) || *expected == "KEY_UNKNOWN");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(fixture.snapshot().await, before);
    // Each refusal is counted for the bot that made the call.
    let counted = fixture.access.take_refused_calls(|_| true);
    assert_eq!(counted.iter().map(|calls| calls.count).sum::<u64>(), refused);
    let seat = CallingBot::Seat { match_id: fixture.running.match_id.clone(), seat: 0 };
    let cancels = |bot: &CallingBot| {
        let is_it = |calls: &&bridgemaster_server::identity::RefusedCalls| {
            calls.bot == *bot && calls.method.ends_with("/CancelMatch")
        };
        counted.iter().find(is_it).map(|calls| calls.count)
    };
    // All calls were made over one connection, on which the ticket of the seat was presented
    // before.
    assert_eq!(cancels(&seat), Some(4), "{counted:?}");
    assert_eq!(cancels(&CallingBot::Key(BOT.to_owned())), Some(1), "{counted:?}");
}

#[tokio::test]
async fn a_match_is_faultless_while_forbidden_calls_about_it_are_refused() {
    let fixture = Fixture::open().await;
    let ticket = fixture.ticket();
    let mut forbidden = fixture.methods();
    forbidden.retain(|method| !is_allowed(&name(method), &ticket, &fixture.bot_key));
    let refused = async {
        loop {
            for method in &forbidden {
                fixture.call(method, &ticket).await.unwrap_err();
            }
        }
    };
    select! {
        result = fixture.server.play(&fixture.waiting) => assert_faultless(&result),
        () = refused => {}
    }
}

#[tokio::test]
async fn the_same_calls_succeed_with_the_required_scopes() {
    let mut fixture = Fixture::open().await;
    let mut changed = Vec::new();
    for method in fixture.methods() {
        let name = name(&method);
        // Methods that only read do not change the fixture. The others may change data that later
        // methods need.
        let verb = method.name();
        let reads = ["Get", "List", "Watch", "Apply", "Sample", "Convert", "Export"];
        let only_reads = reads.iter().any(|read| verb.starts_with(read));
        if !only_reads {
            changed.push(method);
            continue;
        }
        fixture.assert_succeeds(&name, &method).await;
    }
    for method in changed {
        fixture = Fixture::open().await;
        fixture.assert_succeeds(&name(&method), &method).await;
    }
}

#[tokio::test]
async fn a_bot_key_is_valid_for_one_queue_until_it_is_revoked() {
    let fixture = Fixture::open().await;
    let create = CreateQueueRequest { queue: Some(queue("another")) };
    let mut lobby = fixture.organiser.lobby();
    lobby.create_queue(create).await.unwrap();
    let mut bot = fixture.server.with(&fixture.bot_key).lobby();
    let refused = bot.attend(attending("another", BOT)).await;
    assert_eq!(outcome(refused), "QUEUE_UNKNOWN");
    fixture.access.revoke_bot_key(fixture.bot_key.id());
    let refused = bot.attend(attending(QUEUE, BOT)).await;
    assert_eq!(outcome(refused), "KEY_UNKNOWN");
    assert!(fixture.access.issue_bot_key(QUEUE, " ").is_err());
}

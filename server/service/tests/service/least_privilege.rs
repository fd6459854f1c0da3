//! The calls that bots may make on a private server. The methods are listed from the protocol's
//! descriptors.

use std::time::Duration;

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        AttendRequest, AttendResponse, CreateLadderRequest, CreateMatchRequest, CreateQueueRequest,
        Decision, LadderBotRef, LadderState, ListMatchesRequest, ListQueuesRequest, MatchConfig,
        MatchGroup, MatchInfo, MatchResult, Queue, RulesOperation, RulesPosition, SeatReservation,
        SeatResult, SeedReveal, WatchSeatRequest, WatchSeatResponse,
        attend_response::Message as Attended, ladder_service_client::LadderServiceClient,
        lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
        rules_operation::Operation, seat_service_client::SeatServiceClient,
    },
};
use bridgemaster_sdk::{ApiKeyInterceptor, AttendOptions, PlayError};
use bridgemaster_server::{
    ServerOptions,
    identity::{ApiKey, CallingBot, KEY_METADATA, PrivateAccess},
};
use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
    Value,
};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Request, Status, Streaming,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::{Bytes, tokio_stream::once},
    service::interceptor::InterceptedService,
    transport::Channel,
};

use crate::{
    ladder_fixture,
    raw_bot::{hello, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

const QUEUE: &str = "cup";
const BOT: &str = "reused";
const LADDER_BOT: &str = "climber";
/// Methods that require only a ticket.
const WITH_TICKET: [&str; 4] = [
    "PlayService/Play",
    "SeatService/WatchSeat",
    "SeatService/Decide",
    "SeatService/ResignSeat",
];
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

/// A codec for encoded messages, since the methods are known only by their descriptors.
#[derive(Clone, Copy, Default)]
struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put(buffer, item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let length = prost::bytes::Buf::remaining(buffer);
        Ok(Some(prost::bytes::Buf::copy_to_bytes(buffer, length)))
    }
}

/// The credentials that a caller presents.
#[derive(Clone, Default)]
struct Credentials {
    ticket: Option<String>,
    key: Option<String>,
}

type Keyed = InterceptedService<Channel, ApiKeyInterceptor>;

/// A private server with a running match, one that waits for a bot, an ended one, a group, a queue
/// with a bot and an offer, and a ladder with bots.
struct Fixture {
    server: TestServer,
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

fn keyed(server: &TestServer, key: &ApiKey) -> Keyed {
    let key = key.reveal().parse().unwrap();
    InterceptedService::new(server.channel.clone(), ApiKeyInterceptor::new(Some(&key)))
}

async fn make(channel: Keyed, config: MatchConfig) -> Seated {
    let request = CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    };
    let made = MatchServiceClient::new(channel).create_match(request).await;
    let made = made.unwrap().into_inner();
    Seated {
        match_id: made.r#match.unwrap().match_id,
        tickets: made.tickets.into_iter().map(|made| made.ticket).collect(),
    }
}

/// Returns the config of the first match of a group of two. The group stays incomplete.
fn of_group() -> MatchConfig {
    MatchConfig {
        group: Some(MatchGroup {
            group_id: "deal".to_owned(),
            number: 0,
            matches: 2,
            seed_reveal: SeedReveal::WithGroup.into(),
        }),
        ..config(GAMES[0], 2)
    }
}

async fn attend(channel: Keyed, name: &str) -> Streaming<AttendResponse> {
    let request = AttendRequest {
        queue_id: QUEUE.to_owned(),
        bot_name: name.to_owned(),
        slots: 4,
        protocol_revision: 1,
        ..AttendRequest::default()
    };
    let attended = LobbyServiceClient::new(channel).attend(request).await;
    attended.unwrap().into_inner()
}

async fn next(attending: &mut Streaming<AttendResponse>) -> Attended {
    let message = timeout(PATIENCE, attending.message()).await;
    message.unwrap().unwrap().unwrap().message.unwrap()
}

fn private_options() -> (PrivateAccess, ServerOptions) {
    let access = PrivateAccess::generate();
    let options = ServerOptions {
        private: Some(access.clone()),
        rules: true,
        ..ServerOptions::default()
    };
    (access, options)
}

impl Fixture {
    async fn open() -> Self {
        let (access, options) = private_options();
        let server = TestServer::with_options(options).await;
        let organiser = keyed(&server, access.organiser_key());
        let ended = make(organiser.clone(), config(GAMES[0], 2)).await;
        let bots = ended.tickets.iter().map(|ticket| server.good_bot(ticket));
        for bot in bots.collect::<Vec<_>>() {
            bot.await.unwrap().unwrap();
        }
        let running = make(organiser.clone(), of_group()).await;
        let waiting = make(organiser.clone(), config(GAMES[0], 2)).await;
        let seat = seated(&server, &running.tickets[0]).await;
        server.good_bot(&running.tickets[1]);
        let mut lobby = LobbyServiceClient::new(organiser.clone());
        let queue = Queue {
            queue_id: QUEUE.to_owned(),
            ..Queue::default()
        };
        let queue = Some(queue);
        lobby
            .create_queue(CreateQueueRequest { queue })
            .await
            .unwrap();
        let bot_key = access.issue_bot_key(QUEUE, BOT).unwrap();
        let mut attending = attend(keyed(&server, &bot_key), "another name").await;
        let Attended::Attendance(attendance) = next(&mut attending).await else {
            panic!("an attendance comes first");
        };
        assert_eq!(attendance.bot_name, BOT);
        let request = CreateMatchRequest {
            config: Some(config(GAMES[0], 2)),
            seat_reservations: vec![SeatReservation {
                seat: 0,
                key_name: BOT.to_owned(),
                queue_id: QUEUE.to_owned(),
            }],
            ..CreateMatchRequest::default()
        };
        let mut matches = MatchServiceClient::new(organiser.clone());
        matches.create_match(request).await.unwrap();
        let offer = loop {
            if let Attended::Offer(offer) = next(&mut attending).await {
                break offer;
            }
        };
        let ladder = Some(ladder_fixture::of_two());
        let mut ladders = LadderServiceClient::new(organiser.clone());
        ladders
            .create_ladder(CreateLadderRequest { ladder })
            .await
            .unwrap();
        // Attends alone, so that no rated match takes its slots once it is validated.
        let climber = AttendOptions {
            slots: 4,
            key: Some(access.organiser_key().reveal().parse().unwrap()),
            ..AttendOptions::new(&server.url, ladder_fixture::NAME, LADDER_BOT)
        };
        let climb = bridgemaster_sdk::attend(|| Random::new(&Seed::from(1)), climber);
        Self {
            attendance_id: attendance.attendance_id,
            offer_id: offer.offer_id,
            pool: DescriptorPool::decode(DESCRIPTORS).unwrap(),
            server,
            access,
            bot_key,
            running,
            waiting,
            ended,
            _attending: attending,
            _climbing: AbortOnDropHandle::new(tokio::spawn(climb)),
            _seat: seat,
        }
    }

    fn methods(&self) -> Vec<MethodDescriptor> {
        let services = self.pool.services();
        let services = services.filter(|service| service.full_name().starts_with("bridgemaster."));
        services
            .flat_map(|service| service.methods().collect::<Vec<_>>())
            .collect()
    }

    fn organiser(&self) -> Credentials {
        Credentials {
            key: Some(self.access.organiser_key().reveal()),
            ..Credentials::default()
        }
    }

    fn ticket(&self) -> Credentials {
        Credentials {
            ticket: Some(self.running.tickets[0].clone()),
            ..Credentials::default()
        }
    }

    fn bot_key(&self) -> Credentials {
        Credentials {
            key: Some(self.bot_key.reveal()),
            ..Credentials::default()
        }
    }

    /// Calls a method with a valid request, and returns whether it was refused.
    async fn call(
        &self,
        method: &MethodDescriptor,
        credentials: &Credentials,
    ) -> Result<(), Status> {
        let request = self.message(&method.input());
        let mut call = Request::new(once(Bytes::from(request.encode_to_vec())));
        let metadata = call.metadata_mut();
        if let Some(ticket) = &credentials.ticket {
            metadata.insert("authorization", format!("Bearer {ticket}").parse().unwrap());
        }
        if let Some(key) = &credentials.key {
            metadata.insert(KEY_METADATA, key.parse().unwrap());
        }
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        let mut client = tonic::client::Grpc::new(self.server.channel.clone());
        client.ready().await.unwrap();
        let called = client.streaming(call, path.parse().unwrap(), BytesCodec);
        // A stream without a message yet succeeds once its headers arrive.
        let called = timeout(PATIENCE, called).await.expect(&path)?;
        if !method.is_server_streaming() {
            called.into_inner().message().await?;
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
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                answered => return answered,
            }
        }
    }

    /// Returns a valid request that refers to existing matches, queues and bots. Fails on an
    /// unknown field; its value must be added below.
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
        let bot = LadderBotRef {
            bot_name: LADDER_BOT.to_owned(),
            ..LadderBotRef::default()
        };
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
            (_, "config") => set(&config(GAMES[0], 2)),
            (_, "queue") => set(&Queue {
                queue_id: "another".to_owned(),
                ..Queue::default()
            }),
            (_, "ladder") => set(&bridgemaster_proto::v1::Ladder {
                ladder_id: "another".to_owned(),
                ..ladder_fixture::of_two()
            }),
            (_, "state") => Some(Value::EnumNumber(LadderState::Frozen.into())),
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
            | (_, "decisions" | "texts") => None,
            (message, field) => panic!("no valid value is known for {field} of {message}"),
        }
    }

    /// Returns the matches, queues and ladder as the organizer sees them.
    async fn snapshot(&self) -> (Vec<MatchInfo>, Vec<String>, i32) {
        let organiser = keyed(&self.server, self.access.organiser_key());
        let mut matches = MatchServiceClient::new(organiser.clone());
        let listed = matches.list_matches(ListMatchesRequest::default()).await;
        let own = [&self.running, &self.waiting, &self.ended];
        let mut matches = listed.unwrap().into_inner().matches;
        // The ladder creates matches meanwhile.
        matches.retain(|info| own.iter().any(|own| own.match_id == info.match_id));
        let mut lobby = LobbyServiceClient::new(organiser.clone());
        let queues = lobby
            .list_queues(ListQueuesRequest::default())
            .await
            .unwrap();
        let queues = queues.into_inner().queues.into_iter();
        let ladder_id = ladder_fixture::NAME.to_owned();
        let request = bridgemaster_proto::v1::GetLadderRequest { ladder_id };
        let ladder = LadderServiceClient::new(organiser)
            .get_ladder(request)
            .await;
        let ladder = ladder.unwrap().into_inner().ladder.unwrap();
        let queues = queues.map(|queue| queue.queue_id).collect();
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
        config: Some(config(GAMES[0], 2)),
        sample_seed: "test-seed".to_owned(),
        ..RulesPosition::default()
    }
}

/// Takes a seat with unary calls.
async fn seated(server: &TestServer, ticket: &str) -> Streaming<WatchSeatResponse> {
    let mut request = Request::new(WatchSeatRequest {
        hello: Some(hello()),
    });
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let mut seats = SeatServiceClient::new(server.channel.clone());
    let mut watched = seats.watch_seat(request).await.unwrap().into_inner();
    timeout(PATIENCE, watched.message()).await.unwrap().unwrap();
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
    let foreign = Credentials {
        key: Some(ApiKey::generate().reveal()),
        ..ticket.clone()
    };
    let both = Credentials {
        key: fixture.bot_key().key,
        ..ticket.clone()
    };
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
    // Each refusal is counted for the bot that called.
    let counted = fixture.access.take_refused_calls(|_| true);
    assert_eq!(
        counted.iter().map(|calls| calls.count).sum::<u64>(),
        refused
    );
    let seat = CallingBot::Seat {
        match_id: fixture.running.match_id.clone(),
        seat: 0,
    };
    let cancels = |bot: &CallingBot| {
        let is_it = |calls: &&bridgemaster_server::identity::RefusedCalls| {
            calls.bot == *bot && calls.method.ends_with("/CancelMatch")
        };
        counted.iter().find(is_it).map(|calls| calls.count)
    };
    // All calls were made over one connection, which had presented the seat's ticket.
    assert_eq!(cancels(&seat), Some(4), "{counted:?}");
    assert_eq!(
        cancels(&CallingBot::Key(BOT.to_owned())),
        Some(1),
        "{counted:?}"
    );
}

#[tokio::test]
async fn the_same_calls_succeed_with_the_required_scopes() {
    let methods = Fixture::open().await.methods();
    for method in methods {
        // Some methods change data that others need.
        let fixture = Fixture::open().await;
        let name = name(&method);
        let credentials = match &*name {
            name if WITH_TICKET.contains(&name) => vec![fixture.ticket()],
            name if WITH_BOT_KEY.contains(&name) => vec![fixture.bot_key()],
            name if WITH_NOTHING.contains(&name) => {
                vec![Credentials::default(), fixture.organiser()]
            }
            _ => vec![fixture.organiser()],
        };
        for credentials in credentials {
            let answered =
                timeout(PATIENCE, fixture.call_of_ladder_bot(&method, &credentials)).await;
            answered
                .expect(&name)
                .unwrap_or_else(|status| panic!("{name}: {status:?}"));
        }
    }
}

/// Returns a result without the parts that depend on the clock.
fn timeless(result: MatchResult) -> (Vec<SeatResult>, u32) {
    let seats = result.seats.into_iter().map(|seat| SeatResult {
        clock_use: None,
        ..seat
    });
    (seats.collect(), result.decisions)
}

#[tokio::test]
async fn forbidden_calls_of_a_bot_do_not_change_the_result_of_a_match() {
    let mut results = Vec::new();
    for is_disturbed in [false, true] {
        let fixture = Fixture::open().await;
        let first = fixture.server.good_bot(&fixture.waiting.tickets[0]);
        let disturb = async {
            loop {
                for method in fixture.methods() {
                    if !is_allowed(&name(&method), &fixture.ticket(), &fixture.bot_key)
                        && is_disturbed
                    {
                        fixture.call(&method, &fixture.ticket()).await.unwrap_err();
                    }
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let play = async {
            let second = fixture.server.good_bot(&fixture.waiting.tickets[1]);
            first.await.unwrap().unwrap();
            second.await.unwrap().unwrap()
        };
        tokio::select! {
            result = play => results.push(timeless(result)),
            () = disturb => {}
        }
    }
    assert_eq!(results[0], results[1]);
    assert!(results[0].1 > 10);
}

#[tokio::test]
async fn a_bot_key_is_valid_for_one_queue_until_it_is_revoked() {
    let fixture = Fixture::open().await;
    let queue_id = "another".to_owned();
    let organiser = keyed(&fixture.server, fixture.access.organiser_key());
    let queue = Some(Queue {
        queue_id: queue_id.clone(),
        ..Queue::default()
    });
    let mut lobby = LobbyServiceClient::new(organiser);
    lobby
        .create_queue(CreateQueueRequest { queue })
        .await
        .unwrap();
    let request = || AttendRequest {
        queue_id: queue_id.clone(),
        bot_name: BOT.to_owned(),
        slots: 1,
        protocol_revision: 1,
        ..AttendRequest::default()
    };
    let mut bot = LobbyServiceClient::new(keyed(&fixture.server, &fixture.bot_key));
    let refused = bot.attend(request()).await.unwrap_err();
    assert_eq!(reason(&refused), "QUEUE_UNKNOWN", "{refused:?}");
    fixture.access.revoke_bot_key(fixture.bot_key.id());
    let own = AttendRequest {
        queue_id: QUEUE.to_owned(),
        ..request()
    };
    let refused = bot.attend(own).await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_UNKNOWN", "{refused:?}");
    assert!(fixture.access.issue_bot_key(QUEUE, " ").is_err());
}

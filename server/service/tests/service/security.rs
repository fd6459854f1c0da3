//! Attacks by callers without access: each is refused with its reason, and the server continues.

use bridgemaster_proto::v1::{
    ListMatchesRequest, MatchInfo, Resign, SeatState, WatchMatchRequest, play_request,
    play_response,
};
use prost::Message as _;
use tokio_stream::StreamExt as _;
use tonic::{
    Code, Request, Status,
    codegen::Bytes,
    metadata::{AsciiMetadataValue, BinaryMetadataValue, MetadataMap},
};

use crate::{
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

const PLAY: &str = "/bridgemaster.v1.PlayService/Play";
const CREATE_MATCH: &str = "/bridgemaster.v1.MatchService/CreateMatch";

/// A codec that sends bytes unchanged.
#[derive(Clone, Debug, Default)]
struct RawBytes(Vec<u8>);

impl prost::Message for RawBytes {
    fn encode_raw(&self, buffer: &mut impl prost::bytes::BufMut) {
        buffer.put_slice(&self.0);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: prost::encoding::WireType,
        buffer: &mut impl prost::bytes::Buf,
        context: prost::encoding::DecodeContext,
    ) -> Result<(), prost::DecodeError> {
        prost::encoding::skip_field(wire_type, tag, buffer, context)
    }

    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Sends these bytes with this metadata, and returns the status.
async fn call(server: &TestServer, path: &str, metadata: MetadataMap, bytes: Vec<u8>) -> Status {
    let mut client = tonic::client::Grpc::new(server.channel.clone());
    client.ready().await.unwrap();
    let requests = tokio_stream::once(RawBytes(bytes)).chain(tokio_stream::pending());
    let mut request = Request::new(requests);
    *request.metadata_mut() = metadata;
    let codec = tonic_prost::ProstCodec::<RawBytes, RawBytes>::default();
    let calling = async {
        let response = client
            .streaming(request, path.parse().unwrap(), codec)
            .await?;
        let mut inbound = response.into_inner();
        while inbound.message().await?.is_some() {}
        Ok::<_, Status>(())
    };
    let ended = tokio::time::timeout(PATIENCE, calling).await.unwrap();
    ended.expect_err("the call is refused")
}

fn bearer(ticket: &str) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    metadata.insert("authorization", format!("Bearer {ticket}").parse().unwrap());
    metadata
}

fn hello_bytes() -> Vec<u8> {
    request(play_request::Message::Hello(hello())).encode_to_vec()
}

/// Plays a match to its end, to show that the server still works.
async fn assert_server_works(server: &TestServer) {
    let seated = server.create(config(GAMES[0], 2)).await;
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        let result = bot.await.unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn metadata_without_exactly_one_bearer_ticket_is_refused_with_the_reason() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let (own, other) = (seated.tickets[0].as_str(), seated.tickets[1].as_str());
    let value = |bytes: &[u8]| AsciiMetadataValue::try_from(bytes).unwrap();
    let with = |values: &[&[u8]]| {
        let mut metadata = MetadataMap::new();
        for bytes in values {
            metadata.append("authorization", value(bytes));
        }
        metadata
    };
    let good = format!("Bearer {own}");
    let mut binary = MetadataMap::new();
    binary.insert_bin(
        "authorization-bin",
        BinaryMetadataValue::from_bytes(good.as_bytes()),
    );
    let cases = [
        (with(&[]), "TICKET_MISSING"),
        (with(&[b""]), "TICKET_MISSING"),
        (with(&[b"Bearer"]), "TICKET_MISSING"),
        (with(&[own.as_bytes()]), "TICKET_MISSING"),
        (with(&[good.as_bytes(), good.as_bytes()]), "TICKET_MISSING"),
        (
            with(&[good.as_bytes(), format!("Bearer {other}").as_bytes()]),
            "TICKET_MISSING",
        ),
        (with(&[b"Bearer \xff\xfe"]), "TICKET_MISSING"),
        (binary, "TICKET_MISSING"),
        (with(&[b"Bearer "]), "TICKET_UNKNOWN"),
        (with(&[b"Bearer  \t "]), "TICKET_UNKNOWN"),
        (
            with(&[format!("Bearer {own},{own}").as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (
            with(&[format!("Bearer {own} {other}").as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (
            with(&[format!("Bearer {}", own.to_uppercase()).as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (
            with(&[format!("Bearer {own}x").as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (
            with(&[format!("Bearer {}", &own[1..]).as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (
            with(&[format!("Bearer {}", "x".repeat(4_000)).as_bytes()]),
            "TICKET_UNKNOWN",
        ),
        (with(&[b"Bearer ' OR 1=1 --"]), "TICKET_UNKNOWN"),
    ];
    for (metadata, why) in cases {
        let status = call(&server, PLAY, metadata.clone(), hello_bytes()).await;
        assert_eq!(reason(&status), why, "{metadata:?}");
        assert_eq!(status.code(), Code::Unauthenticated);
        assert!(
            !format!("{status:?}").contains(own),
            "no ticket is repeated"
        );
    }
    // HTTP schemes are case-insensitive.
    for scheme in ["bearer", "BEARER"] {
        let first = request(play_request::Message::Hello(hello()));
        let shown = format!("{scheme} {own}");
        let player = server.player().await;
        let mut bot = RawBot::open_with(player, Some(&shown), first)
            .await
            .unwrap();
        let welcome = bot.next().await.unwrap();
        assert!(matches!(welcome, Some(play_response::Message::Welcome(_))));
    }
}

#[tokio::test]
async fn metadata_over_the_limit_is_refused_without_effect_on_others() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut huge = bearer(&seated.tickets[0]);
    for _ in 0..4 {
        huge.append("x-padding", "x".repeat(4_000).parse().unwrap());
    }
    let status = call(&server, PLAY, huge, hello_bytes()).await;
    assert_ne!(status.code(), Code::Ok);
    let info = server.info(&seated.match_id).await;
    assert_eq!(info.seats[0].bot_name, "", "nobody joined");
    assert_server_works(&server).await;
}

#[tokio::test]
async fn deeply_nested_messages_are_refused_without_other_effects() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    // Groups of an unknown field that are never closed, and messages nested in field 1.
    let groups = vec![15 << 3 | 3; 7_000];
    let mut nested = Vec::new();
    for _ in 0..10_000 {
        let mut outer = vec![1 << 3 | 2];
        prost::encoding::encode_varint(nested.len() as u64, &mut outer);
        outer.extend_from_slice(&nested);
        nested = outer;
        if nested.len() > 7_000 {
            break;
        }
    }
    let endless = vec![0xff; 7_000];
    // A length beyond the end of the message that also overflows an integer.
    let beyond = [vec![1 << 3 | 2], vec![0xff; 9], vec![1]].concat();
    for bytes in [groups, nested, endless, beyond] {
        let metadata = bearer(&seated.tickets[0]);
        let status = call(&server, PLAY, metadata, bytes.clone()).await;
        assert_eq!(reason(&status), "MALFORMED_MESSAGE", "{status:?}");
        let status = call(&server, CREATE_MATCH, MetadataMap::new(), bytes).await;
        assert_eq!(reason(&status), "MALFORMED_MESSAGE", "{status:?}");
    }
    assert_server_works(&server).await;
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_before_it_is_fully_read() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let metadata = bearer(&seated.tickets[0]);
    let status = call(&server, PLAY, metadata, vec![0; 8_193]).await;
    assert_eq!(reason(&status), "MALFORMED_MESSAGE");
    assert!(status.message().contains("8192"), "{status:?}");
    let status = call(&server, CREATE_MATCH, MetadataMap::new(), vec![0; 65_537]).await;
    assert_eq!(reason(&status), "MALFORMED_MESSAGE");
    assert!(status.message().contains("65536"), "{status:?}");

    // Announces 4 GiB and sends nothing.
    let address = server.url.strip_prefix("http://").unwrap();
    let socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let (mut client, connection) = h2::client::handshake(socket).await.unwrap();
    tokio::spawn(connection);
    let call = tonic::codegen::http::Request::post(format!("{}{PLAY}", server.url))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", format!("Bearer {}", seated.tickets[0]))
        .body(())
        .unwrap();
    let (response, mut body) = client.send_request(call, false).unwrap();
    let head = Bytes::from_static(&[0, 0xff, 0xff, 0xff, 0xff]);
    body.send_data(head, false).unwrap();
    let mut inbound = response.await.unwrap().into_body();
    while inbound.data().await.is_some() {}
    let trailers = inbound.trailers().await.unwrap().unwrap();
    let status = Status::from_header_map(&trailers).unwrap();
    assert_eq!(reason(&status), "MALFORMED_MESSAGE");
    assert_server_works(&server).await;
}

#[tokio::test]
async fn a_ticket_is_valid_only_for_its_own_seat() {
    let server = TestServer::open().await;
    for game in GAMES {
        let (mine, yours) = (
            server.create(config(game, 2)).await,
            server.create(config(game, 2)).await,
        );
        let mut bot = RawBot::join(&server, &mine.tickets[0]).await;
        // The identifier of a match is no ticket.
        let first = request(play_request::Message::Hello(hello()));
        let refused = RawBot::open(&server, &yours.match_id, first).await;
        assert_eq!(reason(&refused.err().unwrap()), "TICKET_UNKNOWN");

        let _other = RawBot::join(&server, &mine.tickets[1]).await;
        bot.started().await;
        let before = server.info(&yours.match_id).await;
        // Messages of a stream apply to its own match; they cannot name another one.
        bot.send(play_request::Message::Resign(Resign {})).await;
        assert_eq!(reason(&bot.end().await.unwrap()), "SEAT_CLOSED");
        assert_eq!(server.info(&yours.match_id).await, before);
        let own = server.info(&mine.match_id).await;
        assert_eq!(own.seats[0].state(), SeatState::Forfeited, "{own:?}");
    }
}

/// Asserts that a message contains no secret of a running match.
fn assert_secret(message: &impl prost::Message, secrets: &[String]) {
    let bytes = message.encode_to_vec();
    for secret in secrets {
        let found = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!found, "{secret} is revealed");
    }
}

#[tokio::test]
async fn seed_tickets_and_replay_of_a_running_match_are_secret() {
    let server = TestServer::open().await;
    for game in GAMES {
        let mut rules = config(game, 2);
        // A separate match, since an ended one reveals its seed.
        let seed = format!("a-seed-to-be-kept.{game}");
        rules.seed = Some(seed.clone());
        let seated = server.create(rules).await;
        let secrets = [seated.tickets.clone(), vec![seed.clone()]].concat();
        let request = || WatchMatchRequest {
            match_id: seated.match_id.clone(),
        };
        let updates = server.matches().watch_match(request()).await.unwrap();
        let mut updates = updates.into_inner();
        let mut bot = RawBot::join(&server, &seated.tickets[0]).await;
        let mut other = RawBot::join(&server, &seated.tickets[1]).await;
        assert_secret(&bot.started().await, &secrets);
        assert_secret(&other.started().await, &secrets);

        let refused = server.replay(&seated.match_id).await.unwrap_err();
        assert_eq!(reason(&refused), "MATCH_RUNNING");
        let info: MatchInfo = server.info(&seated.match_id).await;
        assert!(info.seed_salt.is_empty() && !info.seed_commitment.is_empty());
        assert_secret(&info, &secrets);
        let mut client = server.matches();
        let listed = client.list_matches(ListMatchesRequest::default()).await;
        assert_secret(&listed.unwrap().into_inner(), &secrets);
        for _ in 0..3 {
            assert_secret(&updates.message().await.unwrap().unwrap(), &secrets);
        }

        let (played, _) = tokio::join!(bot.play_on(), other.play_on());
        assert_eq!(played.seed, seed);
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert_secret(&replay, &seated.tickets);
    }
}

/// Observations of spectators never contain private knowledge of seats, so all spectators get the
/// same.
#[tokio::test]
async fn a_bot_that_watches_its_own_match_sees_what_every_spectator_sees() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let mut bot = RawBot::join(&server, &seated.tickets[0]).await;
        let other = RawBot::join(&server, &seated.tickets[1]).await;
        bot.started().await;
        let watch = async |metadata: MetadataMap| {
            let mut request = Request::new(WatchMatchRequest {
                match_id: seated.match_id.clone(),
            });
            *request.metadata_mut() = metadata;
            let updates = server.matches().watch_match(request).await.unwrap();
            updates.into_inner().message().await.unwrap().unwrap()
        };
        let shown = watch(bearer(&seated.tickets[0])).await;
        assert!(shown.observation.is_some());
        assert_eq!(shown, watch(MetadataMap::new()).await);
        drop(other);
    }
}

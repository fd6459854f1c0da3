//! Attacks by callers without access: each is refused with its reason, and the server continues.

use bridgemaster_proto::v1::{SeatState, WatchMatchRequest};
use prost::Message as _;
use tokio_stream::StreamExt as _;
use tonic::{
    Code, Request, Status,
    codegen::Bytes,
    metadata::{AsciiMetadataValue, BinaryMetadataValue, MetadataMap},
};

use crate::{
    caller::Caller,
    raw_bot::{RawBot, bearer, hello_message, request},
    raw_call::{CREATE_MATCH, NarrowClient, PLAY, metadata, start},
    streams::{end, outcome, reason},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two},
};

/// Sends these bytes with this metadata, and returns the status.
async fn refused(server: &Caller, path: &str, metadata: MetadataMap, bytes: Vec<u8>) -> Status {
    let messages = tokio_stream::once(Bytes::from(bytes));
    let messages = messages.chain(tokio_stream::pending());
    match start(server, path, metadata, messages).await {
        Err(status) => status,
        Ok(mut inbound) => end(&mut inbound).await,
    }
}

fn with_ticket(ticket: &str) -> MetadataMap {
    metadata(&[("authorization", &bearer(ticket))])
}

/// Plays a match to its end, to show that the server still works.
async fn assert_server_works(server: &Caller) {
    let seated = server.create(of_two()).await;
    assert_faultless(&server.play(&seated).await);
}

#[tokio::test]
async fn metadata_without_exactly_one_bearer_ticket_is_refused_with_the_reason() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let (own, other) = (seated.tickets[0].as_str(), seated.tickets[1].as_str());
    let with = |values: &[&[u8]]| {
        let mut metadata = MetadataMap::new();
        for bytes in values {
            let value = AsciiMetadataValue::try_from(*bytes).unwrap();
            metadata.append("authorization", value);
        }
        metadata
    };
    let good = bearer(own);
    let mut binary = MetadataMap::new();
    let value = BinaryMetadataValue::from_bytes(good.as_bytes());
    binary.insert_bin("authorization-bin", value);
    let missing = [
        with(&[]),
        with(&[b""]),
        with(&[b"Bearer"]),
        with(&[b"Basic abc"]),
        with(&[own.as_bytes()]),
        with(&[good.as_bytes(), good.as_bytes()]),
        with(&[good.as_bytes(), bearer(other).as_bytes()]),
        with(&[b"Bearer \xff\xfe"]),
        binary,
    ];
    let unknown = [
        String::new(),
        " \t ".to_owned(),
        format!("{own},{own}"),
        format!("{own} {other}"),
        own.to_uppercase(),
        format!("{own}x"),
        own[1..].to_owned(),
        "x".repeat(4_000),
        "' OR 1=1 --".to_owned(),
        // The identifier of a match is not a ticket.
        seated.match_id.clone(),
    ];
    let unknown = unknown.map(|ticket| with(&[bearer(&ticket).as_bytes()]));
    let missing = missing.into_iter().map(|metadata| (metadata, "TICKET_MISSING"));
    let unknown = unknown.into_iter().map(|metadata| (metadata, "TICKET_UNKNOWN"));
    let hello = request(hello_message()).encode_to_vec();
    for (metadata, why) in missing.chain(unknown) {
        let status = refused(&server, PLAY, metadata.clone(), hello.clone()).await;
        assert_eq!(reason(&status), why, "{metadata:?}");
        assert_eq!(status.code(), Code::Unauthenticated);
        let text = format!("{status:?}");
        assert!(!text.contains(own), "no ticket is repeated");
    }
    // HTTP schemes are case-insensitive.
    for scheme in ["bearer", "BEARER"] {
        let shown = format!("{scheme} {own}");
        let metadata = [("authorization", &*shown)];
        let bot = RawBot::open_with(&server, &metadata, Some(hello_message())).await;
        bot.unwrap().welcomed().await.unwrap();
    }
}

#[tokio::test]
async fn metadata_over_the_limit_is_refused_without_effect_on_others() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let mut huge = with_ticket(&seated.tickets[0]);
    for _ in 0..4 {
        huge.append("x-padding", "x".repeat(4_000).parse().unwrap());
    }
    let hello = request(hello_message()).encode_to_vec();
    let status = refused(&server, PLAY, huge, hello).await;
    assert_ne!(status.code(), Code::Ok);
    let info = server.info(&seated.match_id).await;
    assert_eq!(info.seats[0].bot_name, "", "nobody joined");
    assert_server_works(&server).await;
}

#[tokio::test]
async fn malformed_and_large_messages_are_refused_without_other_effects() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    // Groups of an unknown field that are never closed, and messages that are nested in field 1.
    let groups = vec![15 << 3 | 3; 7_000];
    let mut nested = Vec::new();
    while nested.len() <= 7_000 {
        let mut outer = vec![1 << 3 | 2];
        prost::encoding::encode_varint(nested.len() as u64, &mut outer);
        outer.extend_from_slice(&nested);
        nested = outer;
    }
    let endless = vec![0xff; 7_000];
    // A length beyond the end of the message, which also overflows an integer.
    let beyond = [vec![1 << 3 | 2], vec![0xff; 9], vec![1]].concat();
    let invalid = [groups, nested, endless, beyond];
    let invalid = invalid.map(|bytes| (bytes.clone(), bytes, ["", ""]));
    let large = (vec![0; 8_193], vec![0; 65_537], ["8192", "65536"]);
    for (to_play, to_create, limits) in invalid.into_iter().chain([large]) {
        let ends = [
            refused(&server, PLAY, with_ticket(ticket), to_play).await,
            refused(&server, CREATE_MATCH, MetadataMap::new(), to_create).await,
        ];
        for (status, limit) in ends.iter().zip(limits) {
            assert_eq!(reason(status), "MALFORMED_MESSAGE", "{status:?}");
            assert!(status.message().contains(limit), "{status:?}");
        }
    }
    // Announces 4 GiB and sends nothing.
    let mut client = NarrowClient::connect(&server, 65_535).await;
    let headers = [("authorization", &*bearer(ticket))];
    let head = vec![0, 0xff, 0xff, 0xff, 0xff];
    let (_body, response) = client.start(PLAY, &headers, head).await;
    assert_eq!(reason(&response.read().await), "MALFORMED_MESSAGE");
    assert_server_works(&server).await;
}

#[tokio::test]
async fn a_ticket_is_valid_only_for_its_own_seat() {
    let server = TestServer::open().await;
    let mine = server.create(of_two()).await;
    let yours = server.create(of_two()).await;
    let [mut bot, _other] = server.join_all(&mine).await;
    bot.started().await;
    let before = server.info(&yours.match_id).await;
    // Messages on a stream apply to the match of that stream; they cannot name another one.
    bot.resign().await;
    assert_eq!(reason(&bot.end().await.unwrap()), "SEAT_CLOSED");
    assert_eq!(server.info(&yours.match_id).await, before);
    let own = server.info(&mine.match_id).await;
    assert_eq!(own.seats[0].state(), SeatState::Forfeited, "{own:?}");
    assert_eq!(outcome(server.replay(&mine.match_id).await), "MATCH_RUNNING");
}

/// Observations of spectators never contain private knowledge of seats, so all spectators get the
/// same.
#[tokio::test]
async fn a_bot_that_watches_its_own_match_sees_what_every_spectator_sees() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let [mut bot, _other] = server.join_all(&seated).await;
        bot.started().await;
        let watch = async |metadata: MetadataMap| {
            let mut request = Request::new(WatchMatchRequest { match_id: seated.match_id.clone() });
            *request.metadata_mut() = metadata;
            let updates = server.matches().watch_match(request).await.unwrap();
            updates.into_inner().message().await.unwrap().unwrap()
        };
        let shown = watch(with_ticket(&seated.tickets[0])).await;
        assert!(shown.observation.is_some());
        assert_eq!(shown, watch(MetadataMap::new()).await);
    }
}

//! The web page: its files, the calls of browsers, and protection against calls of other pages.

use std::{collections::HashMap, net::SocketAddr};

use bridgemaster_proto::v1::{
    GetMatchRequest, GetMatchResponse, MatchState, WatchPositionsResponse,
};
use bridgemaster_server::{Limits, ServerOptions, identity::KeyScope::Read};
use prost::Message;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
};

use crate::{
    caller::positions_of,
    raw_call::{LIST_MATCHES, framed_message},
    streams::PATIENCE,
    test_server::{TestServer, config, of_two, without_bots},
};

/// A response in HTTP/1.1.
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// Sends a request to the page over a separate connection.
async fn ask(
    page: SocketAddr,
    method: &str,
    path: &str,
    more: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut connection = TcpStream::connect(page).await.unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !more.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {page}\r\n");
    }
    for (name, value) in more {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    connection.write_all(head.as_bytes()).await.unwrap();
    // After a refusal the server stops reading.
    let _ = connection.write_all(body).await;
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, connection.read_to_end(&mut bytes)).await;
    read.expect("the server answers").unwrap();
    parsed(&bytes)
}

fn parsed(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: HashMap<_, _> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let is_chunked = headers.get("transfer-encoding").is_some_and(|one| one == "chunked");
    let body = &bytes[end + 4..];
    Answer {
        status: status.parse().unwrap(),
        headers,
        body: if is_chunked { unchunked(body) } else { body.to_vec() },
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n").unwrap();
        let length =
            usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 4 + length..];
    }
}

pub(crate) async fn get(page: SocketAddr, path: &str, more: &[(&str, &str)]) -> Answer {
    ask(page, "GET", path, more, b"").await
}

const WEB: (&str, &str) = ("content-type", "application/grpc-web+proto");

/// Makes a gRPC-Web call, and returns its messages and trailers.
async fn call<M: Message + Default>(
    page: SocketAddr,
    method: &str,
    request: &impl Message,
    more: &[(&str, &str)],
) -> (Vec<M>, String) {
    let body = framed_message(request);
    let path = format!("/bridgemaster.v1.{method}");
    let answer = ask(page, "POST", &path, &[&[WEB], more].concat(), &body).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), WEB.1);
    assert_eq!(answer.header("x-accel-buffering"), "no");
    let (mut messages, mut trailers) = (Vec::new(), String::new());
    let mut rest = &answer.body[..];
    while let Some((head, after)) = rest.split_first_chunk::<5>() {
        let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
        let (bytes, after) = after.split_at(length);
        match head[0] {
            0 => messages.push(M::decode(bytes).unwrap()),
            _ => trailers = String::from_utf8(bytes.to_vec()).unwrap(),
        }
        rest = after;
    }
    if trailers.is_empty() {
        trailers = format!(
            "grpc-status:{}\r\n{}",
            answer.header("grpc-status"),
            answer.header("grpc-message")
        );
    }
    (messages, trailers)
}

#[tokio::test]
async fn paths_without_a_file_serve_the_page_with_security_headers() {
    let server = TestServer::open().await;
    for path in ["/", "/m/0123456789abcdef?at=37&seat=2", "/replay", "/anything/else"] {
        let answer = get(server.page, path, &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert!(answer.text().starts_with("<!doctype html>"), "{path}");
        assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    }
    assert!(get(server.page, "/m/1", &[]).await.text().contains("src=\"../page.js\""));
    for (path, kind) in [("/page.js", "text/javascript"), ("/page.css", "text/css")] {
        let answer = get(server.page, path, &[]).await;
        assert_eq!(answer.header("content-type"), format!("{kind}; charset=utf-8"));
        assert!(!answer.body.is_empty());
    }
    for path in ["/", "/page.js", "/bridgemaster.v1.MatchService/GetMatch", "/open-replay"] {
        let answer = get(server.page, path, &[]).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "),
            "{path}: {policy}"
        );
        for directive in [
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(directive), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("://"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn the_health_is_reported_to_browsers_and_load_balancers() {
    let server = TestServer::open().await;
    let request = framed_message(&HealthCheckRequest::default());
    let path = "/grpc.health.v1.Health/Check";
    let answer = ask(server.page, "POST", path, &[WEB], &request).await;
    assert_eq!(answer.status, 200);
    let serving = framed_message(&HealthCheckResponse { status: ServingStatus::Serving.into() });
    assert!(answer.body.starts_with(&serving), "{:?}", answer.body);
}

#[tokio::test]
async fn a_cached_file_is_not_sent_again() {
    let server = TestServer::open().await;
    let first = get(server.page, "/page.js", &[]).await;
    let etag = first.header("etag");
    assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10, "{etag}");
    assert_eq!(first.header("cache-control"), "no-cache");
    let others = format!("\"other\", W/{etag}");
    for known in [etag, &others, "*"] {
        let again = get(server.page, "/page.js", &[("if-none-match", known)]).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), etag);
    }
    let changed = get(server.page, "/page.js", &[("if-none-match", "\"other\"")]).await;
    assert_eq!((changed.status, changed.body), (200, first.body.clone()));
    let head = ask(server.page, "HEAD", "/page.js", &[], b"").await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), first.body.len().to_string());
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let refused = ask(server.page, method, "/", &[], b"").await;
        assert_eq!(refused.status, 405, "{method}");
    }
}

#[tokio::test]
async fn requests_of_foreign_hosts_and_origins_are_refused() {
    let server = TestServer::open().await;
    let port = server.page.port();
    let hosts = [
        format!("evil.example:{port}"),
        "evil.example".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
    ];
    for host in &hosts {
        for path in ["/", "/page.js", "/m/1"] {
            let refused = get(server.page, path, &[("host", host)]).await;
            assert_eq!(refused.status, 403, "{host} {path}");
            assert!(refused.text().contains("--page-host"), "{}", refused.text());
        }
        for path in [LIST_MATCHES, "/open-replay"] {
            let refused = ask(server.page, "POST", path, &[("host", host), WEB], &[0; 5]).await;
            assert_eq!(refused.status, 403, "{host} {path}");
        }
    }
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    for origin in ["http://evil.example", "null", other_port.as_str()] {
        let more = [("origin", origin), WEB];
        let refused = ask(server.page, "POST", LIST_MATCHES, &more, &[0; 5]).await;
        assert_eq!(refused.status, 403, "{origin}");
        assert!(refused.text().contains("another origin"), "{}", refused.text());
    }
    // The server's own origin, and one with a configured host name.
    let own = format!("http://127.0.0.1:{port}");
    let named = [("host", "bridge.example"), ("origin", "https://bridge.example")];
    // A proxy that replaced the host.
    let proxied = [("origin", "https://bridge.example")];
    for more in [&[("origin", own.as_str())][..], &named, &proxied] {
        assert_eq!(get(server.page, "/", more).await.status, 200, "{more:?}");
        let more = [more, &[WEB]].concat();
        let answer = ask(server.page, "POST", LIST_MATCHES, &more, &[0; 5]).await;
        assert_eq!(answer.status, 200);
        // No CORS header permits other origins.
        assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")));
    }
}

#[tokio::test]
async fn a_browser_calls_the_services_with_grpc_web_and_refusals_keep_their_reasons() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let request =
        GetMatchRequest { match_id: seated.match_id.clone(), ..GetMatchRequest::default() };
    let method = "MatchService/GetMatch";
    let (messages, trailers) = call::<GetMatchResponse>(server.page, method, &request, &[]).await;
    assert!(trailers.contains("grpc-status:0"), "{trailers}");
    let info = messages[0].r#match.clone().unwrap();
    assert_eq!(info.match_id, seated.match_id);
    let unknown = GetMatchRequest { match_id: "none".to_owned(), ..GetMatchRequest::default() };
    let (messages, trailers) = call::<GetMatchResponse>(server.page, method, &unknown, &[]).await;
    assert!(messages.is_empty());
    assert!(trailers.contains("grpc-status:5") && trailers.contains("none"), "{trailers}");

    let request = positions_of(&seated.match_id, &[]);
    let method = "MatchService/WatchPositions";
    let watching = call::<WatchPositionsResponse>(server.page, method, &request, &[]);
    let ((messages, trailers), _) = tokio::join!(watching, server.play(&seated));
    assert!(trailers.contains("grpc-status:0"), "{trailers}");
    let last = messages.last().unwrap();
    assert_eq!(last.r#match.as_ref().unwrap().state(), MatchState::Ended);
}

#[tokio::test]
async fn an_invalid_browser_call_is_refused_with_a_message() {
    let server = TestServer::open().await;
    let path = LIST_MATCHES;
    let grpc = [("content-type", "application/grpc")];
    let refused = ask(server.page, "POST", path, &grpc, &[0; 5]).await;
    assert_eq!(refused.status, 415);
    // A form on a page of another origin is sent without a preflight request.
    let form = [("content-type", "text/plain")];
    assert_eq!(ask(server.page, "POST", path, &form, &[0; 5]).await.status, 415);
    assert_eq!(get(server.page, path, &[WEB]).await.status, 405);
    let play = "/bridgemaster.v1.PlayService/Play";
    let refused = ask(server.page, "POST", play, &[WEB], &[0; 5]).await;
    assert_eq!(refused.status, 404);
    assert!(refused.text().contains("the server's own port"), "{}", refused.text());
}

#[tokio::test]
async fn on_a_server_with_keys_the_page_is_public_and_its_calls_are_not() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let page = server.page;
    assert_eq!(get(page, "/", &[]).await.status, 200);
    let request = GetMatchRequest::default();
    let (_, trailers) =
        call::<GetMatchResponse>(page, "MatchService/GetMatch", &request, &[]).await;
    assert!(trailers.contains("grpc-status:16"), "{trailers}");
    let refused = ask(page, "POST", "/open-replay", &[], b"x").await;
    assert_eq!(refused.status, 401);
    let shown = server.caller("reader", &[Read]).await.key().reveal();
    let key = [("x-bridgemaster-key", shown.as_str())];
    let (_, trailers) =
        call::<GetMatchResponse>(page, "MatchService/GetMatch", &request, &key).await;
    assert!(trailers.contains("grpc-status:5"), "{trailers}");
    let refused = ask(page, "POST", "/open-replay", &key, b"x").await;
    assert_eq!(refused.status, 400);
}

/// Splits a body into length-delimited messages.
fn delimited(mut bytes: &[u8]) -> Vec<WatchPositionsResponse> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        messages.push(WatchPositionsResponse::decode_length_delimited(&mut bytes).unwrap());
    }
    messages
}

#[tokio::test]
async fn a_replay_file_opens_without_a_key_and_an_invalid_one_is_refused() {
    let server = TestServer::open().await;
    let seated = server.create(config("carcassonne", 2)).await;
    let result = server.play(&seated).await;
    let mut file = server.replay_file(&seated.match_id).await.unwrap();
    let answer = ask(server.page, "POST", "/open-replay", &[], &file).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    let messages = delimited(&answer.body);
    assert_eq!(messages.len(), result.decisions as usize + 1);
    assert_eq!(messages[0].r#match.as_ref().unwrap().result.as_ref(), Some(&result));
    for message in &messages {
        assert_eq!(message.position.as_ref().unwrap().observations.len(), 3);
    }
    let middle = file.len() / 2;
    file[middle] ^= 1;
    for (bad, why) in [(&file[..], "altered"), (b"<img onerror=alert(1)>", "not a replay file")] {
        let refused = ask(server.page, "POST", "/open-replay", &[], bad).await;
        assert_eq!(refused.status, 400);
        assert_eq!(refused.header("content-type"), "text/plain; charset=utf-8");
        assert!(refused.text().contains(why), "{}", refused.text());
    }
    let large = vec![0; 4 * 1024 * 1024 + 1];
    let refused = ask(server.page, "POST", "/open-replay", &[], &large).await;
    assert_eq!(refused.status, 413);
}

#[tokio::test]
async fn slow_uploads_do_not_delay_the_replay_files_of_others() {
    let hello_time = 10 * PATIENCE;
    let server = TestServer::with_limits(Limits { hello_time, ..Limits::default() }).await;
    let seated = server.create(without_bots()).await;
    server.result(&seated.match_id).await;
    let file = server.replay_file(&seated.match_id).await.unwrap();
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut connection = TcpStream::connect(server.page).await.unwrap();
        let head = format!(
            "POST /open-replay HTTP/1.1\r\nhost: {}\r\ncontent-length: 100\r\n\r\nfirst bytes",
            server.page
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        slow.push(connection);
    }
    let answer = ask(server.page, "POST", "/open-replay", &[], &file).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_browser_over_the_connection_limit_evicts_the_oldest_connection() {
    let server =
        TestServer::with_limits(Limits { page_connections_per_address: 2, ..Limits::default() })
            .await;
    let mut oldest = TcpStream::connect(server.page).await.unwrap();
    let _other = TcpStream::connect(server.page).await.unwrap();
    assert_eq!(get(server.page, "/", &[]).await.status, 200);
    let mut byte = [0];
    let closed = timeout(PATIENCE, oldest.read(&mut byte)).await.unwrap();
    assert!(!matches!(closed, Ok(1..)));
}

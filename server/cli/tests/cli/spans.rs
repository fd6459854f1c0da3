//! `serve --otlp`.

use std::{fs, net::TcpListener, process::Stdio};

use bridgemaster_server::traces::SpanContext;
use serde_json::Value;
use tokio::time::timeout;
use tonic::transport::{Identity, ServerTlsConfig};

use crate::{
    certificates::Authority,
    collecting::{Collected, Collecting},
    keys::add,
    kit::{
        program::{PATIENCE, bridgemaster, wait_until},
        results::LAGGING,
        served::Served,
    },
    served_match::{create, id_of, play},
};

fn named<'a>(spans: &'a [Collected], name: &str) -> Vec<&'a Collected> {
    spans.iter().filter(|one| one.span.name == name).collect()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_a_trace_of_its_seats_and_decisions_and_commits_name_it() {
    let collecting = Collecting::start().await;
    let data = tempfile::tempdir().unwrap();
    let flags = format!("--no-page --data {}", data.path().display());
    let server = Served::start(format!("{flags} --otlp {}", collecting.address));
    let made = create(&server, &format!("{LAGGING} --seed a-hidden-seed --game alhambra"));
    let match_id = id_of(&made).to_owned();
    // Spans are exported before the match has ended.
    let is_made = |spans: &[Collected]| !named(spans, "make match").is_empty();
    timeout(PATIENCE, collecting.until(is_made)).await.unwrap();
    play(&server, &made);
    server.stop();

    let spans = collecting.spans();
    let whole = named(&spans, "match");
    let [whole] = whole[..] else {
        panic!("{whole:?}");
    };
    let of_match = SpanContext::from_name(&match_id);
    assert_eq!(whole.span.trace_id, of_match.trace.0);
    assert_eq!(whole.span.span_id, of_match.span.0);
    assert_eq!(whole.span.parent_span_id, b"");
    for (name, value) in [
        ("bridgemaster.match.id", &*match_id),
        ("bridgemaster.game", "alhambra"),
        ("bridgemaster.match.seats", "2"),
        ("bridgemaster.match.outcome", "ended"),
        ("bridgemaster.match.spoiled", "false"),
    ] {
        assert_eq!(whole.attribute(name).as_deref(), Some(value), "{name}");
    }
    let within: Vec<_> =
        spans.iter().filter(|one| one.span.parent_span_id == of_match.span.0).collect();
    for one in &within {
        assert_eq!(one.span.trace_id, of_match.trace.0);
        assert_eq!(one.attribute("bridgemaster.match.id").as_ref(), Some(&match_id));
        assert!(one.span.start_time_unix_nano <= one.span.end_time_unix_nano);
    }
    let decisions = named(&spans, "decision");
    assert_eq!(whole.attribute("bridgemaster.match.decisions"), Some(decisions.len().to_string()));
    let by_bots = decisions
        .iter()
        .filter(|one| one.attribute("bridgemaster.decision.by").as_deref() == Some("bot"));
    assert!(by_bots.count() > 10);
    let mut seats: Vec<_> = named(&spans, "seat stream")
        .iter()
        .map(|one| one.attribute("bridgemaster.seat").unwrap())
        .collect();
    seats.sort();
    assert_eq!(seats, ["0", "1"]);
    let commits = named(&spans, "commit");
    let of_this = commits.iter().filter(|commit| {
        let links = &commit.span.links;
        links.iter().any(|to| to.trace_id == of_match.trace.0)
    });
    let writes: usize = of_this
        .map(|commit| commit.attribute("db.operation.batch.size").unwrap())
        .map(|count| count.parse::<usize>().unwrap())
        .sum();
    assert!(writes > decisions.len() / 2, "{writes} writes");
    let others = commits.len() + 1;
    assert_eq!(within.len() + others, spans.len(), "all other spans are within that of the match");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_what_is_exported() {
    let collecting = Collecting::start().await;
    let data = tempfile::tempdir().unwrap();
    let data = data.path();
    let (maker, player) = (add(data, "maker", "create"), add(data, "player", "play"));
    let flags = format!("--no-page --data {} --require-keys", data.display());
    let server = Served::start(format!("{flags} --otlp {}", collecting.address));
    let line = format!("match create --server {} --seats 2 --json", server.url);
    let made = bridgemaster(format!("{line} --seed a-hidden-seed"))
        .env("BRIDGEMASTER_KEY", &maker)
        .output();
    let made: Value = serde_json::from_slice(&made.unwrap().stdout).unwrap();
    let tickets = made["tickets"].as_array().unwrap().iter();
    let tickets: Vec<&str> = tickets.map(|seat| seat["ticket"].as_str().unwrap()).collect();
    let bots = tickets.iter().map(|ticket| {
        bridgemaster("bot random")
            .env("BRIDGEMASTER_SERVER", &server.url)
            .env("BRIDGEMASTER_KEY", &player)
            .env("BRIDGEMASTER_TICKET", ticket)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    });
    for mut bot in bots.collect::<Vec<_>>() {
        assert!(bot.wait().unwrap().success());
    }
    server.stop();
    let bytes = collecting.bytes();
    assert_eq!(named(&collecting.spans(), "match").len(), 1);
    // Returns the secret part: the text after the match identifier of a ticket, or after the id of
    // a key.
    let secret_of = |text: &str| text.rsplit(['_', '.', '-']).next().unwrap().to_owned();
    let keys = [&*maker, &*player, "a-hidden-seed"];
    for text in tickets.iter().copied().chain(keys) {
        assert!(!contains(&bytes, text.as_bytes()));
        assert!(!contains(&bytes, secret_of(text).as_bytes()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_is_a_span_that_failed_with_its_reason() {
    let collecting = Collecting::start().await;
    let server = Served::start(format!("--no-page --otlp {}", collecting.address));
    // No bot joins.
    let made = create(&server, "--startup-ms 1000");
    let trace = SpanContext::from_name(id_of(&made)).trace.0;
    let is_over = |spans: &[Collected]| !named(spans, "match").is_empty();
    let spans = timeout(PATIENCE, collecting.until(is_over)).await.unwrap();
    let faults = named(&spans, "fault");
    assert_eq!(faults.len(), 2);
    for fault in faults {
        assert_eq!(fault.span.trace_id, trace);
        for (name, value) in
            [("error.type", "NEVER_CONNECTED"), ("bridgemaster.fault.action", "FORFEIT")]
        {
            assert_eq!(fault.attribute(name).as_deref(), Some(value));
        }
        assert_eq!(fault.span.status.as_ref().unwrap().code, 2);
    }
    server.stop();
}

#[test]
fn an_unreachable_collector_is_logged_once_and_has_no_other_effect() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let server = Served::start(format!("--no-page --otlp {address}"));
    for seed in ["a", "b"] {
        play(&server, &create(&server, &format!("--seed {seed}")));
    }
    let is_told = || server.log().contains("cannot export spans");
    wait_until("the log reports it", is_told);
    let said = server.stop();
    assert_eq!(said.matches("cannot export spans").count(), 1, "{said}");
    assert_eq!(said.matches("spans were not exported").count(), 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tls_collector_is_trusted_only_with_its_certificate() {
    let authority = Authority::new();
    let own = authority.certify("collector");
    let read = |path| fs::read(path).unwrap();
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(read(&own.cert), read(&own.key)));
    let collecting = Collecting::encrypted(tls).await;
    for (ca, is_believed) in [(authority.ca(), true), (Authority::new().ca(), false)] {
        let before = collecting.spans().len();
        let flags = format!("--no-page --drain-time 0 --otlp {}", collecting.address);
        let mut serve = bridgemaster(format!("serve --listen 127.0.0.1:0 {flags}"));
        let server = Served::by(serve.env("SSL_CERT_FILE", ca));
        create(&server, "--seed a");
        let said = server.stop();
        assert_eq!(collecting.spans().len() > before, is_believed, "{said}");
        let is_lost = said.contains("spans were not exported");
        assert_eq!(is_lost, !is_believed, "{said}");
    }
}

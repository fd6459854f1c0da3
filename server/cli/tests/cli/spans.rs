//! `serve --otlp`.

#![cfg(unix)]

use std::{fs, net::TcpListener, process::Stdio, time::Duration};

use bridgemaster_server::traces::SpanContext;
use serde_json::Value;
use tokio::time::timeout;
use tonic::transport::{Identity, ServerTlsConfig};

use crate::{
    certificates::Authority,
    collecting::{Collected, Collecting},
    program::{bridgemaster, run, succeed},
    served_match::Served,
};

/// Longest time that a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// Makes a match with this seed and more flags: its identifier, and what was told of it.
fn create(server: &Served, seed: &str, more: &[&str]) -> (String, Value) {
    let made = server.create(&format!("--seed {seed} {}", more.join(" ")));
    let match_id = made["match"]["matchId"].as_str().unwrap().to_owned();
    (match_id, made)
}

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
    let data = data.path().join("data");
    let flags = ["--no-page", "--data", data.to_str().unwrap()];
    let server = Served::start(&[&flags[..], &["--otlp", &collecting.address]].concat());
    let (match_id, made) = create(&server, "a-hidden-seed", &["--game", "alhambra"]);
    // What is not over is seen already.
    let is_made = |spans: &[Collected]| !named(spans, "make match").is_empty();
    timeout(PATIENCE, collecting.until(is_made)).await.unwrap();
    server.play(&made);
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
    let within: Vec<_> = spans
        .iter()
        .filter(|one| one.span.parent_span_id == of_match.span.0)
        .collect();
    for one in &within {
        assert_eq!(one.span.trace_id, of_match.trace.0);
        assert_eq!(
            one.attribute("bridgemaster.match.id").as_ref(),
            Some(&match_id)
        );
        assert!(one.span.start_time_unix_nano <= one.span.end_time_unix_nano);
    }
    let decisions = named(&spans, "decision");
    assert_eq!(
        whole.attribute("bridgemaster.match.decisions"),
        Some(decisions.len().to_string())
    );
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
    assert_eq!(
        within.len() + others,
        spans.len(),
        "all others are within the match"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_what_is_exported() {
    let collecting = Collecting::start().await;
    let data = tempfile::tempdir().unwrap();
    let data = data.path().join("data");
    let data = data.to_str().unwrap();
    let key =
        |name: &str, scope: &str| succeed(["key", "add", name, "--scope", scope, "--data", data]);
    let (maker, player) = (key("maker", "create"), key("player", "play"));
    let server = Served::start(&[
        "--no-page",
        "--data",
        data,
        "--require-keys",
        "--otlp",
        &collecting.address,
    ]);
    let made = [
        "match",
        "create",
        "--server",
        &server.url,
        "--seats",
        "2",
        "--json",
        "--seed",
        "a-hidden-seed",
    ];
    let made = bridgemaster(made)
        .env("BRIDGEMASTER_KEY", maker.trim())
        .output();
    let made: Value = serde_json::from_slice(&made.unwrap().stdout).unwrap();
    let tickets: Vec<_> = made["tickets"].as_array().unwrap().iter().collect();
    let tickets: Vec<&str> = tickets
        .iter()
        .map(|seat| seat["ticket"].as_str().unwrap())
        .collect();
    let bots = tickets.iter().map(|ticket| {
        bridgemaster(["bot", "random"])
            .env("BRIDGEMASTER_SERVER", &server.url)
            .env("BRIDGEMASTER_KEY", player.trim())
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
    // What is in a ticket behind the identifier of its match, and in a key behind its beginning.
    let secret_of = |text: &str| text.rsplit(['_', '.', '-']).next().unwrap().to_owned();
    let texts = tickets
        .iter()
        .copied()
        .chain([maker.trim(), player.trim(), "a-hidden-seed"]);
    for text in texts {
        assert!(!contains(&bytes, text.as_bytes()));
        assert!(!contains(&bytes, secret_of(text).as_bytes()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_is_a_span_that_failed_with_its_reason() {
    let collecting = Collecting::start().await;
    let server = Served::start(&["--no-page", "--otlp", &collecting.address]);
    // Nobody comes.
    let (match_id, _) = create(&server, "a", &["--startup-ms", "1000"]);
    let is_over = |spans: &[Collected]| !named(spans, "match").is_empty();
    let spans = timeout(PATIENCE, collecting.until(is_over)).await.unwrap();
    let faults = named(&spans, "fault");
    assert_eq!(faults.len(), 2);
    for fault in faults {
        assert_eq!(
            fault.span.trace_id,
            SpanContext::from_name(&match_id).trace.0
        );
        assert_eq!(
            fault.attribute("error.type").as_deref(),
            Some("NEVER_CONNECTED")
        );
        assert_eq!(
            fault.attribute("bridgemaster.fault.action").as_deref(),
            Some("FORFEIT")
        );
        assert_eq!(fault.span.status.as_ref().unwrap().code, 2);
    }
    server.stop();
}

#[test]
fn a_collector_that_is_not_there_disturbs_nothing_and_is_told_of_once() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let log = tempfile::NamedTempFile::new().unwrap();
    let flags = ["--no-page", "--otlp", &address];
    let server = Served::start_logging_to(log.reopen().unwrap().into(), &flags);
    for seed in ["a", "b"] {
        let (_, made) = create(&server, seed, &[]);
        server.play(&made);
    }
    let said = || fs::read_to_string(log.path()).unwrap();
    crate::program::wait_for("the log tells of it", || {
        said().contains("cannot export spans").then_some(())
    });
    server.stop();
    let said = said();
    assert_eq!(said.matches("cannot export spans").count(), 1, "{said}");
    assert_eq!(said.matches("spans were not exported").count(), 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_with_tls_is_believed_only_with_its_certificate() {
    let authority = Authority::new();
    let own = authority.certify("collector");
    let read = |path| fs::read(path).unwrap();
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(read(&own.cert), read(&own.key)));
    let collecting = Collecting::encrypted(tls).await;
    for (ca, is_believed) in [(authority.ca(), true), (Authority::new().ca(), false)] {
        let log = tempfile::NamedTempFile::new().unwrap();
        let before = collecting.spans().len();
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--no-page"];
        let arguments = [&arguments[..], &["--drain-time", "0"]].concat();
        let server = bridgemaster(arguments.iter().chain(&["--otlp", &collecting.address]))
            .env("SSL_CERT_FILE", ca)
            .stdout(Stdio::piped())
            .stderr(Stdio::from(log.reopen().unwrap()))
            .spawn();
        let server = Served::of(server.unwrap());
        create(&server, "a", &[]);
        server.stop();
        let said = fs::read_to_string(log.path()).unwrap();
        assert_eq!(collecting.spans().len() > before, is_believed, "{said}");
        assert_eq!(
            said.contains("spans were not exported"),
            !is_believed,
            "{said}"
        );
    }
}

#[test]
fn an_address_that_no_collector_can_have_is_refused() {
    let refused = run(["serve", "--otlp", "collector:4317"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("http://HOST:PORT"), "{}", refused.err);
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("server.toml");
    fs::write(&config, "otlp = \"collector:4317\"\n").unwrap();
    let refused = run(["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("otlp: "), "{}", refused.err);
}

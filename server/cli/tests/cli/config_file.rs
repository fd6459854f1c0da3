//! `serve --config FILE`.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use crate::kit::{
    program::{assert_has, refused, run, succeed},
    served::Served,
};

/// The page with the example of a config file.
const CONFIG_FILE: &str = include_str!("../../../../docs/reference/config-file.md");
/// The page for organisers, with the example of a ladder.
const LADDER: &str = include_str!("../../../../docs/guides/class.md");

/// A config file and a folder for data.
struct Config {
    folder: TempDir,
    flag: String,
}

impl Config {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.toml");
        fs::write(&path, text).unwrap();
        let flag = format!("--config {}", path.display());
        Self { folder, flag }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

/// Returns the first TOML block of a page.
fn example(page: &str) -> String {
    let (_, rest) = page.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_example_config_starts_a_server_and_flags_override_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let named = format!("{:?}", data.to_str().unwrap());
    let text = example(CONFIG_FILE).replace("\"data\"", &named);
    let config = Config::new(&text.replace("9464", "0"));
    // Another server may already listen on the address in the file.
    let server = Served::start(&config.flag);
    assert!(!server.url.ends_with(":50051"), "{}", server.url);
    let ran = run(format!("match create --server {} --seats 2", server.url));
    assert_has(&ran.err, &["KEY_MISSING"]);
    assert!(data.join("bridgemaster.db").is_file());
    server.stop();
}

#[test]
fn the_ladder_of_the_page_for_organisers_is_created_and_cannot_change() {
    let text = example(LADDER);
    let config = Config::new(&text);
    let data = format!("--data {}", config.data().display());
    let key = succeed(format!("key add organiser --scope admin {data}"));
    let data = format!("{data} --require-keys");
    // The ladder is created at the first start, and unchanged at the next one.
    for _ in 0..2 {
        let server = Served::start(format!("{data} {}", config.flag));
        let listed = succeed(format!("ladder list --server {} --key {}", server.url, key.trim()));
        assert_has(&listed, &["class", "open"]);
        server.stop();
    }
    let other = Config::new(&text.replace("max_matches = 8", "max_matches = 9"));
    let said = Served::refused(format!("--no-page {data} {}", other.flag));
    assert_has(&said, &["ladder class", "ladder.max_matches"]);
}

#[test]
fn a_limit_of_the_file_holds() {
    let config = Config::new("[limits]\nopen_matches = 1\n");
    let server = Served::start(&config.flag);
    let create = format!("match create --seats 2 --server {}", server.url);
    succeed(&create);
    run(&create).fails(1, &["open_matches = 1"]);
}

#[test]
fn an_entry_that_is_not_known_or_out_of_range_is_refused_with_its_line() {
    let cases: &[(&str, &[&str])] = &[
        ("colour = \"red\"", &["colour", "line 1", "listen"]),
        ("listen = \"here\"", &["listen", "line 1", "127.0.0.1:50051"]),
        (
            "[limits]\ncalls_per_key = 5",
            &["calls_per_key", "line 2", "{ per_second = 1000, burst = 5000 }"],
        ),
        ("log = \"xml\"", &["log", "text", "json"]),
        ("keep_replays = \"a while\"", &["line 1", "90d", "all"]),
        ("drain_time = 86401", &["drain_time", "86400"]),
        ("\n[limits]\nopen_games = 1", &["open_games", "line 3", "open_matches"]),
        ("[limits]\nopen_matches = 0", &["open_matches", "line 2", "positive number"]),
        ("[limits]\nhello_time_ms = 0", &["hello_time_ms", "1 to 86400000"]),
        ("[limits]\noutbound_queue = 100", &["outbound_queue", "line 2", "open_matches"]),
        ("[limits]\nconnections = -1", &["connections", "line 2"]),
        ("[limits]\ncalls_per_key = { per_second = 5 }", &["calls_per_key", "burst"]),
        ("listen = ", &["server.toml", "line 1"]),
        // The file lacks required settings, so the flags must supply them.
        ("require_keys = true", &["--data DIR"]),
        ("durability = \"process\"", &["--data DIR"]),
        ("keep_replays = \"90d\"", &["--data DIR"]),
        ("tls_cert = \"server.pem\"", &["--tls-key"]),
        ("tls_client_ca = \"ca.pem\"", &["--tls-cert"]),
        ("metrics = \"0.0.0.0:0\"", &["--insecure"]),
        ("otlp = \"collector:4317\"", &["line 1", "http://HOST:PORT"]),
    ];
    for (text, named) in cases {
        let config = Config::new(text);
        refused(format!("serve --listen 127.0.0.1:0 {}", config.flag), named);
    }
    run("serve --config no-such-file.toml").fails(1, &["no-such-file.toml"]);
}

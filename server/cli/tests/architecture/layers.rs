//! The layers of the crates: a crate uses only crates in lower layers, and a crate of the server
//! uses no crate for clients. `ARCHITECTURE.md` shows the layers.

use std::collections::BTreeMap;

use crate::cargo::packages;

/// The crates without their prefix, from the lowest layer to the highest.
const LAYERS: &[&[&str]] = &[
    &["games", "contest", "lease", "page", "traces"],
    &["proto", "referee", "greedy", "ladder", "store"],
    &["replay", "rules", "sdk"],
    &["match", "bots", "bot-process", "review"],
    &["edge", "runner"],
    &["cluster"],
    &["live"],
    &["matchmaking"],
    &["server"],
    &["check-bot"],
    &[PROGRAM],
];
/// The crate of the program, whose name is the prefix of the others.
const PROGRAM: &str = "bridgemaster";
/// Crates of the server, which must work without a client in the same process.
const SERVER: &[&str] = &["edge", "cluster", "live", "matchmaking", "server"];
/// Crates for bots and contests, which are clients of a server.
const CLIENTS: &[&str] = &["bots", "bot-process", "runner", "sdk"];
/// Clients that a crate of the server uses in tests, each with the reason.
const CLIENTS_IN_TESTS: &[(&str, &str, &str)] = &[
    ("server", "bots", "plays whole matches"),
    ("server", "runner", "measures the throughput of contests"),
    ("server", "sdk", "connects as a bot does"),
];

fn short(name: &str) -> &str {
    name.strip_prefix("bridgemaster-").unwrap_or(name)
}

/// Returns the layer of each crate.
fn layers() -> BTreeMap<&'static str, usize> {
    let layers = LAYERS.iter().enumerate();
    let crates = layers.flat_map(|(layer, names)| names.iter().map(move |name| (*name, layer)));
    crates.collect()
}

/// Returns the dependencies among the workspace's crates: a crate, a crate that it uses, and
/// whether only its tests use it. A crate's dependency on itself in tests is omitted.
fn arrows() -> Vec<(String, String, bool)> {
    let packages = packages();
    let is_ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut arrows = Vec::new();
    for package in &packages {
        let ours = package.dependencies.iter().filter(|used| is_ours(&used.name));
        for used in ours.filter(|used| used.name != package.name) {
            let is_in_tests = used.kind.as_deref() == Some("dev");
            let (from, to) = (short(&package.name), short(&used.name));
            arrows.push((from.to_owned(), to.to_owned(), is_in_tests));
        }
    }
    arrows
}

#[test]
fn each_crate_has_one_layer() {
    let packages = packages();
    let mut crates: Vec<&str> = packages.iter().map(|package| short(&package.name)).collect();
    let mut listed: Vec<&str> = LAYERS.concat();
    crates.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, crates);
}

#[test]
fn each_crate_uses_only_crates_in_lower_layers() {
    let layers = layers();
    for (from, to, _) in arrows() {
        assert!(
            layers[to.as_str()] < layers[from.as_str()],
            "{from} uses {to}, which is not in a lower layer"
        );
    }
}

#[test]
fn the_server_uses_clients_only_in_the_listed_tests() {
    let mut used: Vec<&(&str, &str, &str)> = Vec::new();
    for (from, to, is_in_tests) in arrows() {
        if !SERVER.contains(&from.as_str()) || !CLIENTS.contains(&to.as_str()) {
            continue;
        }
        let mut listed = CLIENTS_IN_TESTS.iter();
        let exception = listed.find(|exception| exception.0 == from && exception.1 == to);
        assert!(is_in_tests && exception.is_some(), "{from} uses {to}, which is a client");
        used.extend(exception);
    }
    assert_eq!(used.len(), CLIENTS_IN_TESTS.len(), "{used:?}");
}

#[test]
fn the_map_of_the_architecture_shows_these_layers() {
    let page = std::fs::read_to_string(crate::cargo::root().join("ARCHITECTURE.md")).unwrap();
    for (layer, crates) in LAYERS.iter().enumerate() {
        let row = page.lines().find(|line| line.starts_with(&format!("| {layer} |")));
        for name in *crates {
            let is_shown = row.is_some_and(|row| row.contains(&format!("`{name}`")));
            assert!(is_shown, "layer {layer}: {name}: {row:?}");
        }
    }
}

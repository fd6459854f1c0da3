//! Checks dependencies that a crate must not have, neither directly nor indirectly.

use crate::cargo::tree;

/// Crates for waiting, connections, databases and command lines.
const OUTSIDE: &[&str] =
    &["axum", "clap", "h2", "hyper", "prost", "rusqlite", "sqlx", "tokio", "tonic", "tracing"];

/// Crates of a web server, an HTTP client, a database and a command line. The crates of gRPC
/// messages are not listed: they depend on types of tokio, but not on its network or timers.
const SERVER_CRATES: &[&str] =
    &["axum", "clap", "h2", "hyper", "mio", "rusqlite", "rustls", "sqlx"];

/// Crates for the terminal, and crates that only one command needs.
const COMMAND_LINE: &[&str] = &[
    "clap",
    "comfy-table",
    "console",
    "crossterm",
    "csv",
    "indicatif",
    "prost-reflect",
    "quick-junit",
    "shell-words",
];

/// A crate, the dependencies that it must not have, and the reason.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    ("bridgemaster-games", OUTSIDE, "rules follow from their arguments alone"),
    ("bridgemaster-greedy", OUTSIDE, "the features of a decision follow from the rules alone"),
    ("bridgemaster-referee", OUTSIDE, "a referee follows from its inputs alone"),
    ("bridgemaster-contest", OUTSIDE, "statistics follow from their arguments alone"),
    ("bridgemaster-ladder", OUTSIDE, "a ladder follows from its stored rows alone"),
    ("bridgemaster-lease", OUTSIDE, "a node's decisions follow from their inputs alone"),
    ("bridgemaster-match", SERVER_CRATES, "a match needs no server"),
    ("bridgemaster-proto", SERVER_CRATES, "messages need no server"),
    ("bridgemaster-replay", SERVER_CRATES, "a replay is read without a server"),
    ("bridgemaster-review", SERVER_CRATES, "a review follows from its replay alone"),
    ("bridgemaster-rules", SERVER_CRATES, "the logic of RulesService needs no server"),
    (
        "bridgemaster-store",
        &["axum", "clap", "h2", "hyper", "tonic"],
        "a store does not serve callers",
    ),
    (
        "bridgemaster-traces",
        &["axum", "clap", "sqlx"],
        "spans are sent with the client that the server already has",
    ),
    ("bridgemaster-sdk", &["axum", "clap", "rusqlite", "sqlx"], "a bot is not a server"),
    (
        "bridgemaster-server",
        COMMAND_LINE,
        "a program that embeds the server does its own terminal output",
    ),
    (
        "bridgemaster",
        &["icu_normalizer"],
        "twenty crates for international host names, which sqlx never has (Cargo.lock has \
         idna_adapter 1.0, which does without)",
    ),
];

#[test]
fn no_crate_has_a_forbidden_dependency() {
    for (package, forbidden, because) in FORBIDDEN {
        for built in tree(Some(package)) {
            assert!(
                !forbidden.contains(&built.name.as_str()),
                "{package} depends on {} {}, but {because}; see `cargo tree -p {package} -e normal \
                 -i {}`",
                built.name,
                built.version,
                built.name,
            );
        }
    }
}

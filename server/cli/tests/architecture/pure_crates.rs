//! Checks that some crates do not depend on a clock or the environment.

use std::fs;

use crate::cargo::{packages, root};

/// Crates whose results depend only on their arguments, so that matches can be replayed.
const PURE: &[&str] = &[
    "bridgemaster-contest",
    "bridgemaster-games",
    "bridgemaster-greedy",
    "bridgemaster-ladder",
    "bridgemaster-match",
    "bridgemaster-referee",
    "bridgemaster-replay",
    "bridgemaster-review",
    "bridgemaster-rules",
];

#[test]
fn clippy_forbids_clocks_and_the_environment_in_the_pure_crates() {
    let games = fs::read_to_string(root().join("games/clippy.toml")).unwrap();
    for banned in ["std::time::Instant::now", "std::time::SystemTime::now", "std::env::var"] {
        assert!(games.contains(&format!("\"{banned}\"")), "{banned}");
    }
    let packages = packages();
    for name in PURE {
        let package = packages.iter().find(|package| package.name == *name);
        let folder = package.unwrap().manifest_path.parent().unwrap();
        let read = fs::read_to_string(folder.join("clippy.toml"));
        assert_eq!(
            read.ok().as_ref(),
            Some(&games),
            "{name}/clippy.toml differs from games/clippy.toml"
        );
    }
}

#[test]
fn the_bans_of_the_whole_workspace_hold_in_the_pure_crates_too() {
    let everywhere = fs::read_to_string(root().join("clippy.toml")).unwrap();
    let games = fs::read_to_string(root().join("games/clippy.toml")).unwrap();
    for line in everywhere.lines().filter(|line| line.contains('=')) {
        assert!(games.contains(line), "games/clippy.toml lacks {line}");
    }
}

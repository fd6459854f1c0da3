//! Runs every file of the fuzz corpus without a fuzzer.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(unreachable_pub, reason = "the fuzz targets call them as well")]

#[path = "../../../../fuzz/src/decoder.rs"]
mod decoder;
#[path = "../../../../fuzz/src/editions.rs"]
mod editions;
mod game_files;
#[path = "../../../../fuzz/src/notation.rs"]
mod notation;
#[allow(dead_code, reason = "the simulation uses more of it")]
#[path = "../../../match/tests/simulation/oracle/mod.rs"]
mod oracle;
#[path = "../../../../fuzz/src/playout.rs"]
mod playout;
#[path = "../../../../fuzz/src/referee.rs"]
mod referee;
#[path = "../../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../referee/tests/toy/mod.rs"]
mod toy;

use std::{fs, path::Path};

use bridgemaster_games::GAME_IDS;
use bridgemaster_replay::{decode, verify};

/// Runs a target with every file of its corpus, and with truncated and altered copies of each.
fn run_corpus(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let bytes = fs::read(&file).unwrap();
        println!("{}", file.display());
        run(&bytes);
        for part in 1..8 {
            let at = bytes.len() * part / 8;
            run(&bytes[..at]);
            let mut altered = bytes.clone();
            if let Some(byte) = altered.get_mut(at) {
                *byte ^= 1 << part;
            }
            run(&altered);
        }
    }
}

#[test]
fn messages_are_read_or_refused() {
    run_corpus("decoder", decoder::run);
}

#[test]
fn edition_files_are_played_or_refused() {
    run_corpus("editions", editions::run);
}

#[test]
fn notation_is_parsed_back_or_refused() {
    run_corpus("notation", notation::run);
}

#[test]
fn a_referee_keeps_its_rules_under_any_inputs() {
    run_corpus("referee", referee::run);
}

#[test]
fn replays_are_verified_or_refused() {
    run_corpus("replay", replay::run);
}

#[test]
fn every_corpus_has_every_game_and_the_replays_of_both_formats_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/replay");
    for game in GAME_IDS {
        game_files::check(game);
        for (name, is_signed) in [(game.to_string(), false), (format!("{game}_signed"), true)] {
            let file = decode(&fs::read(folder.join(&name)).unwrap()).unwrap();
            assert_eq!(file.signed_by.is_some(), is_signed, "{name}");
            assert!(verify(&file.replay).is_ok(), "{name}");
        }
    }
}

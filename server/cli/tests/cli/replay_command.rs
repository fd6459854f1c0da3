//! `bridgemaster replay`: a valid replay is shown and exported, and a forged or damaged one is
//! refused. `server/replay/tests/forged.rs` has the forgeries that the rules find, and
//! `signed_replays` those that only the signature finds.

use std::{fs, path::Path};

use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{Replay, record},
};
use bridgemaster_replay::{decode, encode_unsigned};

use crate::program::{Ran, run, sample_replay, succeed};

fn sample() -> Replay {
    decode(&fs::read(sample_replay()).unwrap()).unwrap().replay
}

fn verify(bytes: &[u8]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forged.replay");
    fs::write(&file, bytes).unwrap();
    run(["replay", "verify", file.to_str().unwrap()])
}

#[test]
fn a_forged_replay_is_refused_with_the_field() {
    let mut replay = sample();
    replay.opening_digest ^= 1;
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("opening_digest: "), "{}", ran.err);
}

#[test]
fn a_replay_without_a_commitment_is_checked_from_its_seed_and_says_so() {
    let mut replay = sample();
    replay.seed_commitment.clear();
    replay.seed_salt.clear();
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("there is no commitment to the seed"),
        "{}",
        ran.out
    );
    let ran = verify(&encode_unsigned(&sample()));
    assert!(ran.out.contains("matches its commitment"), "{}", ran.out);
}

#[test]
fn a_replay_without_its_seed_is_checked_from_its_setup() {
    let mut replay = sample();
    replay.config.as_mut().unwrap().seed = None;
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("the seed is not stored"), "{}", ran.out);
}

#[test]
fn a_damaged_file_is_refused_with_its_damage() {
    let mut bytes = fs::read(sample_replay()).unwrap();
    let ran = verify(&bytes[..bytes.len() / 2]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("truncated"), "{}", ran.err);
    bytes[100] ^= 1;
    let ran = verify(&bytes);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("checksum"), "{}", ran.err);
}

#[test]
fn a_file_that_is_missing_is_named() {
    for command in [["verify"].as_slice(), &["show"], &["export", "--json"]] {
        let ran = run(["replay"].iter().chain(command).chain(&["no/such.replay"]));
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.err.contains("cannot open no/such.replay"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_transcript_has_the_table_every_decision_in_notation_and_the_result() {
    let replay = sample();
    let shown = succeed([Path::new("replay"), Path::new("show"), sample_replay()]);
    assert!(
        shown.contains("seed sample") && shown.contains("bonus stacks"),
        "{shown}"
    );
    for record in &replay.records {
        if let Some(record::Record::Decision(decision)) = &record.record {
            let wire = decision.decision.as_ref().unwrap();
            let notation = OldLondonBridge::decision_from_wire(wire).unwrap();
            let line = format!("seat {}: {notation}  (", decision.seat);
            assert!(shown.contains(&line), "{line:?} is missing");
        }
    }
    for seat in replay.result.unwrap().seats {
        assert!(shown.contains(&seat.score.to_string()), "{shown}");
    }
}

#[test]
fn exported_json_has_the_canonical_names_and_every_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("replay.json");
    let said = succeed([
        Path::new("replay"),
        Path::new("export"),
        Path::new("--json"),
        sample_replay(),
        Path::new("-o"),
        &file,
    ]);
    assert_eq!(said, "");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let replay = sample();
    assert_eq!(json["matchId"], replay.match_id.as_str());
    // 64-bit numbers are strings in canonical proto JSON.
    assert_eq!(json["openingDigest"], replay.opening_digest.to_string());
    assert_eq!(
        json["records"].as_array().unwrap().len(),
        replay.records.len()
    );
    assert!(json["setup"]["oldLondonBridge"].is_object());
}

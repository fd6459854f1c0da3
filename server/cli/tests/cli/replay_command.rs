//! Tests `bridgemaster replay`: a valid replay is shown, exported and downloaded, and a forged or
//! damaged one is refused. Forgeries that contradict the rules are in
//! `server/replay/tests/forged.rs`; those that only a signature detects are here.

use std::{fs, path::Path};

use bridgemaster_proto::v1::{Replay, record};
use bridgemaster_replay::encode_unsigned;
use prost::Message as _;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh64::xxh64;

use crate::{
    kit::{
        program::{Ran, assert_has, run, succeed, wait_until},
        served::Served,
    },
    sample_replay,
    served_match::{create, id_of, play},
};

fn sample() -> Replay {
    Replay::decode(fs::read(sample_replay()).unwrap().as_slice()).unwrap()
}

fn verify(bytes: &[u8], flags: &str) -> Ran {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, bytes).unwrap();
    run(format!("replay verify {} {flags}", file.path().display()))
}

#[test]
fn a_forged_replay_is_refused_with_the_field_and_a_damaged_one_with_its_damage() {
    let mut replay = sample();
    replay.opening_digest ^= 1;
    verify(&encode_unsigned(&replay), "").fails(1, &["opening_digest: "]);
    let mut bytes = fs::read(sample_replay()).unwrap();
    verify(&bytes[..bytes.len() / 2], "").fails(1, &["truncated"]);
    bytes[100] ^= 1;
    verify(&bytes, "").fails(1, &["checksum"]);
    for command in ["verify", "show", "export --json"] {
        let ran = run(format!("replay {command} no/such.replay"));
        ran.fails(1, &["cannot open no/such.replay"]);
    }
}

#[test]
fn a_replay_without_commitment_or_seed_is_checked_in_part() {
    let verify = |replay: &Replay| verify(&encode_unsigned(replay), "");
    verify(&sample()).prints(0, &["matches its commitment", "not signed"]);
    let mut replay = sample();
    replay.seed_commitment.clear();
    replay.seed_salt.clear();
    verify(&replay).prints(0, &["there is no commitment to the seed"]);
    let mut replay = sample();
    replay.config.as_mut().unwrap().seed = None;
    verify(&replay).prints(0, &["the seed is not stored"]);
}

#[test]
fn a_transcript_and_json_have_all_records_the_result_and_the_signer() {
    let replay = sample();
    let folder = tempfile::tempdir().unwrap();
    let (file, json) = (sample_replay().display(), folder.path().join("replay.json"));
    let signer = format!("signed by key {}", hex(&replay.signing_key_id));
    let key = hex(&replay.signing_key);
    let shown = succeed(format!("replay show {file}"));
    assert_has(&shown, &["seed sample", "bonus stacks", &signer, &key]);
    for seat in &replay.result.as_ref().unwrap().seats {
        assert_has(&shown, &[&seat.score.to_string()]);
    }
    run(format!("replay export --json {file}")).says(0, &[&signer, &key]);
    assert_eq!(succeed(format!("replay export --json {file} -o {}", json.display())), "");
    let json: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(json["matchId"], replay.match_id.as_str());
    // In canonical ProtoJSON, 64-bit numbers are strings.
    assert_eq!(json["openingDigest"], replay.opening_digest.to_string());
    assert_eq!(json["records"].as_array().unwrap().len(), replay.records.len());
    assert!(json["setup"]["oldLondonBridge"].is_object());
}

/// Returns the fields of a replay that precede its checksum, as documented in
/// `proto/bridgemaster/v1/replay.proto`.
fn body(replay: &Replay) -> Vec<u8> {
    let body = Replay {
        checksum: 0,
        signing_key_id: Vec::new(),
        signature: Vec::new(),
        signing_key: Vec::new(),
        ..replay.clone()
    };
    body.encode_to_vec()
}

/// Returns the key pair of a secret, and the public key in hex.
fn key_pair(secret: u8) -> (Ed25519KeyPair, String) {
    let key = Ed25519KeyPair::from_seed_unchecked(&[secret; 32]).unwrap();
    let public = hex(key.public_key().as_ref());
    (key, public)
}

/// Returns the file of a replay, which is built and signed without the code of the server.
fn signed_with(secret: u8, replay: &Replay) -> Vec<u8> {
    let (key, _) = key_pair(secret);
    let public = key.public_key().as_ref();
    let unsigned = Replay {
        checksum: xxh64(&body(replay), 0),
        signing_key_id: Sha256::digest(public)[..8].to_vec(),
        signature: Vec::new(),
        signing_key: Vec::new(),
        ..replay.clone()
    };
    let signed = [b"bridgemaster replay v2\0".as_slice(), &unsigned.encode_to_vec()].concat();
    let signed = Replay {
        signature: key.sign(&signed).as_ref().to_vec(),
        signing_key: public.to_vec(),
        ..unsigned
    };
    signed.encode_to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the sample with another name for the bot of seat 0 in every place.
fn renamed() -> Replay {
    let mut replay = sample();
    for entry in &mut replay.records {
        if let Some(record::Record::Seat(seat)) = &mut entry.record {
            let seat = seat.seat.as_mut().unwrap();
            if seat.seat == 0 {
                seat.bot_name = "somebody-else".to_owned();
            }
        }
    }
    replay.result.as_mut().unwrap().seats[0].bot_name = "somebody-else".to_owned();
    replay
}

#[test]
fn a_signature_detects_forged_texts_that_the_rules_accept() {
    type Forgery = fn(&mut Replay);
    let forgeries: [Forgery; 5] = [
        |replay| *replay = renamed(),
        |replay| {
            replay.match_id = "0123456789abcdef".to_owned();
            replay.result.as_mut().unwrap().match_id = replay.match_id.clone();
        },
        |replay| replay.server_version = "9.9.9".to_owned(),
        |replay| replay.data_notes.push("official".to_owned()),
        |replay| replay.result.as_mut().unwrap().duration_ms += 1,
    ];
    let with_checksum = |replay: Replay| {
        let checksum = xxh64(&body(&replay), 0);
        Replay { checksum, ..replay }.encode_to_vec()
    };
    for forge in forgeries {
        let mut forged = sample();
        forge(&mut forged);
        assert_ne!(forged, sample(), "the forgery changed nothing");
        verify(&encode_unsigned(&forged), "").prints(0, &["not signed"]);
        verify(&with_checksum(forged), "").fails(1, &["signature"]);
    }
    verify(&with_checksum(sample()), "").exits(0);
}

#[test]
fn a_signature_of_another_key_than_the_required_one_is_refused() {
    let ((_, genuine), (_, forger)) = (key_pair(1), key_pair(2));
    let asked = format!("--key {genuine}");
    let bytes = signed_with(1, &sample());
    verify(&bytes, &asked).prints(0, &[&genuine]);
    let forged = signed_with(2, &renamed());
    assert_has(&verify(&forged, "").out, &[&forger]);
    verify(&forged, &asked).fails(1, &["is signed by key"]);
    verify(&encode_unsigned(&renamed()), &asked).fails(1, &["is not signed"]);

    // The key may be in a file. Text that is not a key is refused.
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display().to_string();
    fs::write(&file, format!("{genuine}\n")).unwrap();
    verify(&bytes, &format!("--key {path}")).exits(0);
    fs::write(&file, "no key").unwrap();
    for key in [&*path, "no/such.key", "abcd"] {
        verify(&bytes, &format!("--key {key}")).fails(2, &["64 hex digits"]);
    }
}

/// Plays a match on a server, and downloads its replay to a file.
fn fetch(server: &Served, file: &Path) -> String {
    let made = create(server, "");
    play(server, &made);
    let at = format!("--server {} --out {}", server.url, file.display());
    let said = succeed(format!("replay fetch {} {at}", id_of(&made)));
    assert_has(&said, &["the server's key"]);
    id_of(&made).to_owned()
}

#[test]
fn a_fetched_replay_has_the_bytes_and_the_signature_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (file, replays) = (folder.path().join("fetched"), folder.path().join("replays"));
    let server = Served::start(format!("--replays {}", replays.display()));
    let match_id = fetch(&server, &file);
    let line = format!("replay verify {} --server {}", file.display(), server.url);
    assert_has(&succeed(line), &[&match_id]);
    let written = replays.join(format!("{match_id}.replay.binpb"));
    wait_until("the replay in its folder", || written.is_file());
    assert_eq!(fs::read(&written).unwrap(), fs::read(&file).unwrap());
    run(format!("replay fetch ../evil --server {}", server.url)).exits(2);
    let unknown = run(format!("replay fetch 0123 --server {}", server.url));
    assert_has(&unknown.err, &["MATCH_UNKNOWN"]);
}

#[test]
fn a_signing_key_survives_a_restart_only_with_a_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fetched");
    let key_of = |flags: &str| {
        fetch(&Served::start(flags), &file);
        Replay::decode(fs::read(&file).unwrap().as_slice()).unwrap().signing_key
    };
    let data = folder.path().join("data");
    let kept = format!("--data {} --durability process", data.display());
    assert_eq!(key_of(&kept), key_of(&kept));
    assert_ne!(key_of(""), key_of(""));
}

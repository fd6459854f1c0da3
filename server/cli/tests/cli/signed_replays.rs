//! Signatures of replays detect changes that the rules cannot, such as other players.
//!
//! Files are put together here as `proto/bridgemaster/v1/replay.proto` says, without the code of
//! the server.

#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use bridgemaster_proto::v1::{Replay, record};
use bridgemaster_replay::encode_unsigned;
use prost::Message as _;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use xxhash_rust::xxh64::xxh64;

use crate::{
    program::{Ran, run, sample_replay, succeed, words},
    served_match::Served,
};

fn sample() -> Replay {
    Replay::decode(fs::read(sample_replay()).unwrap().as_slice()).unwrap()
}

/// The fields of a replay before its checksum.
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

/// The file of a replay with a checksum that is right and the signature that it had.
fn with_checksum(replay: &Replay) -> Vec<u8> {
    let checksum = xxh64(&body(replay), 0);
    Replay {
        checksum,
        ..replay.clone()
    }
    .encode_to_vec()
}

/// The file of a replay, signed with the key of this secret.
fn signed_with(secret: u8, replay: &Replay) -> Vec<u8> {
    let key = Ed25519KeyPair::from_seed_unchecked(&[secret; 32]).unwrap();
    let public = key.public_key().as_ref();
    let unsigned = Replay {
        checksum: xxh64(&body(replay), 0),
        signing_key_id: Sha256::digest(public)[..8].to_vec(),
        signature: Vec::new(),
        signing_key: Vec::new(),
        ..replay.clone()
    };
    let before_signature = unsigned.encode_to_vec();
    let signed = [b"bridgemaster replay v2\0".as_slice(), &before_signature].concat();
    Replay {
        signature: key.sign(&signed).as_ref().to_vec(),
        signing_key: public.to_vec(),
        ..unsigned
    }
    .encode_to_vec()
}

fn public_key(secret: u8) -> String {
    let key = Ed25519KeyPair::from_seed_unchecked(&[secret; 32]).unwrap();
    hex(key.public_key().as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn verify(bytes: &[u8], flags: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.replay");
    fs::write(&file, bytes).unwrap();
    run(["replay", "verify", file.to_str().unwrap()]
        .iter()
        .chain(flags))
}

/// Another name for the bot of seat 0, wherever it stands.
fn rename(replay: &mut Replay) {
    for entry in &mut replay.records {
        if let Some(record::Record::Seat(seat)) = &mut entry.record {
            let seat = seat.seat.as_mut().unwrap();
            if seat.seat == 0 {
                seat.bot_name = "somebody-else".to_owned();
            }
        }
    }
    replay.result.as_mut().unwrap().seats[0].bot_name = "somebody-else".to_owned();
}

#[test]
fn other_names_another_match_and_other_versions_are_noticed_in_spite_of_a_right_checksum() {
    type Forgery = fn(&mut Replay);
    let forgeries: [(&str, Forgery); 5] = [
        ("a name", rename),
        ("the match", |replay| {
            replay.match_id = "0123456789abcdef".to_owned();
            replay.result.as_mut().unwrap().match_id = replay.match_id.clone();
        }),
        ("the server", |replay| {
            replay.server_version = "9.9.9".to_owned()
        }),
        ("a note", |replay| {
            replay.data_notes.push("official".to_owned())
        }),
        ("the time", |replay| {
            replay.result.as_mut().unwrap().duration_ms += 1;
        }),
    ];
    for (what, forge) in forgeries {
        let mut forged = sample();
        forge(&mut forged);
        assert_ne!(forged, sample(), "{what}: nothing was forged");
        let ran = verify(&with_checksum(&forged), &[]);
        assert_eq!(ran.code, Some(1), "{what}: {}", ran.out);
        assert!(ran.err.contains("signature"), "{what}: {}", ran.err);
        // The rules alone do not notice it.
        let ran = verify(&encode_unsigned(&forged), &[]);
        assert_eq!(ran.code, Some(0), "{what}: {}", ran.err);
        assert!(ran.out.contains("not signed"), "{what}: {}", ran.out);
    }
    let ran = verify(&with_checksum(&sample()), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_forger_can_sign_but_not_with_the_key_that_is_asked_for() {
    let (genuine, forger) = (public_key(1), public_key(2));
    let bytes = signed_with(1, &sample());
    let ran = verify(&bytes, &["--key", &genuine]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains(&genuine), "{}", ran.out);

    let mut forged = sample();
    rename(&mut forged);
    let bytes = signed_with(2, &forged);
    let ran = verify(&bytes, &[]);
    assert!(ran.out.contains(&forger), "{}", ran.out);
    let ran = verify(&bytes, &["--key", &genuine]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("is signed by key"), "{}", ran.err);
    let ran = verify(&encode_unsigned(&forged), &["--key", &genuine]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("is not signed"), "{}", ran.err);
}

#[test]
fn the_key_that_is_asked_for_may_be_in_a_file_and_what_is_no_key_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.key");
    fs::write(&file, format!("{}\n", public_key(1))).unwrap();
    let bytes = signed_with(1, &sample());
    let ran = verify(&bytes, &["--key", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    fs::write(&file, "no key").unwrap();
    for key in [file.to_str().unwrap(), "no/such.key", "abcd"] {
        let ran = verify(&bytes, &["--key", key]);
        assert_eq!(ran.code, Some(2), "{key}: {}", ran.out);
        assert!(ran.err.contains("64 hex digits"), "{key}: {}", ran.err);
    }
}

#[test]
fn show_and_export_say_who_signed() {
    for command in [["show"].as_slice(), &["export", "--json"]] {
        let file = sample_replay().to_str().unwrap();
        let ran = run(["replay"].iter().chain(command).chain(&[file]));
        let said = format!("{}{}", ran.out, ran.err);
        let key = hex(&sample().signing_key);
        assert!(said.contains(&format!("signed by key {}", hex(&sample().signing_key_id))));
        assert!(said.contains(&key), "{said}");
    }
}

/// Plays a match on a server; the replay is in memory or in its data folder.
fn play(server: &Served) -> String {
    let made = server.create("");
    server.play(&made);
    made["match"]["matchId"].as_str().unwrap().to_owned()
}

fn fetch(server: &Served, match_id: &str, folder: &Path) -> (PathBuf, String) {
    let file = folder.join("fetched.replay");
    let said = succeed(words(&format!(
        "replay fetch {match_id} --server {} --out {}",
        server.url,
        file.to_str().unwrap()
    )));
    (file, said)
}

#[test]
fn a_fetched_replay_is_the_file_of_the_server_to_the_byte_and_its_signature_holds() {
    let folder = tempfile::tempdir().unwrap();
    let replays = folder.path().join("replays");
    let server = Served::start(&["--replays", replays.to_str().unwrap()]);
    let match_id = play(&server);
    let (file, said) = fetch(&server, &match_id, folder.path());
    assert!(said.contains("the server's key"), "{said}");
    let verified = succeed(words(&format!(
        "replay verify {} --server {}",
        file.to_str().unwrap(),
        server.url
    )));
    assert!(verified.contains(&match_id), "{verified}");
    let written = replays.join(format!("{match_id}.replay.binpb"));
    crate::program::wait_for("the replay in its folder", || {
        written.is_file().then_some(())
    });
    assert_eq!(fs::read(&written).unwrap(), fs::read(&file).unwrap());

    let ran = run(["replay", "fetch", "../evil", "--server", &server.url]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    let ran = run(["replay", "fetch", "0123", "--server", &server.url]);
    assert!(ran.err.contains("MATCH_UNKNOWN"), "{}", ran.err);
}

#[test]
fn the_key_of_a_data_folder_outlives_the_server_and_without_one_it_does_not() {
    let key_of = |flags: &[&str]| {
        let folder: TempDir = tempfile::tempdir().unwrap();
        let server = Served::start(flags);
        let match_id = play(&server);
        let (file, _) = fetch(&server, &match_id, folder.path());
        let replay = Replay::decode(fs::read(file).unwrap().as_slice()).unwrap();
        hex(&replay.signing_key)
    };
    let data = tempfile::tempdir().unwrap();
    let kept = [
        "--data",
        data.path().to_str().unwrap(),
        "--durability",
        "process",
    ];
    assert_eq!(key_of(&kept), key_of(&kept));
    assert_ne!(key_of(&[]), key_of(&[]));
}

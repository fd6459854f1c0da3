//! Fuzzes replay files and their transcripts.

use bridgemaster_proto::v1::Replay;
use bridgemaster_replay::{decode, encode_unsigned, verify, write_transcript};
use prost::Message as _;

/// Runs the target. The bytes are a replay file, or a replay without a checksum.
pub fn run(bytes: &[u8]) {
    if let Ok(file) = decode(bytes) {
        read(&file.replay);
        // The signature covers the whole file.
        assert_eq!(file.signed_by.is_some(), !file.replay.signature.is_empty());
    }
    if let Ok(replay) = Replay::decode(bytes) {
        read(&replay);
        // With a checksum the replay is decoded unchanged, but without its signer.
        let sealed = decode(&encode_unsigned(&replay)).expect("it is whole");
        assert_eq!(sealed.signed_by, None);
        assert_eq!(unsigned(sealed.replay), unsigned(replay));
    }
}

/// Returns the replay without its format version, its checksum and its signature.
fn unsigned(replay: Replay) -> Replay {
    Replay {
        format_version: 0,
        checksum: 0,
        signing_key_id: Vec::new(),
        signature: Vec::new(),
        signing_key: Vec::new(),
        ..replay
    }
}

fn read(replay: &Replay) {
    let verified = verify(replay);
    let mut text = String::new();
    let written = write_transcript(replay, &mut text);
    // Every valid replay can be rendered.
    assert!(verified.is_err() || written.is_ok());
}

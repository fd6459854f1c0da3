//! Replay files.

use bridgemaster_proto::v1::Replay;
use bridgemaster_replay::{decode, encode_unsigned, verify, write_transcript};
use prost::Message as _;

/// The bytes are a replay file, or one whose checksum is yet to be made.
pub fn run(bytes: &[u8]) {
    if let Ok(file) = decode(bytes) {
        read(&file.replay);
        // The signature is of all that the file says.
        assert_eq!(file.signed_by.is_some(), !file.replay.signature.is_empty());
    }
    if let Ok(replay) = Replay::decode(bytes) {
        read(&replay);
        // With a checksum, it is read back, but for what says who signed it.
        let sealed = decode(&encode_unsigned(&replay)).expect("it is whole");
        assert_eq!(sealed.signed_by, None);
        assert_eq!(unsigned(sealed.replay), unsigned(replay));
    }
}

/// The replay without its format version, its checksum and its signature.
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
    // Whatever holds can be shown.
    assert!(verified.is_err() || written.is_ok());
}

//! Replay files.

use bridgemaster_proto::v1::Replay;
use bridgemaster_server::replay::{decode, encode, verify, write_transcript};
use prost::Message as _;

/// The bytes are a replay file, or one whose checksum is yet to be made.
pub fn run(bytes: &[u8]) {
    if let Ok(replay) = decode(bytes) {
        read(&replay);
    }
    if let Ok(replay) = Replay::decode(bytes) {
        read(&replay);
        // Sealed, it is read back, unless it is of another form.
        if let Ok(sealed) = decode(&encode(&replay)) {
            assert_eq!(
                Replay {
                    checksum: 0,
                    ..sealed
                },
                Replay {
                    checksum: 0,
                    ..replay
                }
            );
        }
    }
}

fn read(replay: &Replay) {
    let verified = verify(replay);
    let mut text = String::new();
    let written = write_transcript(replay, &mut text);
    // Whatever holds can be shown.
    assert!(verified.is_err() || written.is_ok());
}

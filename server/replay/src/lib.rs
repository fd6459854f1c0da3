//! Replay files: writing, signing, decoding, verification and display. The crate reads and writes
//! bytes; storing them is the caller's task.
//!
//! [`ReplayWriter`] builds a file while a match runs. [`decode`] reads it back and checks that it
//! is unmodified. [`verify`] replays the match and checks everything that follows from the rules.
//! [`write_transcript`] renders the match as text, and [`Positions`] computes the views after each
//! decision.

#![forbid(unsafe_code)]

mod file;
mod fork_progress;
mod match_info;
mod opening;
mod positions;
mod records;
mod signing;
mod transcript;
mod verify;
mod writer;

pub use file::{
    FORMAT_VERSION, MAX_REPLAY_BYTES, ReplayFile, ReplayFileError, UNSIGNED_FORMAT_VERSION, decode,
    encode_unsigned,
};
pub use match_info::match_info;
pub use positions::{Disclosure, PositionError, Positions, encode_positions, viewers_from_wire};
pub use records::{RecordCursor, decode_head};
pub use signing::{PublicKey, PublicKeyError, SECRET_BYTES, SigningKey, SigningKeyId};
pub use transcript::{TranscriptError, write_transcript};
pub use verify::{Location, Verified, VerifyError, verify};
pub use writer::{ReplayWriter, replay_head};

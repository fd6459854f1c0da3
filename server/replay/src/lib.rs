//! Replay files: writing, signing, decoding, verification and display. The crate works on bytes;
//! callers store them, atomically with [`whole_file`].
//!
//! [`ReplayWriter`] builds a file while a match runs. [`decode`] reads it back and checks that it
//! is unmodified. [`verify`] replays the match and checks everything that follows from the rules.
//! [`write_transcript`] renders the match as text, and [`Positions`] computes the views after each
//! decision. [`ReplayedMatch`] has the states themselves.

#![forbid(unsafe_code)]

mod file;
mod match_info;
mod opening;
mod positions;
mod replayed;
mod signing;
mod transcript;
mod verify;
pub mod whole_file;
pub mod wire;
mod writer;

pub use file::{
    FORMAT_VERSION, MAX_REPLAY_BYTES, RecordCursor, ReplayFile, ReplayFileError,
    UNSIGNED_FORMAT_VERSION, decode, decode_head, encode_unsigned,
};
pub use match_info::{lag_annulment, match_info};
pub use positions::{Disclosure, Positions, encode_positions, viewers_from_wire};
pub use replayed::{ReplayedDecision, ReplayedMatch, ReplayedStep};
pub use signing::{PublicKey, PublicKeyError, SECRET_BYTES, SigningKey};
pub use transcript::{TranscriptError, write_transcript};
pub use verify::{Verified, verify};
pub use writer::{ReplayWriter, replay_head};

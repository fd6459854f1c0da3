//! Replays: what their files hold, who signed them, and what can be done with them. Reads and
//! writes bytes; where these are kept is the caller's business.
//!
//! [`ReplayWriter`] makes the bytes of a file while a match runs. [`decode`] reads them back and
//! checks that they are as they were written. [`verify`] plays the match again and checks what the
//! rules determine, [`write_transcript`] shows it as text, and [`Positions`] shows what viewers see
//! after each decision.

#![forbid(unsafe_code)]

mod file;
mod forked;
mod opening;
mod positions;
mod records;
mod signing;
mod told;
mod transcript;
mod verify;
mod writer;

pub use file::{
    FORMAT_VERSION, MAX_REPLAY_BYTES, ReplayFile, ReplayFileError, UNSIGNED_FORMAT_VERSION, decode,
    encode_unsigned,
};
pub use positions::{Disclosure, PositionError, Positions, encode_positions, viewers_from_wire};
pub use records::{RecordPlace, decode_head};
pub use signing::{NoPublicKey, PublicKey, SECRET_BYTES, SigningKey, SigningKeyId};
pub use told::match_info;
pub use transcript::{TranscriptError, write_transcript};
pub use verify::{Flaw, Place, Verified, verify};
pub use writer::{ReplayWriter, replay_head};

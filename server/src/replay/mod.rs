//! Replays: their files, and what can be done with them.

mod file;
mod folder;
mod keeper;
mod opening;
mod signing;
mod transcript;
mod verify;
mod writer;

pub use file::{
    FORMAT_VERSION, MAX_REPLAY_BYTES, ReplayFile, ReplayFileError, UNSIGNED_FORMAT_VERSION, decode,
    encode_unsigned,
};
pub(crate) use keeper::ReplayKeeper;
pub(crate) use signing::SigningKey;
pub use signing::{NoPublicKey, PublicKey, SigningKeyError, SigningKeyId};
pub use transcript::{TranscriptError, write_transcript};
pub use verify::{Flaw, Place, Verified, verify};
pub(crate) use writer::ReplayWriter;

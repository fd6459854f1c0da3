//! Replays: their files, and what can be done with them.

mod file;
mod folder;
mod opening;
mod transcript;
mod verify;
mod writer;

pub use file::{FORMAT_VERSION, MAX_REPLAY_BYTES, ReplayFileError, decode, encode};
pub(crate) use folder::ReplayFolder;
pub use transcript::{TranscriptError, write_transcript};
pub use verify::{Flaw, Place, Verified, verify};
pub(crate) use writer::ReplayWriter;

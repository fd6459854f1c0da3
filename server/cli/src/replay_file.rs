//! Reads and checks replay files.

use std::path::Path;

use anyhow::Context as _;
use bridgemaster_replay::{MAX_REPLAY_BYTES, ReplayFile, decode};

use crate::input_file;

/// Reads a replay file, and checks the file's checksum and signature.
pub(super) fn read(path: &Path) -> anyhow::Result<ReplayFile> {
    let bytes = input_file::read(path, MAX_REPLAY_BYTES)?;
    decode(&bytes).with_context(|| path.display().to_string())
}

//! Renders a replay as a page.

use std::path::Path;

use anyhow::Context as _;
use bridgemaster_page::{SingleFile, single_file};
use bridgemaster_replay::{encode_positions, verify};

use super::replay_file::read;

/// Verifies a replay file, and returns the file's match and page.
pub(super) fn page_of(file: &Path) -> anyhow::Result<(String, SingleFile)> {
    let replay = read(file)?.replay;
    verify(&replay).with_context(|| format!("{} is not valid", file.display()))?;
    let positions = encode_positions(&replay).with_context(|| file.display().to_string())?;
    Ok((replay.match_id, single_file(&positions)))
}

//! Opens a data folder that must exist.

use std::path::Path;

use anyhow::Context as _;
use bridgemaster_store::DataDir;

use super::failure::misuse;

/// Opens an existing data folder.
///
/// # Errors
/// Misuse if the folder does not exist.
pub(super) fn existing(dir: &Path) -> anyhow::Result<DataDir> {
    if !dir.is_dir() {
        return Err(misuse(format!("no such folder: {}", dir.display())));
    }
    let shown = || dir.display().to_string();
    DataDir::prepare(dir).with_context(shown)
}

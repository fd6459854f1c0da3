//! A data folder that a command finds, and does not make.

use std::path::Path;

use anyhow::Context as _;
use bridgemaster_store::DataDir;

use super::failure::misuse;

/// An existing data folder; none is created.
pub(super) fn existing(dir: &Path) -> anyhow::Result<DataDir> {
    if !dir.is_dir() {
        return Err(misuse(format!("there is no folder {}", dir.display())));
    }
    let shown = || dir.display().to_string();
    DataDir::prepare(dir).with_context(shown)
}

//! Files that commands write what they found out to, which may take long.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bridgemaster_whole_file as whole_file;

use super::{failure::misuse, output};

/// Where a result goes: a file, or standard output for `-`.
pub(super) enum OutputFile {
    Stdout,
    File(PathBuf),
}

impl OutputFile {
    /// Makes sure that the file can be written, before anything is done for it. One that is there
    /// stays as it is until [`write`](Self::write).
    ///
    /// # Errors
    /// A mistake in the command line, which `flag` names.
    pub(super) fn open(flag: &str, path: &Path) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let shown = path.display();
        if path.is_dir() {
            return Err(misuse(format!(
                "{flag} {shown}: that is a folder; name a file"
            )));
        }
        whole_file::probe(path)
            .map_err(|error| misuse(format!("{flag} {shown} cannot be written: {error}")))?;
        Ok(Self::File(path.to_owned()))
    }

    /// Whether it is standard output, which then has nothing else.
    pub(super) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    pub(super) fn write(&self, text: &str) -> anyhow::Result<()> {
        match self {
            Self::Stdout => Ok(output::print(text)?),
            Self::File(path) => self::write(path, text.as_bytes()),
        }
    }
}

/// Writes a file whole.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    whole_file::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

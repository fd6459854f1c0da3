//! Files to which commands write their results.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bridgemaster_whole_file as whole_file;

use super::{failure::misuse, output};

/// Destination for a result: a file, or standard output for `-`.
pub(super) enum OutputFile {
    Stdout,
    File(PathBuf),
}

impl OutputFile {
    /// Checks that the file can be written, before any work is done. An existing file stays
    /// unchanged until [`write`](Self::write) is called.
    ///
    /// # Errors
    /// Misuse of `flag`, if the file cannot be written.
    pub(super) fn open(flag: &str, path: &Path) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let shown = path.display();
        if path.is_dir() {
            return Err(misuse(format!("{flag} {shown} is a folder; name a file")));
        }
        whole_file::probe(path)
            .map_err(|error| misuse(format!("{flag}: cannot write {shown}: {error}")))?;
        Ok(Self::File(path.to_owned()))
    }

    /// Returns whether the result goes to standard output. The command must then print nothing else
    /// to standard output.
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

/// Writes a file atomically.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    whole_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

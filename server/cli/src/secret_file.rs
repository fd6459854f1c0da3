//! Files that contain a secret and that only the current user can read.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

/// A new file, which is removed on drop unless a secret was written to it.
pub(super) struct SecretFile {
    path: PathBuf,
    file: File,
    is_written: bool,
}

impl SecretFile {
    /// Creates the file.
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path);
        Ok(Self {
            file: file.with_context(|| format!("cannot create {}", path.display()))?,
            path: path.to_owned(),
            is_written: false,
        })
    }

    /// Writes the secret. The file then remains on drop.
    pub(super) fn write(mut self, text: &str) -> anyhow::Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_all())
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.is_written = true;
        Ok(())
    }
}

impl Drop for SecretFile {
    fn drop(&mut self) {
        if !self.is_written {
            // An empty file that cannot be removed is harmless.
            let _ = fs::remove_file(&self.path);
        }
    }
}

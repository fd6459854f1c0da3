//! Files that hold a secret: made by the command that writes them, for this user alone.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

/// A new file, removed again unless something is kept in it.
pub(super) struct SecretFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl SecretFile {
    /// Makes the file; one that is there is not touched.
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path);
        Ok(Self {
            file: file.with_context(|| format!("{} cannot be made", path.display()))?,
            path: path.to_owned(),
            is_kept: false,
        })
    }

    /// Writes its text.
    pub(super) fn keep(mut self, text: &str) -> anyhow::Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_all())
            .with_context(|| format!("{} cannot be written", self.path.display()))?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for SecretFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // An empty file is no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

//! Files that commands read and write.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use bridgemaster_replay::whole_file;

use crate::{failure::misuse, output};

/// Reads a file of at most `limit_bytes`.
pub(super) fn read(path: &Path, limit_bytes: u64) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut bytes = Vec::new();
    // Reads one byte more than the limit, to detect a file that is too large.
    file.take(limit_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > limit_bytes {
        bail!("{shown} is too large; the limit is {limit_bytes} bytes");
    }
    Ok(bytes)
}

/// Checks that a folder exists and can be read.
///
/// # Errors
/// Returns a misuse error for `flag` if there is no such folder.
pub(super) fn check_folder(flag: &str, path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    match fs::read_dir(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(misuse(format!("{flag}{shown}: no such folder")))
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            Err(misuse(format!("{flag}{shown} is not a folder")))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read the folder {shown}")),
    }
}

/// Reads a UTF-8 file of at most `limit_bytes`.
pub(super) fn read_text(path: &Path, limit_bytes: u64) -> anyhow::Result<String> {
    String::from_utf8(read(path, limit_bytes)?)
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

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
    /// Returns a misuse error for `flag` if the file cannot be written.
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
            Self::File(path) => crate::files::write(path, text.as_bytes()),
        }
    }
}

/// Output files with their flags and their formats.
pub(super) struct Outputs<F>(Vec<(&'static str, OutputFile, F)>);

impl<F> Outputs<F> {
    /// Checks that each file can be written, before any work is done.
    ///
    /// # Errors
    /// Returns a misuse error if a file cannot be written, or if two outputs go to standard output.
    pub(super) fn open<const N: usize>(
        flags: [(&'static str, &Option<PathBuf>, F); N],
    ) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for (flag, path, format) in flags {
            if let Some(path) = path {
                files.push((flag, OutputFile::open(flag, path)?, format));
            }
        }
        let on_stdout = files.iter().filter(|(_, file, _)| file.is_stdout());
        let flags: Vec<String> = on_stdout.map(|(flag, ..)| format!("{flag} -")).collect();
        match flags.len() {
            0 | 1 => Ok(Self(files)),
            _ => Err(misuse(format!(
                "{}: only one can be standard output; write the others to files",
                flags.join(" and ")
            ))),
        }
    }

    /// Returns whether there are no outputs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an output goes to standard output. The command then prints nothing else
    /// there.
    pub(super) fn use_stdout(&self) -> bool {
        self.0.iter().any(|(_, file, _)| file.is_stdout())
    }

    /// Writes the text in each format, even if one of the files cannot be written.
    ///
    /// # Errors
    /// Returns the first error.
    pub(super) fn write(&self, text: impl Fn(&F) -> anyhow::Result<String>) -> anyhow::Result<()> {
        let written = self.0.iter().map(|(flag, file, format)| {
            text(format).and_then(|text| file.write(&text)).map_err(|error| error.context(*flag))
        });
        // All outputs are written before the first error is returned.
        let written: Vec<_> = written.collect();
        written.into_iter().collect()
    }
}

/// Writes a file atomically.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    whole_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// A new file, which is removed on drop unless a secret was written to it.
pub(super) struct SecretFile {
    path: PathBuf,
    file: File,
    is_written: bool,
}

impl SecretFile {
    /// Creates the file, with mode 0600 on Unix. Fails if the file exists.
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
            // If the empty file cannot be removed, it does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

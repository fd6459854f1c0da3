//! Opens files in folders that bots can modify. A bot can replace a file with a link to another
//! file, or with a named pipe that would block `open` forever.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::Path,
};

/// Opens a regular file without blocking. Fails if the path is a link.
///
/// # Errors
/// Returns a file system error, or [`io::ErrorKind::InvalidInput`] if the file is not a regular
/// file.
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    let is_other =
        || fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.file_type().is_file());
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        // The values of both flags are small, so the cast is lossless.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    #[cfg(not(target_os = "linux"))]
    if is_other() {
        return Err(refused());
    }
    let file = match options.open(path) {
        // The path is a link, or a pipe without a reader.
        Err(_) if is_other() => return Err(refused()),
        opened => opened?,
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// Opens a regular file with [`open_regular`] and reads its contents.
///
/// # Errors
/// Returns the errors of [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(File::options().read(true), path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a regular file. An existing file, link or pipe with the same name is removed.
///
/// # Errors
/// Returns a file system error.
pub(crate) fn create_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    options.create_new(true).open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{os::unix::fs::symlink, process::Command};

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        let status = Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(status.success());
        for options in [File::options().read(true), File::options().write(true)] {
            assert!(open_regular(options, &path("file")).is_ok());
            for other in ["link", "pipe", "."] {
                let error = open_regular(options, &path(other)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{other}");
            }
            let error = open_regular(options, &path("missing")).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }
}

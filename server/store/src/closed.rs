//! Folders and files that only this user may open. On Unix; elsewhere the system gives rights by
//! rules of its own, and they stay as they are.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Rights of the group and of everybody else.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;

/// Makes a folder, and those above it, if there are none.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes a file, to be written, where there is none.
pub(crate) fn new_file(path: &Path) -> io::Result<File> {
    file_options().create_new(true).open(path)
}

/// Opens a file to be written; one that is made by it is closed to others.
pub(crate) fn file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The mode of a file or folder to which others have any right; `None` if they have none.
#[cfg(unix)]
pub(crate) fn rights_of_others(path: &Path) -> io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
    Ok((mode & OF_OTHERS != 0).then_some(mode))
}

/// The mode of a file or folder to which others have any right; `None` if they have none.
#[cfg(not(unix))]
pub(crate) fn rights_of_others(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Takes every right away from others.
#[cfg(unix)]
pub(crate) fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !OF_OTHERS))
}

/// Takes every right away from others.
#[cfg(not(unix))]
pub(crate) fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

//! Creates folders and files that only this user can access. On systems other than Unix,
//! permissions are not changed.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Permission bits for the group and for all other users.
#[cfg(unix)]
const GROUP_AND_OTHERS_MASK: u32 = 0o077;

/// Creates a folder and its missing parents, with mode 0700.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file for writing. Fails if it exists.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    private_file().create_new(true).open(path)
}

/// Options for opening a file for writing. A file that is created with these options has mode 0600.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns the mode of a file or folder, or `None` if other users have no permissions on it.
#[cfg(unix)]
pub(crate) fn mode_if_shared(path: &Path) -> io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
    Ok((mode & GROUP_AND_OTHERS_MASK != 0).then_some(mode))
}

/// Always returns `None`: permissions are not checked on this system.
#[cfg(not(unix))]
pub(crate) fn mode_if_shared(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Removes all of other users' permissions.
#[cfg(unix)]
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(
        path,
        fs::Permissions::from_mode(mode & !GROUP_AND_OTHERS_MASK),
    )
}

/// Does nothing: permissions are not changed on this system.
#[cfg(not(unix))]
pub(crate) fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

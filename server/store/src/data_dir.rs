//! A server's data folder: the names of its files, and their permissions. On systems other than
//! Unix, permissions are neither checked nor changed.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use crate::StoreError;

/// The database in a data folder. Two files beside the database, with the suffixes `-wal` and
/// `-shm`, and [`COMMITS_FILE`] belong to it. These files must be copied and moved together with
/// the database.
pub const DATABASE_FILE: &str = "bridgemaster.db";

/// The file that a running server keeps locked. It contains the process id of the server. A file
/// without a lock has no meaning, since a killed server does not delete it.
pub const LOCK_FILE: &str = "server.lock";

/// The file in a data folder that records a lower bound for the number of commits. The file belongs
/// to the database, and must be copied and moved together with it.
pub const COMMITS_FILE: &str = "bridgemaster.commits";

/// The files in a data folder that belong to this program.
const OWN_FILES: &[&str] =
    &[DATABASE_FILE, "bridgemaster.db-wal", "bridgemaster.db-shm", COMMITS_FILE, LOCK_FILE];

/// Start of the names of files that are created to check that a folder is writable.
const PROBE: &str = "write-test.";

/// A data folder. It must be on a local disk, since neither the shared memory of SQLite nor the
/// lock works on a network file system.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
}

impl DataDir {
    /// Creates the folder if it is missing, and checks that files can be created in it. The files
    /// contain secrets of matches in play, so other users must not have access. Their permissions
    /// on this program's files are removed; so are those on the folder itself if it is empty or
    /// already was a data folder. On systems other than Unix, permissions are not changed.
    ///
    /// # Errors
    /// Returns [`StoreError::FolderUnusable`], [`StoreError::NetworkFileSystem`],
    /// [`StoreError::FolderOpenToOthers`], [`StoreError::FileOpenToOthers`], or
    /// [`StoreError::DiskFull`].
    pub fn prepare(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let folder_unusable = |source| folder_unusable(&path, source);
        create_folder(&path).map_err(folder_unusable)?;
        if let Some(kind) = network_file_system(&path) {
            return Err(StoreError::NetworkFileSystem { path, kind });
        }
        let probe = path.join(format!("{PROBE}{}", std::process::id()));
        create_file(&probe).map_err(folder_unusable)?;
        fs::remove_file(&probe).map_err(folder_unusable)?;
        let dir = Self { path };
        dir.make_private()?;
        Ok(dir)
    }

    /// An existing folder that is only read, and that can be on a read-only medium. Nothing is
    /// checked.
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Path to the data folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path to the database file in the folder. The file might not exist yet.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE_FILE)
    }

    /// Creates an empty database if it is missing. SQLite creates the files beside the database
    /// with the same permissions. The caller must hold the lock on the folder.
    pub(crate) fn create_database(&self) -> Result<(), StoreError> {
        match create_file(&self.database()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(folder_unusable(&self.path, error))
            }
            _ => Ok(()),
        }
    }

    fn make_private(&self) -> Result<(), StoreError> {
        let path = &self.path;
        if let Some(mode) = mode_if_shared(path).map_err(|e| folder_unusable(path, e))? {
            let is_data_folder = OWN_FILES.iter().any(|name| path.join(name).exists());
            let entries = fs::read_dir(path).map_err(|error| folder_unusable(path, error))?;
            // Another command may be checking the folder at the same time.
            let is_probe =
                |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PROBE);
            let is_empty = entries.flatten().all(|entry| is_probe(&entry));
            if !(is_data_folder || is_empty) || make_private(path).is_err() {
                let path = path.clone();
                return Err(StoreError::FolderOpenToOthers { path, mode });
            }
        }
        for path in OWN_FILES.iter().map(|name| path.join(name)) {
            match mode_if_shared(&path) {
                Ok(Some(mode)) if make_private(&path).is_err() => {
                    return Err(StoreError::FileOpenToOthers { path, mode });
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(folder_unusable(&path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

pub(crate) fn folder_unusable(path: &Path, source: io::Error) -> StoreError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        _ => StoreError::FolderUnusable { path, cause: source },
    }
}

/// Returns the name of the network file system that the folder is on; `None` for a local one, or
/// one that is not known here. FUSE is not listed, since it can be local.
#[cfg(target_os = "linux")]
fn network_file_system(path: &Path) -> Option<&'static str> {
    // The numbers of statfs(2).
    const KINDS: [(i64, &str); 8] = [
        (0x6969, "NFS"),
        (0xff53_4d42, "SMB"),
        (0xfe53_4d42, "SMB"),
        (0x517b, "SMB"),
        (0x0102_1997, "9P"),
        (0x5346_414f, "AFS"),
        (0x00c3_6400, "Ceph"),
        (0x0bd0_0bd0, "Lustre"),
    ];
    let found = uapi::statfs(path).ok()?;
    // The type of the number depends on the architecture.
    let number = i64::from(found.f_type as u32);
    KINDS.into_iter().find(|(of_kind, _)| *of_kind == number).map(|(_, name)| name)
}

/// Returns `None`, since file systems are not detected on this system.
#[cfg(not(target_os = "linux"))]
fn network_file_system(_: &Path) -> Option<&'static str> {
    None
}

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
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !GROUP_AND_OTHERS_MASK))
}

/// Does nothing: permissions are not changed on this system.
#[cfg(not(unix))]
pub(crate) fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_refused_as_data_folder() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("below")] {
            let refused = DataDir::prepare(&path).unwrap_err();
            assert!(
                matches!(&refused, StoreError::FolderUnusable { path: named, .. } if *named == path),
                "{refused}"
            );
        }
    }
}

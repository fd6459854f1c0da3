//! Permissions of files and of their folder.

use std::{
    fs::{self, File},
    io,
    path::Path,
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Permissions of a file: always read and write for the owner, optionally read for others. Private
/// by default.
///
/// ```
/// use bridgemaster_replay::whole_file::FileMode;
///
/// let mode: FileMode = "0640".parse().unwrap();
/// assert_eq!((mode.bits(), mode.folder_bits()), (0o640, 0o750));
/// assert!("0666".parse::<FileMode>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileMode(u32);

/// The error when a parsed text is not a [`FileMode`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a valid mode; use 0600 (owner only), 0640 (readable by the group), 0644 (readable \
     by everybody) or 0604"
)]
pub struct InvalidFileMode(String);

/// The bits of a file that only its owner can read and write.
const OWNER: u32 = 0o600;
/// Setuid, setgid and sticky bits. With setgid, files inherit their folder's group.
#[cfg(unix)]
const SPECIAL: u32 = 0o7000;

impl FileMode {
    /// Readable and writable by the owner only.
    pub const PRIVATE: Self = Self(OWNER);

    /// The permission bits of a file.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The permission bits of a folder: users who can read the files can also list and enter the
    /// folder.
    #[must_use]
    pub fn folder_bits(self) -> u32 {
        let others = self.0 & !OWNER;
        0o700 | others | (others >> 2)
    }

    /// Sets the mode of a file, independently of the umask.
    pub(super) fn apply_to(self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(self.0))?;
        #[cfg(not(unix))]
        let _ = file;
        Ok(())
    }

    /// Creates a folder and its parents for files with this mode. The permissions of an existing
    /// folder change only if `replaced` is true. An existing folder's setuid, setgid and sticky
    /// bits never change.
    ///
    /// # Errors
    /// Returns file system errors.
    pub fn create_folder(self, folder: &Path, replaced: bool) -> io::Result<()> {
        let is_set = replaced || !folder.is_dir();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
            builder.mode(self.folder_bits()).create(folder)?;
            if is_set {
                // The umask might have removed bits.
                let special = fs::metadata(folder)?.permissions().mode() & SPECIAL;
                let bits = special | self.folder_bits();
                fs::set_permissions(folder, fs::Permissions::from_mode(bits))?;
            }
        }
        #[cfg(not(unix))]
        {
            let _ = is_set;
            builder.create(folder)?;
        }
        Ok(())
    }
}

impl Default for FileMode {
    fn default() -> Self {
        Self::PRIVATE
    }
}

impl FromStr for FileMode {
    type Err = InvalidFileMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix('0').unwrap_or(text) {
            "600" => Ok(Self(OWNER)),
            "604" => Ok(Self(0o604)),
            "640" => Ok(Self(0o640)),
            "644" => Ok(Self(0o644)),
            _ => Err(InvalidFileMode(text.to_owned())),
        }
    }
}

impl TryFrom<String> for FileMode {
    type Error = InvalidFileMode;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<FileMode> for String {
    fn from(mode: FileMode) -> Self {
        format!("{:04o}", mode.0)
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_keeps_its_setgid_bit_when_it_gets_another_mode() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("replays");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o2770)).unwrap();
        let mode: FileMode = "0640".parse().unwrap();
        mode.create_folder(&folder, true).unwrap();
        let now = fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(now & 0o7777, 0o2750);
    }
}

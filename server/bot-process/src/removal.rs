//! Removes folders to which an untrusted program has written. They can contain unreadable folders,
//! links, and paths that are too long for the operating system or too deep for recursion. New files
//! can still appear during the removal.

use std::{io, path::Path, time::Instant};

/// Removes a folder and its contents, but not the targets of links.
///
/// # Errors
/// Returns an error if the operating system failed to remove something, or `until` has passed.
pub(crate) fn remove(folder: &Path, until: Instant) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        flat::remove(folder, until)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = until;
        std::fs::remove_dir_all(folder)
    }
}

#[cfg(target_os = "linux")]
mod flat {
    use std::{
        ffi::{CStr, CString},
        fs::{self, Permissions},
        io,
        os::{
            fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd},
            unix::fs::PermissionsExt as _,
        },
        path::Path,
        thread,
        time::{Duration, Instant},
    };

    use rustix::{
        fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat},
        io::Errno,
    };

    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    /// Mode for a folder that is being emptied. Only its owner can access it.
    const EMPTIED: u32 = 0o700;
    /// Delay before another attempt to empty a folder in which new files have appeared.
    const RETRY_INTERVAL: Duration = Duration::from_millis(1);

    /// Empties one folder after another. A nonempty nested folder is moved up to the first level,
    /// so paths have at most two levels.
    pub(super) fn remove(folder: &Path, until: Instant) -> io::Result<()> {
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        // The folder for temporary files can itself be a link.
        let parent_flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = openat(CWD, parent, parent_flags, Mode::empty())?;
        let name = CString::new(name.as_encoded_bytes())?;
        let mut moved: u64 = 0;
        while let Some(top) = open(parent.as_fd(), &name)? {
            let mut remaining = Vec::new();
            clear(&top, until, |inner| {
                remaining.push(inner.to_owned());
                Ok(())
            })?;
            while let Some(inner) = remaining.pop() {
                let Some(emptied) = open(top.as_fd(), &inner)? else {
                    continue;
                };
                clear(&emptied, until, |found| {
                    remaining.push(move_up(emptied.as_fd(), found, top.as_fd(), &mut moved)?);
                    Ok(())
                })?;
                if !try_remove(top.as_fd(), &inner)? {
                    remaining.insert(0, inner);
                }
            }
            if try_remove(parent.as_fd(), &name)? {
                break;
            }
        }
        Ok(())
    }

    /// Opens a folder and makes it accessible to its owner. Returns `None` if the folder no longer
    /// exists.
    fn open(at: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<OwnedFd>> {
        let folder = match openat(at, name, FOLDER, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::ACCESS) => {
                allow(at, name)?;
                openat(at, name, FOLDER, Mode::empty())?
            }
            opened => opened?,
        };
        rustix::fs::fchmod(&folder, Mode::from_raw_mode(EMPTIED))?;
        Ok(Some(folder))
    }

    /// Empties a folder, and passes nonempty nested folders to `keep`.
    fn clear(
        folder: &OwnedFd,
        until: Instant,
        mut keep: impl FnMut(&CStr) -> io::Result<()>,
    ) -> io::Result<()> {
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if [c".", c".."].contains(&name) {
                continue;
            }
            if Instant::now() > until {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match unlinkat(folder, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => continue,
                Err(Errno::ISDIR | Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
            match unlinkat(folder, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::NOTEMPTY | Errno::EXIST) => keep(name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Removes an emptied folder. Returns whether the folder no longer exists.
    fn try_remove(at: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        match unlinkat(at, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => {
                thread::sleep(RETRY_INTERVAL);
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Moves a folder to the first level, and returns its new name.
    fn move_up(
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        moved: &mut u64,
    ) -> io::Result<CString> {
        let mut is_allowed = false;
        loop {
            let new_name = CString::new(format!(".{moved}"))?;
            *moved += 1;
            match renameat(from, name, to, &*new_name) {
                // Another folder already has this name.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                // Moving a folder changes the folder's `..` entry, so the folder must be writable.
                Err(Errno::ACCESS) if !is_allowed => {
                    allow(from, name)?;
                    is_allowed = true;
                }
                moved => return Ok(moved.map(|()| new_name)?),
            }
        }
    }

    /// Makes an unreadable folder accessible to its owner, without following a link.
    fn allow(at: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let folder: OwnedFd = openat(at, name, FOLDER | OFlags::PATH, Mode::empty())?;
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        fs::set_permissions(path, Permissions::from_mode(EMPTIED))
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt as _, symlink},
        process::Command,
        time::Duration,
    };

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn deep_unreadable_and_linked_folders_are_removed_and_link_targets_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let (folder, target) = (place.path().join("0"), place.path().join("target"));
        fs::create_dir_all(folder.join("closed/inner")).unwrap();
        fs::write(folder.join("closed/inner/file"), "").unwrap();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("file"), "").unwrap();
        symlink(&target, folder.join("closed/link")).unwrap();
        // More levels than the number of files that a process may open, with paths that are too
        // long to open.
        let deep = "p=$(printf 'd/%.0s' $(seq 1000)); for i in 1 2 3; do mkdir -p $p && cd -P $p \
            || exit 1; done";
        let mut shell = Command::new("sh");
        shell.args(["-c", deep]).current_dir(&folder);
        assert!(shell.status().unwrap().success());
        for closed in ["closed/inner", "closed"] {
            fs::set_permissions(folder.join(closed), Permissions::from_mode(0o000)).unwrap();
        }

        remove(&folder, soon()).unwrap();
        let names = fs::read_dir(place.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["target"]);
        assert!(target.join("file").is_file());
    }

    #[test]
    fn a_folder_that_a_process_still_writes_to_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("0");
        fs::create_dir(&folder).unwrap();
        let writes = "while mkdir -p d/e && : >d/e/$$; do :; done 2>/dev/null";
        let mut writer =
            Command::new("sh").args(["-c", writes]).current_dir(&folder).spawn().unwrap();
        while !folder.join("d/e").exists() {
            std::thread::yield_now();
        }
        let removed = remove(&folder, soon());
        writer.kill().unwrap();
        writer.wait().unwrap();
        removed.unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_below_a_link_is_removed_and_a_link_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir_all(path("real/0/inner")).unwrap();
        symlink(path("real"), path("link")).unwrap();
        remove(&path("link/0"), soon()).unwrap();
        assert!(path("real").is_dir() && !path("real/0").exists());
        assert!(remove(&path("link"), soon()).is_err());
        assert!(path("real").is_dir());
    }

    #[test]
    fn a_removal_stops_at_its_deadline() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("0");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        let ended = remove(&folder, Instant::now() - Duration::from_millis(1));
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}

//! A bot process's private folders: home, temporary files and working folder. Each process has its
//! own folders, which are removed after it has ended.
//!
//! A command keeps all its bots' private folders in one root folder, below the system's folder for
//! temporary files. The command locks this root folder. If the command is killed, the lock is
//! released, and the next command removes the root folder.

use std::{
    env,
    fs::{self, DirBuilder, File},
    io, mem,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Once, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant, UNIX_EPOCH},
};

use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::{
    removal::remove,
    untrusted_files::open_regular,
    working_copy::{ROOT_PREFIX, copy_below},
};

/// Names of the private folders within the root folder.
const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
/// Name of the file that a command locks.
const LOCK_FILE: &str = "lock";

/// Maximum time to remove one bot's folders. It is enough for several hundred thousand files. The
/// next command removes the remaining files.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(10);

/// The root folder of this command, which exists while any bot has private folders.
static ROOT: Mutex<Weak<Root>> = Mutex::new(Weak::new());
static SWEEP: Once = Once::new();

/// A command's root folder. Dropping it removes the folder.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    created: AtomicU64,
    /// The folder's lock, which is held until the folder is removed.
    _lock: File,
}

impl Root {
    fn current() -> io::Result<Arc<Self>> {
        SWEEP.call_once(|| {
            // Removing large folders takes long, so it happens in the background.
            thread::spawn(|| sweep(&env::temp_dir()));
        });
        let mut current = ROOT.lock();
        if let Some(root) = current.upgrade() {
            return Ok(root);
        }
        let root = Arc::new(Self::new(&env::temp_dir())?);
        *current = Arc::downgrade(&root);
        Ok(root)
    }

    /// Creates the root folder. The folder has a temporary name until it is locked, because other
    /// commands remove root folders without a lock.
    fn new(temporary: &Path) -> io::Result<Self> {
        let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let name = format!("{ROOT_PREFIX}{}-{now}", process::id());
        let (unlocked, path) = (temporary.join(format!(".{name}")), temporary.join(name));
        create_private(&unlocked)?;
        let lock = File::create_new(unlocked.join(LOCK_FILE))?;
        lock.lock()?;
        fs::rename(&unlocked, &path)?;
        Ok(Self { path, created: AtomicU64::new(0), _lock: lock })
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        // If the removal fails, the next command removes the folder.
        let _ = remove(&self.path, Instant::now() + REMOVAL_TIMEOUT);
    }
}

/// Removes the root folders of commands that have ended.
fn sweep(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else {
        return;
    };
    for entry in entries.flatten() {
        let is_root = entry.file_name().to_string_lossy().starts_with(ROOT_PREFIX);
        let is_folder = entry.file_type().is_ok_and(|of| of.is_dir());
        if !(is_root && is_folder) {
            continue;
        }
        let lock = open_regular(File::options().read(true), &entry.path().join(LOCK_FILE));
        let is_abandoned = match lock {
            Ok(lock) => lock.try_lock().is_ok(),
            // The lock file is missing after an interrupted removal, or a bot replaced it. Other
            // users' lock files cause a different error.
            Err(error) => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput)
            }
        };
        if is_abandoned {
            let _ = remove(&entry.path(), Instant::now() + REMOVAL_TIMEOUT);
        }
    }
}

/// One process's private folders. Dropping this value removes them, in the background if there is
/// an async runtime.
#[derive(Debug)]
pub(crate) struct PrivateFolders {
    path: PathBuf,
    /// The working folder, within the `files` folder.
    working: PathBuf,
    root: Arc<Root>,
}

impl PrivateFolders {
    /// Creates the folders. The working folder is a copy of `working_copy_of` without the folder
    /// `except`; it is empty if `working_copy_of` is `None`.
    ///
    /// # Errors
    /// Returns an operating system error, or [`io::ErrorKind::Other`] if the folder is too large to
    /// copy.
    pub(crate) fn new(working_copy_of: Option<&Path>, except: Option<&Path>) -> io::Result<Self> {
        // Copying takes too long for an async task.
        let is_on_runtime = Handle::try_current()
            .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
        if is_on_runtime {
            tokio::task::block_in_place(|| Self::create(working_copy_of, except))
        } else {
            Self::create(working_copy_of, except)
        }
    }

    fn create(working_copy_of: Option<&Path>, except: Option<&Path>) -> io::Result<Self> {
        let root = Root::current()?;
        let number = root.created.fetch_add(1, Ordering::Relaxed);
        let path = root.path.join(number.to_string());
        create_private(&path)?;
        let mut folders = Self { working: path.join("files"), path, root };
        for folder in [HOME, TEMPORARY] {
            create_private(&folders.path.join(folder))?;
        }
        create_private(&folders.working)?;
        if let Some(of) = working_copy_of {
            folders.working = copy_below(&folders.working, of, except)?;
        }
        Ok(folders)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path.join(HOME)
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.path.join(TEMPORARY)
    }

    /// Returns the folder in which the process starts.
    pub(crate) fn working(&self) -> &Path {
        &self.working
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        let removal = Removal { path: mem::take(&mut self.path), _root: Arc::clone(&self.root) };
        // The removal would block an async task that drops the folders.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || drop(removal))),
            Err(_) => drop(removal),
        }
    }
}

/// Removes one process's private folders when it is dropped. A runtime that shuts down drops queued
/// closures without running them, so the removal must not be the body of a closure.
struct Removal {
    path: PathBuf,
    /// The root folder, which must not be removed before this folder.
    _root: Arc<Root>,
}

impl Drop for Removal {
    fn drop(&mut self) {
        // If the removal fails, the next command removes the folder.
        let _ = remove(&self.path, Instant::now() + REMOVAL_TIMEOUT);
    }
}

/// Creates a folder that only this user can access.
fn create_private(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn a_process_has_private_empty_folders_that_are_gone_after_it() {
        let folders = PrivateFolders::new(None, None).unwrap();
        let working = folders.working().to_owned();
        let paths = [folders.home(), folders.temporary(), working];
        for path in &paths {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", path.display());
            assert_eq!(fs::read_dir(path).unwrap().count(), 0);
        }
        drop(folders);
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn folders_are_removed_even_if_the_runtime_has_shut_down() {
        let folders = PrivateFolders::new(None, None).unwrap();
        let home = folders.home();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let handle = runtime.handle().clone();
        runtime.shutdown_background();
        // The runtime drops the closure without running it.
        let _entered = handle.enter();
        drop(folders);
        assert!(!home.exists());
    }

    #[test]
    fn folders_of_killed_commands_are_removed_and_those_of_running_ones_are_kept() {
        let temporary = tempdir().unwrap();
        let running = Root::new(temporary.path()).unwrap();
        let killed = [1, 2, 3].map(|id| temporary.path().join(format!("{ROOT_PREFIX}1-{id}")));
        for folder in &killed {
            fs::create_dir_all(folder.join("0/home")).unwrap();
        }
        fs::write(killed[0].join(LOCK_FILE), "").unwrap();
        // A bot may create a named pipe in the folder, which would block an open forever.
        let mut mkfifo = process::Command::new("mkfifo");
        let status = mkfifo.arg(killed[2].join(LOCK_FILE)).status();
        assert!(status.unwrap().success());
        sweep(temporary.path());
        assert!(killed.iter().all(|folder| !folder.exists()));
        assert!(running.path.join(LOCK_FILE).is_file());
        drop(running);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
}

//! Locking and permissions of data folders.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout},
};

use bridgemaster_store::{DataDir, SqliteOptions, SqliteStore, StoreError};
use tokio::runtime::Runtime;

use crate::second;

pub(crate) fn a_server_locks_its_folder_until_it_is_killed() {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let mut server = second::command(&std::env::current_exe().unwrap())
        .arg(second::HOLD)
        .arg(folder.path())
        .spawn()
        .unwrap();
    assert_eq!(first_line(&mut server).1, second::OPEN);
    let error = runtime.block_on(SqliteStore::open(&dir, SqliteOptions::default())).unwrap_err();
    assert!(
        matches!(&error, StoreError::FolderInUse { process_id, .. }
            if *process_id == Some(server.id())),
        "{error}"
    );
    server.kill().unwrap();
    server.wait().unwrap();
    runtime.block_on(SqliteStore::open(&dir, SqliteOptions::default())).unwrap();
}

/// Returns the output of a process, and its first line.
fn first_line(process: &mut Child) -> (BufReader<ChildStdout>, String) {
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    (output, line.trim_end().to_owned())
}

#[cfg(unix)]
pub(crate) use unprivileged::*;

#[cfg(unix)]
mod unprivileged {
    use std::{
        fs,
        os::unix::{
            fs::{MetadataExt as _, PermissionsExt as _, chown},
            process::CommandExt as _,
        },
        path::Path,
    };

    use bridgemaster_store::{
        COMMITS_FILE, DATABASE_FILE, DataDir, LOCK_FILE, SqliteOptions, SqliteStore, Store as _,
    };
    use tokio::runtime::Runtime;

    use super::first_line;
    use crate::second;

    /// A user without privileges, for tests that run as root.
    const NOBODY: u32 = 65_534;

    pub(crate) fn a_folder_without_write_permission_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        DataDir::prepare(&folder).unwrap();
        set_mode(&folder, 0o555);
        let words = error_without_permissions(place.path(), &folder);
        set_mode(&folder, 0o755);
        assert_eq!(
            words,
            format!(
                "{} cannot be used as data folder: Permission denied (os error 13); \
                 pass a folder that this user can write to",
                folder.display()
            )
        );
    }

    pub(crate) fn a_read_only_database_is_reported() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        let dir = DataDir::prepare(&folder).unwrap();
        Runtime::new().unwrap().block_on(async {
            let store = SqliteStore::open(&dir, SqliteOptions::default()).await.unwrap();
            store.close().await.unwrap();
        });
        // The process creates these files with itself as the owner.
        for file in [LOCK_FILE, COMMITS_FILE] {
            fs::remove_file(folder.join(file)).unwrap();
        }
        // A read-only file of the user of the process.
        set_mode(&dir.database(), 0o400);
        if fs::metadata(&folder).unwrap().uid() == 0 {
            for path in [&folder, &dir.database()] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let words = error_without_permissions(place.path(), &folder);
        assert_eq!(
            words,
            format!(
                "{} is read-only; make the file, its folder and its file system writable",
                folder.join(DATABASE_FILE).display()
            )
        );
    }

    pub(crate) fn a_folder_of_another_user_that_is_open_to_all_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        DataDir::prepare(&folder).unwrap();
        if fs::metadata(&folder).unwrap().uid() != 0 {
            // Only root can change the owner of a folder, so the test ends here for other users.
            return;
        }
        set_mode(&folder, 0o777);
        let words = error_without_permissions(place.path(), &folder);
        assert!(words.contains("is accessible by other users (mode 0777)"), "{words}");
    }

    /// Runs an unprivileged process that opens the store, and returns its error.
    fn error_without_permissions(place: &Path, folder: &Path) -> String {
        set_mode(place, 0o755);
        // The folder of the test program may be inaccessible to other users.
        let program = place.join("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        set_mode(&program, 0o755);
        let mut command = second::command(&program);
        command.arg(second::HOLD).arg(folder).current_dir(place);
        if fs::metadata(place).unwrap().uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut process = command.spawn().unwrap();
        let (_output, line) = first_line(&mut process);
        drop(process.stdin.take());
        assert!(process.wait().unwrap().success());
        line
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

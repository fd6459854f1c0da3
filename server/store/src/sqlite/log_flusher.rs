//! Makes commits survive a loss of power, beside the commits that follow.
//!
//! With `synchronous = FULL` SQLite waits for the disk within each commit, and a thread of the server
//! with it. Here a commit ends as soon as the system has it (`NORMAL`), and another thread flushes the
//! log: once for all commits that are in it by then, while the next are made. That is the same as
//! what SQLite does to the log. It still waits by itself before the log goes into the database, and
//! when it begins anew.
//!
//! Between the end of a commit and its flush, readers see it. So what they read is not told before
//! all is flushed that was committed by then.

use std::{
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use tokio::sync::watch;

use super::{
    failure::Fault,
    own_thread::{Between, OwnThread},
};
use crate::{StoreError, commits_file::CommitsFile};

/// Has commits flushed.
#[derive(Debug)]
pub(super) struct LogFlusher {
    flushed: Flushed,
    thread: OwnThread<Flushes>,
}

/// Tells which commits are flushed.
#[derive(Clone, Debug)]
pub(super) struct Flushed {
    newest: Arc<AtomicI64>,
    state: watch::Receiver<State>,
}

#[derive(Debug)]
struct State {
    /// This commit and all before it are flushed.
    flushed: i64,
    /// Why nothing is flushed any more: after a failure the system may have dropped what it could
    /// not write, and the next flush would not tell.
    failure: Option<io::Error>,
}

/// What the thread has.
#[derive(Debug)]
struct Flushes {
    log: File,
    commits_file: CommitsFile,
    /// The last commit that is in the log.
    newest: Arc<AtomicI64>,
    state: watch::Sender<State>,
}

impl LogFlusher {
    /// For a log in which the commit of this number is the last one, and flushed. `commits_file` is
    /// told of those that are flushed.
    ///
    /// # Errors
    /// What the system says if there can be no thread more.
    pub(super) fn start(log: File, commits_file: CommitsFile, flushed: i64) -> io::Result<Self> {
        let newest = Arc::new(AtomicI64::new(flushed));
        let (sender, state) = watch::channel(State {
            flushed,
            failure: None,
        });
        let flushes = Flushes {
            log,
            commits_file,
            newest: Arc::clone(&newest),
            state: sender,
        };
        Ok(Self {
            flushed: Flushed { newest, state },
            thread: OwnThread::start("flusher", flushes, Between::NOTHING)?,
        })
    }

    pub(super) fn flushed(&self) -> Flushed {
        self.flushed.clone()
    }

    /// The commit of this number is in the log now. It is flushed whether anybody waits for it or
    /// not.
    pub(super) fn committed(&self, number: i64) {
        self.flushed.newest.store(number, Ordering::Release);
        self.thread.begin(move |flushes| flushes.flush(number));
    }

    /// Ends when all is flushed, and the file that counts commits is on the disk.
    pub(super) fn end(self) {
        self.thread.begin(|flushes| flushes.commits_file.sync());
    }
}

impl Flushes {
    /// Flushes the log, unless that was done since this commit.
    fn flush(&mut self, number: i64) {
        if self.state.borrow().is_over(number) {
            return;
        }
        let newest = self.newest.load(Ordering::Acquire);
        let synced = self.log.sync_data();
        if synced.is_ok() {
            self.commits_file.note(newest);
        }
        self.state.send_modify(|state| match synced {
            Ok(()) => state.flushed = newest,
            Err(error) => state.failure = Some(error),
        });
    }
}

impl State {
    /// Whether this commit is flushed, or never will be.
    fn is_over(&self, number: i64) -> bool {
        self.flushed >= number || self.failure.is_some()
    }
}

impl Flushed {
    /// Completes when the commit of this number is flushed, and all before it.
    pub(super) async fn commit(mut self, number: i64) -> Result<(), Fault> {
        let state = self.state.wait_for(|state| state.is_over(number)).await;
        // The thread is gone before only after a panic.
        let state = state.map_err(|_| StoreError::Closed)?;
        match &state.failure {
            Some(error) if state.flushed < number => Err(Fault::System(same(error))),
            _ => Ok(()),
        }
    }

    /// Completes when all is flushed that is in the log by now.
    pub(super) async fn all(self) -> Result<(), Fault> {
        let newest = self.newest.load(Ordering::Acquire);
        self.commit(newest).await
    }
}

/// The same error once more: each who waits is told.
fn same(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::mpsc,
        task::{Context, Waker},
    };

    use tempfile::TempDir;

    use super::*;
    use crate::{
        checksum::StoreId,
        commits_file::{self, Told},
    };

    const STORE: StoreId = StoreId([7; 16]);

    /// A flusher whose first commit is flushed, and the folder of its files.
    fn flusher(log: Option<File>) -> (TempDir, LogFlusher) {
        let folder = tempfile::tempdir().unwrap();
        let commits_file = CommitsFile::begin(folder.path(), STORE, 1).unwrap();
        let log = log.unwrap_or_else(|| File::create(folder.path().join("log")).unwrap());
        let flusher = LogFlusher::start(log, commits_file, 1).unwrap();
        (folder, flusher)
    }

    fn noted(folder: &TempDir) -> Told {
        commits_file::read(folder.path()).unwrap()
    }

    #[tokio::test]
    async fn a_commit_is_noted_and_told_once_it_is_flushed_and_not_before() {
        let (folder, flusher) = flusher(None);
        flusher.flushed().all().await.unwrap();
        let (go_on, goes_on) = mpsc::channel::<()>();
        flusher.thread.begin(move |_| goes_on.recv().unwrap());
        (2..=3).for_each(|number| flusher.committed(number));
        let mut all = pin!(flusher.flushed().all());
        let mut context = Context::from_waker(Waker::noop());
        assert!(all.as_mut().poll(&mut context).is_pending());
        flusher.flushed().commit(1).await.unwrap();
        assert_eq!(noted(&folder), Told::Commits(STORE, 1));
        go_on.send(()).unwrap();
        all.await.unwrap();
        assert_eq!(noted(&folder), Told::Commits(STORE, 3));
        flusher.end();
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_flushed_before_the_end() {
        let (folder, flusher) = flusher(None);
        flusher.committed(2);
        flusher.end();
        assert_eq!(noted(&folder), Told::Commits(STORE, 2));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn after_a_failure_of_the_disk_no_commit_is_told_as_flushed() {
        // A device that cannot be flushed.
        let log = File::open("/dev/null").unwrap();
        let (folder, flusher) = flusher(Some(log));
        flusher.flushed().all().await.unwrap();
        for number in 2..=3 {
            flusher.committed(number);
            let failed = flusher.flushed().commit(number).await;
            assert!(matches!(failed, Err(Fault::System(_))), "{failed:?}");
        }
        assert_eq!(noted(&folder), Told::Commits(STORE, 1));
    }
}

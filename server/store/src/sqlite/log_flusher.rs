//! Flushes commits to the disk while the next commits run.
//!
//! With `synchronous = FULL`, SQLite waits for the disk within each commit. Here a commit only
//! writes to the page cache (`NORMAL`), and another thread flushes the log. One flush covers all
//! commits that are in the log when it starts. SQLite itself still waits for the disk before it
//! copies the log into the database, and when it restarts the log.
//!
//! Readers can see a commit before it is flushed, and even before the call that commits has
//! returned. So each commit is announced before it is made, and the result of a read is withheld
//! until all commits that were announced before it are flushed. Commands alongside the server use
//! other connections. They wait until their own writes are flushed, but not until the values that
//! they read are flushed.

use std::{
    fmt::Debug,
    fs::File,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use rusqlite::Connection;
use tokio::sync::watch;

use super::{connections::WorkerThread, opening, options::Durability};
use crate::{StoreError, commit_count_file::CommitCountFile, db_error::DbError};

/// The work after each commit: it is flushed if the durability requires it, and its number is
/// recorded.
pub(super) enum AfterCommit {
    /// Only record the commit. It can be lost in a power failure.
    Record(CommitCountFile),
    /// Flush the commit, then record it.
    Flush(LogFlusher),
}

impl AfterCommit {
    /// Creates the handler for a database whose commits up to this number are on the disk.
    pub(super) fn new(
        durability: Durability,
        database: &Path,
        connection: &Connection,
        commit_count_file: CommitCountFile,
        number: i64,
    ) -> Result<Self, DbError> {
        if durability == Durability::Process {
            return Ok(Self::Record(commit_count_file));
        }
        let log = opening::take_over_flushing(connection, database)?;
        let flusher = LogFlusher::start(log, commit_count_file, number);
        Ok(Self::Flush(flusher.map_err(DbError::Io)?))
    }

    /// Makes the commit with this number, and then flushes and records it.
    pub(super) fn commit<T>(
        &mut self,
        number: i64,
        commit: impl FnOnce() -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        match self {
            Self::Flush(flusher) => flusher.commit(number, commit),
            Self::Record(commit_count_file) => {
                let value = commit()?;
                commit_count_file.write_count(number);
                Ok(value)
            }
        }
    }

    /// Returns a handle to await flushes; `None` if commits are not flushed.
    pub(super) fn flush_watch(&self) -> Option<FlushWatch> {
        match self {
            Self::Record(_) => None,
            Self::Flush(flusher) => Some(flusher.flushed.clone()),
        }
    }

    /// Waits for the work after the last commit.
    pub(super) fn close(self) -> Result<(), DbError> {
        match self {
            Self::Record(commit_count_file) => {
                commit_count_file.sync();
                Ok(())
            }
            Self::Flush(flusher) => flusher.close().map_err(DbError::Io),
        }
    }
}

/// A log that can be flushed.
trait FlushableLog: Debug + Send + 'static {
    /// Returns once all data written so far survives a loss of power.
    fn flush(&mut self) -> io::Result<()>;
}

impl FlushableLog for File {
    fn flush(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Flushes commits on a separate thread.
#[derive(Debug)]
pub(super) struct LogFlusher {
    flushed: FlushWatch,
    progress: Arc<CommitProgress>,
    thread: WorkerThread<FlushWorker>,
}

/// Sequence number of an announced commit of this server. Failed commits count as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CommitSeq(u64);

/// The newest commit in the log. The thread that commits updates it.
#[derive(Debug)]
struct CommitProgress {
    /// Sequence number of the last commit that has succeeded or failed.
    seq: AtomicU64,
    /// Number of the last commit in the journal.
    number: AtomicI64,
}

/// Waits until commits are flushed.
#[derive(Clone, Debug)]
pub(super) struct FlushWatch {
    /// The sequence number of the last announced commit.
    announced: Arc<AtomicU64>,
    state: watch::Receiver<State>,
}

#[derive(Debug)]
struct State {
    /// Every commit up to this commit is flushed.
    flushed: CommitSeq,
    /// The error of a failed flush. The operating system might have discarded the data, and a
    /// further flush would not report this. So no later commit counts as flushed.
    failure: Option<io::Error>,
}

/// State of the flusher thread.
#[derive(Debug)]
struct FlushWorker {
    log: Box<dyn FlushableLog>,
    commit_count_file: CommitCountFile,
    progress: Arc<CommitProgress>,
    state: watch::Sender<State>,
}

impl LogFlusher {
    /// Starts the thread, for a log that is flushed up to this commit number. Flushed commits are
    /// recorded in `commit_count_file`.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    fn start(
        log: impl FlushableLog,
        commit_count_file: CommitCountFile,
        last_number: i64,
    ) -> io::Result<Self> {
        let (sender, state) = watch::channel(State { flushed: CommitSeq(0), failure: None });
        let progress = Arc::new(CommitProgress {
            seq: AtomicU64::new(0),
            number: AtomicI64::new(last_number),
        });
        let worker = FlushWorker {
            log: Box::new(log),
            commit_count_file,
            progress: Arc::clone(&progress),
            state: sender,
        };
        let thread = WorkerThread::start("flusher", worker)?;
        thread.enqueue(|_| request_short_time_slices());
        let announced = Arc::default();
        Ok(Self { flushed: FlushWatch { announced, state }, progress, thread })
    }

    /// Makes the commit with this number, and schedules its flush. Calls must be serialized.
    fn commit<T>(
        &self,
        number: i64,
        commit: impl FnOnce() -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let seq = CommitSeq(self.flushed.announced.fetch_add(1, Ordering::SeqCst) + 1);
        let result = commit();
        if result.is_ok() {
            self.progress.number.store(number, Ordering::Relaxed);
        }
        self.progress.seq.store(seq.0, Ordering::Release);
        self.thread.enqueue(move |worker| worker.flush(seq));
        result
    }

    /// Returns once all commits and the file with their number are flushed.
    ///
    /// # Errors
    /// Returns the first failure of a flush since the start.
    fn close(self) -> io::Result<()> {
        let Self { flushed, thread, .. } = self;
        thread.enqueue(|worker| worker.commit_count_file.sync());
        drop(thread);
        match &flushed.state.borrow().failure {
            Some(error) => Err(clone_error(error)),
            None => Ok(()),
        }
    }
}

impl FlushWorker {
    /// Flushes the log, unless a flush has already covered this commit.
    fn flush(&mut self, seq: CommitSeq) {
        if self.state.borrow().is_flushed_or_failed(seq) {
            return;
        }
        // The flush may also cover commits that are made after this line.
        let committed = CommitSeq(self.progress.seq.load(Ordering::Acquire));
        let number = self.progress.number.load(Ordering::Relaxed);
        let outcome = self.log.flush();
        if outcome.is_ok() {
            self.commit_count_file.write_count(number);
        }
        self.state.send_modify(|state| match outcome {
            Ok(()) => state.flushed = committed,
            Err(error) => state.failure = Some(error),
        });
    }
}

impl State {
    /// Returns whether this commit is flushed, or can no longer be flushed.
    fn is_flushed_or_failed(&self, seq: CommitSeq) -> bool {
        self.flushed >= seq || self.failure.is_some()
    }
}

impl FlushWatch {
    /// Completes when all commits announced before this call are flushed.
    pub(super) fn wait_for_announced(
        self,
    ) -> impl Future<Output = Result<(), DbError>> + Send + 'static {
        let seq = CommitSeq(self.announced.load(Ordering::SeqCst));
        self.wait_for(seq)
    }

    async fn wait_for(mut self, seq: CommitSeq) -> Result<(), DbError> {
        let state = self.state.wait_for(|state| state.is_flushed_or_failed(seq)).await;
        // The thread ends before a flush only if it panics.
        let state = state.map_err(|_| StoreError::Closed)?;
        match &state.failure {
            Some(error) if state.flushed < seq => Err(DbError::Io(clone_error(error))),
            _ => Ok(()),
        }
    }
}

/// Copies an error, since every waiting caller receives one.
fn clone_error(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Requests short time slices for the calling thread, so that it is scheduled soon after it wakes.
/// On a busy machine it would otherwise wait longer for a CPU than for the disk. The call needs no
/// privileges. It has no effect before Linux 6.12 and on other systems.
fn request_short_time_slices() {
    #[cfg(target_os = "linux")]
    {
        use uapi::{sched_getattr, sched_setattr};

        /// The shortest time slice that Linux accepts.
        const SLICE_NS: u64 = 100_000;

        let calling_thread = 0;
        if let Ok(mut attributes) = sched_getattr(calling_thread, 0) {
            attributes.sched_runtime = SLICE_NS;
            // Errors are ignored, since the thread is only slower then.
            let _ = sched_setattr(calling_thread, &attributes, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::{Pin, pin},
        sync::mpsc,
        task::{Context, Waker},
    };

    use tempfile::TempDir;

    use super::{
        super::{tests::store, writer::Writer},
        *,
    };
    use crate::{
        DataDir, KeyStore as _, MatchId, RecordStore as _, SqliteOptions, SqliteStore, Store as _,
        Write,
        checksum::{STORE_ID_BYTES, StoreId},
        commit_count_file::{self, CommitsRecord},
    };

    const STORE: StoreId = StoreId([7; STORE_ID_BYTES]);

    /// A test disk that reports each flush, and then waits for the test to decide its outcome.
    #[derive(Debug)]
    struct Disk {
        started: mpsc::Sender<()>,
        outcomes: mpsc::Receiver<io::Result<()>>,
    }

    impl FlushableLog for Disk {
        fn flush(&mut self) -> io::Result<()> {
            self.started.send(()).unwrap();
            self.outcomes.recv().unwrap()
        }
    }

    /// A flusher whose first commit is flushed, with control over its disk.
    struct Bench {
        folder: TempDir,
        flusher: LogFlusher,
        started: mpsc::Receiver<()>,
        outcomes: mpsc::Sender<io::Result<()>>,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let commit_count_file =
                CommitCountFile::open_or_create(folder.path(), STORE, 1).unwrap();
            let (started_sender, started) = mpsc::channel();
            let (outcomes, receiver) = mpsc::channel();
            let disk = Disk { started: started_sender, outcomes: receiver };
            Self {
                folder,
                flusher: LogFlusher::start(disk, commit_count_file, 1).unwrap(),
                started,
                outcomes,
            }
        }

        fn commit(&self, number: i64) {
            self.flusher.commit(number, || Ok(())).unwrap();
        }

        fn wait_for_announced(&self) -> impl Future<Output = Result<(), DbError>> + use<> {
            self.flusher.flushed.clone().wait_for_announced()
        }

        fn noted(&self) -> CommitsRecord {
            commit_count_file::read(self.folder.path()).unwrap()
        }
    }

    fn is_pending(future: Pin<&mut impl Future>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        future.poll(&mut context).is_pending()
    }

    fn failed() -> io::Error {
        io::Error::other("failure of the test")
    }

    #[tokio::test]
    async fn a_commit_is_recorded_and_reported_only_after_its_flush() {
        let bench = Bench::new();
        bench.wait_for_announced().await.unwrap();
        bench.commit(2);
        bench.started.recv().unwrap();
        let mut second = pin!(bench.wait_for_announced());
        assert!(is_pending(second.as_mut()));
        assert_eq!(bench.noted(), CommitsRecord::Commits(STORE, 1));
        bench.outcomes.send(Ok(())).unwrap();
        second.await.unwrap();
        assert_eq!(bench.noted(), CommitsRecord::Commits(STORE, 2));
    }

    #[tokio::test]
    async fn commits_during_a_flush_share_the_next_one() {
        let bench = Bench::new();
        bench.commit(2);
        bench.started.recv().unwrap();
        (3..=4).for_each(|number| bench.commit(number));
        let mut last = pin!(bench.wait_for_announced());
        bench.outcomes.send(Ok(())).unwrap();
        bench.started.recv().unwrap();
        assert!(is_pending(last.as_mut()));
        bench.outcomes.send(Ok(())).unwrap();
        last.await.unwrap();
        assert_eq!(bench.noted(), CommitsRecord::Commits(STORE, 4));
        bench.flusher.close().unwrap();
        assert!(bench.started.try_recv().is_err(), "one flush was for both");
    }

    #[tokio::test]
    async fn a_read_during_a_commit_waits_for_its_flush() {
        let bench = Bench::new();
        let mut read = None;
        let commit = || {
            read = Some(Box::pin(bench.wait_for_announced()));
            Ok(())
        };
        bench.flusher.commit(2, commit).unwrap();
        let mut read = read.unwrap();
        assert!(is_pending(read.as_mut()));
        bench.outcomes.send(Ok(())).unwrap();
        read.await.unwrap();
    }

    #[tokio::test]
    async fn a_failed_commit_blocks_no_one_and_is_not_recorded() {
        let bench = Bench::new();
        let commit = || -> Result<(), DbError> { Err(DbError::Superseded) };
        assert!(bench.flusher.commit(2, commit).is_err());
        bench.outcomes.send(Ok(())).unwrap();
        bench.wait_for_announced().await.unwrap();
        assert_eq!(bench.noted(), CommitsRecord::Commits(STORE, 1));
    }

    #[tokio::test]
    async fn after_a_failed_flush_nothing_counts_as_flushed_even_if_later_ones_succeed() {
        let bench = Bench::new();
        bench.commit(2);
        bench.outcomes.send(Err(failed())).unwrap();
        bench.outcomes.send(Ok(())).unwrap();
        for number in 2..=3 {
            let result = bench.wait_for_announced().await;
            assert!(matches!(result, Err(DbError::Io(_))), "{result:?}");
            bench.commit(number + 1);
        }
        assert_eq!(bench.noted(), CommitsRecord::Commits(STORE, 1));
        assert_eq!(bench.flusher.close().unwrap_err().to_string(), failed().to_string());
    }

    #[tokio::test]
    async fn commits_that_are_not_awaited_are_flushed_before_closing() {
        let bench = Bench::new();
        bench.commit(2);
        bench.outcomes.send(Ok(())).unwrap();
        let (folder, flusher) = (bench.folder, bench.flusher);
        flusher.close().unwrap();
        let noted = commit_count_file::read(folder.path()).unwrap();
        assert_eq!(noted, CommitsRecord::Commits(STORE, 2));
    }

    #[tokio::test]
    async fn results_of_a_commit_are_withheld_until_it_is_flushed() {
        let (_folder, _, store) = store().await;
        let record = |value: u8| Write::PutRecord { name: "test".to_owned(), value: vec![value] };
        let held = store.writer.call(|writer: &mut Option<Writer>| {
            let (resume, resumed) = mpsc::channel::<()>();
            let Some(AfterCommit::Flush(flusher)) = writer.as_ref().unwrap().after_commit() else {
                panic!("nothing is flushed");
            };
            flusher.thread.enqueue(move |_| _ = resumed.recv());
            resume
        });
        let held = held.await.unwrap();
        let flush = store.begin_commit(vec![record(7)]).await.unwrap();
        let unknown = MatchId::new("unknown").unwrap();
        let refused = vec![Write::DropMatch { match_id: unknown }];
        let mut waiting = (
            Box::pin(flush.wait()),
            store.commit(vec![record(8)]),
            store.record("test"),
            store.commit(refused),
            store.open_match_ids(),
        );
        let mut context = Context::from_waker(Waker::noop());
        // Reads of keys do not wait for the flush. In the same time, the other reads would complete
        // too if they did not wait.
        for _ in 0..100 {
            store.keys_version().await.unwrap();
            assert!(waiting.0.as_mut().poll(&mut context).is_pending());
            assert!(waiting.1.as_mut().poll(&mut context).is_pending());
            assert!(waiting.2.as_mut().poll(&mut context).is_pending());
            assert!(waiting.3.as_mut().poll(&mut context).is_pending());
            assert!(waiting.4.as_mut().poll(&mut context).is_pending());
        }
        drop(held);
        waiting.0.await.unwrap();
        waiting.1.await.unwrap();
        assert!(waiting.2.await.unwrap().is_some());
        let refused = waiting.3.await.unwrap_err();
        assert!(matches!(refused, StoreError::WriteRefused { .. }), "{refused}");
        assert!(waiting.4.await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn commits_are_not_flushed_with_durability_process() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let options = SqliteOptions { durability: Durability::Process, ..SqliteOptions::default() };
        let store = SqliteStore::open(&dir, options).await.unwrap();
        assert!(store.flushed.is_none());
        let record = Write::PutRecord { name: "test".to_owned(), value: vec![7] };
        assert!(store.begin_commit(vec![record]).await.unwrap().is_durable());
    }
}

//! Makes commits survive a loss of power, beside the commits that follow.
//!
//! With `synchronous = FULL` SQLite waits for the disk within each commit, and a thread of the server
//! with it. Here a commit ends as soon as the system has it (`NORMAL`), and another thread flushes the
//! log: once for all commits that are in it by then, while the next are made. SQLite still waits by
//! itself before the log goes into the database, and when it begins anew.
//!
//! Readers see a commit before it is flushed, and a little before whoever makes it knows of it. So each
//! is announced before it is made, and what was read is told once all is flushed that was announced by
//! then. Commands beside the server have connections of their own, and wait for what they write, but
//! not for what they read.

use std::{
    fmt::Debug,
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use tokio::sync::watch;

use super::{
    failure::Fault,
    own_thread::{Between, OwnThread},
    short_turns,
};
use crate::{StoreError, commits_file::CommitsFile};

/// What is flushed.
pub(super) trait Log: Debug + Send + 'static {
    /// Returns when all that was written to it survives a loss of power.
    fn flush(&mut self) -> io::Result<()>;
}

impl Log for File {
    fn flush(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Has commits flushed.
#[derive(Debug)]
pub(super) struct LogFlusher {
    flushed: Flushed,
    made: Arc<Made>,
    thread: OwnThread<Flushes>,
}

/// A commit that was announced, by its place among all of this server. One that fails has a place too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u64);

/// What is in the log.
#[derive(Debug)]
struct Made {
    /// The last place whose commit is made, or has failed.
    place: AtomicU64,
    /// The number of the last commit.
    number: AtomicI64,
}

/// Tells which commits are flushed.
#[derive(Clone, Debug)]
pub(super) struct Flushed {
    /// The last place that was announced.
    announced: Arc<AtomicU64>,
    state: watch::Receiver<State>,
}

#[derive(Debug)]
struct State {
    /// All up to this place are flushed.
    flushed: Place,
    /// Why nothing is flushed any more: after a failure the system may have dropped what it could
    /// not write, and the next flush would not tell.
    failure: Option<io::Error>,
}

/// What the thread has.
#[derive(Debug)]
struct Flushes {
    log: Box<dyn Log>,
    commits_file: CommitsFile,
    made: Arc<Made>,
    state: watch::Sender<State>,
}

impl LogFlusher {
    /// For a log in which the commit of this number is the last one, and flushed. `commits_file` is
    /// told of those that are flushed.
    ///
    /// # Errors
    /// What the system says if there can be no thread more.
    pub(super) fn start(
        log: impl Log,
        commits_file: CommitsFile,
        last_number: i64,
    ) -> io::Result<Self> {
        let (sender, state) = watch::channel(State {
            flushed: Place(0),
            failure: None,
        });
        let made = Arc::new(Made {
            place: AtomicU64::new(0),
            number: AtomicI64::new(last_number),
        });
        let flushes = Flushes {
            log: Box::new(log),
            commits_file,
            made: Arc::clone(&made),
            state: sender,
        };
        let thread = OwnThread::start("flusher", flushes, Between::NOTHING)?;
        thread.begin(|_| short_turns::ask_for());
        let announced = Arc::default();
        Ok(Self {
            flushed: Flushed { announced, state },
            made,
            thread,
        })
    }

    pub(super) fn flushed(&self) -> Flushed {
        self.flushed.clone()
    }

    /// Makes a commit and has it flushed, whether anybody waits for that or not. `commit` gives what
    /// came of it, with its number if it is made. Commits are made one after the other.
    pub(super) fn make<T>(
        &self,
        commit: impl FnOnce() -> Result<(T, Option<i64>), Fault>,
    ) -> Result<T, Fault> {
        let place = Place(self.flushed.announced.fetch_add(1, Ordering::SeqCst) + 1);
        let made = commit();
        if let Ok((_, Some(number))) = made {
            self.made.number.store(number, Ordering::Relaxed);
        }
        self.made.place.store(place.0, Ordering::Release);
        self.thread.begin(move |flushes| flushes.flush(place));
        made.map(|(value, _)| value)
    }

    /// Ends when all is flushed, and the file that counts commits is on the disk.
    ///
    /// # Errors
    /// What the disk failed with, since the start.
    pub(super) fn end(self) -> io::Result<()> {
        let Self {
            flushed, thread, ..
        } = self;
        thread.begin(|flushes| flushes.commits_file.sync());
        drop(thread);
        match &flushed.state.borrow().failure {
            Some(error) => Err(same(error)),
            None => Ok(()),
        }
    }

    /// Holds up all flushes until what this returns is dropped.
    #[cfg(test)]
    pub(super) fn hold(&self) -> std::sync::mpsc::Sender<()> {
        let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
        self.thread.begin(move |_| {
            let _ = goes_on.recv();
        });
        go_on
    }
}

impl Flushes {
    /// Flushes the log, unless that was done since the commit of this place was made.
    fn flush(&mut self, place: Place) {
        if self.state.borrow().is_over(place) {
            return;
        }
        // What is made from here on may be flushed too, or not.
        let made = Place(self.made.place.load(Ordering::Acquire));
        let number = self.made.number.load(Ordering::Relaxed);
        let outcome = self.log.flush();
        if outcome.is_ok() {
            self.commits_file.note(number);
        }
        self.state.send_modify(|state| match outcome {
            Ok(()) => state.flushed = made,
            Err(error) => state.failure = Some(error),
        });
    }
}

impl State {
    /// Whether the commit of this place is flushed, or never will be.
    fn is_over(&self, place: Place) -> bool {
        self.flushed >= place || self.failure.is_some()
    }
}

impl Flushed {
    /// Completes when all is flushed that was announced when this was called.
    pub(super) fn all(self) -> impl Future<Output = Result<(), Fault>> + Send + 'static {
        let place = Place(self.announced.load(Ordering::SeqCst));
        self.up_to(place)
    }

    async fn up_to(mut self, place: Place) -> Result<(), Fault> {
        let state = self.state.wait_for(|state| state.is_over(place)).await;
        // The thread is gone before only after a panic.
        let state = state.map_err(|_| StoreError::Closed)?;
        match &state.failure {
            Some(error) if state.flushed < place => Err(Fault::System(same(error))),
            _ => Ok(()),
        }
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
        pin::{Pin, pin},
        sync::mpsc,
        task::{Context, Waker},
    };

    use tempfile::TempDir;

    use super::*;
    use crate::{
        checksum::{STORE_ID_BYTES, StoreId},
        commits_file::{self, Told},
    };

    const STORE: StoreId = StoreId([7; STORE_ID_BYTES]);

    /// A disk that tells of each flush, and then waits for its outcome.
    #[derive(Debug)]
    struct Disk {
        begun: mpsc::Sender<()>,
        outcomes: mpsc::Receiver<io::Result<()>>,
    }

    impl Log for Disk {
        fn flush(&mut self) -> io::Result<()> {
            self.begun.send(()).unwrap();
            self.outcomes.recv().unwrap()
        }
    }

    /// A flusher whose first commit is flushed, and the other side of its disk.
    struct Bench {
        folder: TempDir,
        flusher: LogFlusher,
        begun: mpsc::Receiver<()>,
        outcomes: mpsc::Sender<io::Result<()>>,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let commits_file = CommitsFile::begin(folder.path(), STORE, 1).unwrap();
            let (tell, begun) = mpsc::channel();
            let (outcomes, told) = mpsc::channel();
            let disk = Disk {
                begun: tell,
                outcomes: told,
            };
            Self {
                folder,
                flusher: LogFlusher::start(disk, commits_file, 1).unwrap(),
                begun,
                outcomes,
            }
        }

        fn make(&self, number: i64) {
            self.flusher.make(|| Ok(((), Some(number)))).unwrap();
        }

        fn all(&self) -> impl Future<Output = Result<(), Fault>> + use<> {
            self.flusher.flushed().all()
        }

        fn noted(&self) -> Told {
            commits_file::read(self.folder.path()).unwrap()
        }
    }

    fn is_pending(future: Pin<&mut impl Future>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        future.poll(&mut context).is_pending()
    }

    fn failed() -> io::Error {
        io::Error::other("as the test wants it")
    }

    #[tokio::test]
    async fn a_commit_is_noted_and_told_once_it_is_flushed_and_not_before() {
        let bench = Bench::new();
        bench.all().await.unwrap();
        bench.make(2);
        bench.begun.recv().unwrap();
        let mut second = pin!(bench.all());
        assert!(is_pending(second.as_mut()));
        assert_eq!(bench.noted(), Told::Commits(STORE, 1));
        bench.outcomes.send(Ok(())).unwrap();
        second.await.unwrap();
        assert_eq!(bench.noted(), Told::Commits(STORE, 2));
    }

    #[tokio::test]
    async fn commits_that_are_made_during_a_flush_share_the_next_one() {
        let bench = Bench::new();
        bench.make(2);
        bench.begun.recv().unwrap();
        (3..=4).for_each(|number| bench.make(number));
        let mut last = pin!(bench.all());
        bench.outcomes.send(Ok(())).unwrap();
        bench.begun.recv().unwrap();
        assert!(is_pending(last.as_mut()));
        bench.outcomes.send(Ok(())).unwrap();
        last.await.unwrap();
        assert_eq!(bench.noted(), Told::Commits(STORE, 4));
        bench.flusher.end().unwrap();
        assert!(bench.begun.try_recv().is_err(), "one flush was for both");
    }

    #[tokio::test]
    async fn who_reads_while_a_commit_is_made_waits_for_its_flush() {
        let bench = Bench::new();
        let mut read = None;
        let commit = || {
            read = Some(Box::pin(bench.all()));
            Ok(((), Some(2)))
        };
        bench.flusher.make(commit).unwrap();
        let mut read = read.unwrap();
        assert!(is_pending(read.as_mut()));
        bench.outcomes.send(Ok(())).unwrap();
        read.await.unwrap();
    }

    #[tokio::test]
    async fn a_commit_that_fails_holds_nobody_up_and_is_not_noted() {
        let bench = Bench::new();
        let commit = || -> Result<((), Option<i64>), Fault> { Err(Fault::Superseded) };
        assert!(bench.flusher.make(commit).is_err());
        bench.outcomes.send(Ok(())).unwrap();
        bench.all().await.unwrap();
        assert_eq!(bench.noted(), Told::Commits(STORE, 1));
    }

    #[tokio::test]
    async fn after_a_failure_of_the_disk_nothing_is_told_as_flushed_even_if_it_is_well_again() {
        let bench = Bench::new();
        bench.make(2);
        bench.outcomes.send(Err(failed())).unwrap();
        bench.outcomes.send(Ok(())).unwrap();
        for number in 2..=3 {
            let told = bench.all().await;
            assert!(matches!(told, Err(Fault::System(_))), "{told:?}");
            bench.make(number + 1);
        }
        assert_eq!(bench.noted(), Told::Commits(STORE, 1));
        assert_eq!(
            bench.flusher.end().unwrap_err().to_string(),
            failed().to_string()
        );
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_flushed_before_the_end() {
        let bench = Bench::new();
        bench.make(2);
        bench.outcomes.send(Ok(())).unwrap();
        let (folder, flusher) = (bench.folder, bench.flusher);
        flusher.end().unwrap();
        let noted = commits_file::read(folder.path()).unwrap();
        assert_eq!(noted, Told::Commits(STORE, 2));
    }
}

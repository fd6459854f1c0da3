//! The Tokio runtime of a command.

use std::{
    io,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Context as _;

/// Time for a finished command's remaining tasks to end, for example by killing bot processes.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of task polls after which a worker polls for I/O events even if tasks are ready. Tokio's
/// default of 61 assumes short polls. With this default, clients that send frames without pause
/// could delay answers to all bots by 61 long polls. Polling for I/O costs less than a microsecond.
const EVENT_INTERVAL: u32 = 8;

/// Number of threads besides the workers, for files, name resolution, signals and the store.
const EXTRA_THREADS: usize = 4;

/// Checks that the operating system allows the runtime's threads, because the runtime panics if it
/// cannot start a thread.
fn check_threads() -> anyhow::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let hold = Arc::new(Mutex::new(()));
    let held = hold.lock();
    let started = (0..cores + EXTRA_THREADS).map(|_| {
        let hold = Arc::clone(&hold);
        // Each thread waits until all threads have started.
        thread::Builder::new().spawn(move || drop(hold.lock()))
    });
    let started = started.collect::<io::Result<Vec<JoinHandle<()>>>>();
    drop(held);
    let started = started.with_context(|| {
        format!(
            "the system does not allow {} threads; raise the limit of processes (`ulimit -u`, or \
             pids.max of a container)",
            cores + EXTRA_THREADS
        )
    })?;
    // The joined threads do not panic.
    started.into_iter().for_each(|thread| drop(thread.join()));
    Ok(())
}

/// Runs a command's asynchronous part, then aborts the remaining tasks.
pub(super) fn block_on(task: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    check_threads()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build()?;
    let done = runtime.block_on(task);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}

//! A command's process: its runtime, the signals that stop it, and its priority.

use std::{
    io,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Context as _;
use bridgemaster_sdk::PauseSwitch;
use clap::Args;

#[cfg(unix)]
use super::output;

/// Time for a finished command's remaining tasks to end, for example by killing bot processes.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of task polls after which a worker polls for I/O events even if tasks are ready. Tokio's
/// default of 61 assumes short polls: clients that send frames without pause could delay answers to
/// all bots by 61 long polls. Polling for I/O costs less than a microsecond.
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
    // These threads do not panic.
    started.into_iter().for_each(|thread| drop(thread.join()));
    Ok(())
}

/// Runs a command's asynchronous part, then aborts the remaining tasks.
pub(super) fn block_on<T>(task: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    check_threads()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build()?;
    let done = runtime.block_on(task);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}

/// Completes on SIGINT (Ctrl-C) and SIGTERM. The handlers are installed when this function is
/// called, not when the future is first polled.
#[cfg(unix)]
pub(super) fn stop_requested() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;

    on_any([SignalKind::interrupt(), SignalKind::terminate()])
}

/// Completes on SIGINT, SIGTERM, SIGHUP and SIGQUIT. Used by commands that must end processes or
/// write reports before they exit.
#[cfg(unix)]
pub(super) fn shutdown_requested() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;

    on_any([
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ])
}

/// Completes on the first signal in `kinds`. A signal whose handler cannot be installed ends the
/// process.
#[cfg(unix)]
fn on_any<const N: usize>(
    kinds: [tokio::signal::unix::SignalKind; N],
) -> impl Future<Output = ()> + Send + 'static {
    use std::{future::poll_fn, task::Poll};

    let streams = kinds.map(|kind| tokio::signal::unix::signal(kind).ok());
    async move {
        let mut streams: Vec<_> = streams.into_iter().flatten().collect();
        poll_fn(|context| {
            let mut streams = streams.iter_mut();
            if streams.any(|signal| signal.poll_recv(context).is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// Completes on Ctrl-C, since this system has no other signals.
#[cfg(not(unix))]
pub(super) async fn stop_requested() {
    if tokio::signal::ctrl_c().await.is_err() {
        // If the handler cannot be installed, Ctrl-C ends the process.
        std::future::pending::<()>().await;
    }
}

/// Completes on Ctrl-C, since this system has no other signals.
#[cfg(not(unix))]
pub(super) async fn shutdown_requested() {
    stop_requested().await;
}

/// Receives SIGHUP, which no longer ends the process.
#[cfg(unix)]
pub(super) struct Hangups(tokio::signal::unix::Signal);

#[cfg(unix)]
impl Hangups {
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }
}

/// Never receives the signal, since this system does not have it.
#[cfg(not(unix))]
pub(super) struct Hangups;

#[cfg(not(unix))]
impl Hangups {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) {
        std::future::pending().await
    }
}

/// Ignores the signals that would end a server although they request nothing from it. After
/// SIGXFSZ, a write beyond the limit of file sizes (`ulimit -f`) fails as on a full disk.
#[cfg(target_os = "linux")]
pub(super) fn ignore_other_signals() {
    use tokio::signal::unix::{SignalKind, signal};

    let size_limit_exceeded = SignalKind::from_raw(uapi::c::SIGXFSZ);
    let kinds = [SignalKind::user_defined1(), SignalKind::user_defined2(), SignalKind::alarm()];
    for kind in kinds.into_iter().chain([size_limit_exceeded]) {
        // A handler stays installed when its stream is dropped. If it cannot be installed, the
        // signal ends the process.
        let _ = signal(kind);
    }
}

/// Does nothing: these signals are not sent by mistake on other systems.
#[cfg(not(target_os = "linux"))]
pub(super) fn ignore_other_signals() {}

/// While the future is polled, pauses a bot on SIGUSR1 and resumes it on SIGUSR2. The handlers are
/// installed when this function is called.
#[cfg(unix)]
pub(super) fn pause_on_signals(switch: PauseSwitch) -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};

    let streams = [SignalKind::user_defined1(), SignalKind::user_defined2()].map(signal);
    async move {
        // If a handler cannot be installed, its signal ends the process.
        let [Ok(mut pause), Ok(mut resume)] = streams else {
            return;
        };
        loop {
            tokio::select! {
                Some(()) = pause.recv() => {
                    switch.pause();
                    output::eprint("paused: matches in play continue; SIGUSR2 resumes the bot");
                }
                Some(()) = resume.recv() => {
                    switch.resume();
                    output::eprint("resumed");
                }
                else => return,
            }
        }
    }
}

/// Does nothing, since this system does not have these signals.
#[cfg(not(unix))]
pub(super) async fn pause_on_signals(_: PauseSwitch) {}

#[derive(Args)]
pub(super) struct PriorityFlag {
    /// Run with low CPU priority, for house bots on a shared machine
    #[arg(long)]
    low_priority: bool,
}

impl PriorityFlag {
    /// Lowers the priority, if requested, for all threads and processes that are started later.
    ///
    /// # Errors
    /// Returns an error if the operating system does not support or allow a lower priority.
    pub(super) fn apply(&self) -> anyhow::Result<()> {
        if self.low_priority {
            lower_priority()?;
        }
        Ok(())
    }
}

/// Sets the niceness to 10, the default of the `nice` command. The process then gets about a tenth
/// of the CPU share of a normal process on the same core. With a smaller share, a bot might not
/// answer in time.
#[cfg(target_os = "linux")]
fn lower_priority() -> anyhow::Result<()> {
    use anyhow::Context as _;
    use uapi::{
        Errno,
        c::{EACCES, PRIO_PROCESS},
        setpriority,
    };

    const NICE: i32 = 10;
    let which = i32::try_from(PRIO_PROCESS).unwrap_or_default();
    match setpriority(which, 0, NICE) {
        // The process already has a lower priority.
        Err(Errno(EACCES)) => Ok(()),
        set => set.context("--low-priority: the operating system does not allow this priority"),
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() -> anyhow::Result<()> {
    let detail = "--low-priority works on Linux only; start the command with `nice` instead";
    Err(super::failure::misuse(detail))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::{fs, thread};

    use super::*;

    /// Returns the niceness of the calling thread, if the system provides it.
    fn nice() -> Option<i32> {
        let stat = fs::read_to_string("/proc/thread-self/stat").ok()?;
        // The thread's name, in parentheses, may contain spaces. So fields are counted after it:
        // the first one is field 3, and the niceness is field 19.
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').nth(16)?.parse().ok()
    }

    #[test]
    fn later_threads_inherit_the_low_priority() {
        let nice_with = |low_priority| {
            let parent = thread::spawn(move || {
                PriorityFlag { low_priority }.apply().unwrap();
                thread::spawn(nice).join().unwrap()
            });
            parent.join().unwrap()
        };
        let own = nice();
        assert!(own.is_some());
        assert_eq!(nice_with(true), own.max(Some(10)));
        assert_eq!(nice_with(false), own);
    }
}

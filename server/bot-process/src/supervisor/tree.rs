//! Reads a process's descendants from `/proc`.

use std::{
    io,
    thread::sleep,
    time::{Duration, Instant},
};

use procfs::process::Process;
use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, kill_process, wait},
};

/// Interval between two scans for remaining processes.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Time limit for killed processes to end. A process that changed its user, or that a broken disk
/// blocks, cannot be killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of reaping child processes.
pub(super) enum Reaped {
    /// The bot was reaped, with this wait status. Other processes might also have been reaped.
    Bot(i32),
    /// The bot was not reaped. Other processes might have been reaped.
    Others,
    /// No child processes remain.
    All,
}

/// Reaps the children that have ended. Stops after reaping the bot.
pub(super) fn reap(bot: i32) -> io::Result<Reaped> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((process, status))) if process.as_raw_pid() == bot => {
                return Ok(Reaped::Bot(status.as_raw()));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Ok(Reaped::Others),
            Err(Errno::CHILD) => return Ok(Reaped::All),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Kills all descendants of this process and waits until all have ended. This process adopts
/// orphaned descendants.
///
/// # Errors
/// Returns an error if some descendants cannot be killed.
pub(super) fn kill_tree() -> io::Result<()> {
    let until = Instant::now() + KILL_TIMEOUT;
    while Instant::now() < until {
        let this = Process::myself().map_err(io::Error::other)?;
        let mut to_kill = children(&this);
        while let Some(number) = to_kill.pop() {
            if let Ok(process) = Process::new(number) {
                to_kill.extend(children(&process));
            }
            if let Some(process) = Pid::from_raw(number) {
                // The call fails if the process has already ended.
                let _ = kill_process(process, Signal::KILL);
            }
        }
        // No process has the id 0.
        if let Reaped::All = reap(0)? {
            return Ok(());
        }
        sleep(POLL_INTERVAL);
    }
    let problem = "some processes of the bot cannot be killed";
    Err(io::Error::new(io::ErrorKind::TimedOut, problem))
}

/// Returns a process's children that have not ended.
pub(crate) fn children(process: &Process) -> Vec<i32> {
    let tasks = process.tasks().into_iter().flatten().flatten();
    let children = tasks.flat_map(|task| task.children().unwrap_or_default());
    children.filter_map(|child| i32::try_from(child).ok()).collect()
}

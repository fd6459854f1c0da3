//! `--low-priority`: gives bots a low CPU priority. House bots then do not slow down matches or
//! other bots on the same machine.

use clap::Args;

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
    /// The operating system does not support or allow a lower priority.
    pub(super) fn apply(&self) -> anyhow::Result<()> {
        if self.low_priority {
            lower()?;
        }
        Ok(())
    }
}

/// Sets the niceness to 10, the default for the `nice` command. The process gets about a tenth of a
/// normal process's CPU share on the same core. With a smaller share, a bot might not answer in
/// time.
#[cfg(target_os = "linux")]
fn lower() -> anyhow::Result<()> {
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
fn lower() -> anyhow::Result<()> {
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
        // The name of the thread, in parentheses, may contain spaces, so fields are counted after
        // it: the first one is field 3, and niceness is field 19.
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

//! `--low-priority`: bots that take of the processor what others leave, so that house bots hold up
//! neither matches nor the bots of others on the same machine.

use clap::Args;

#[derive(Args)]
pub(super) struct PriorityFlag {
    /// Run with low priority, as house bots of a ladder do: others on this machine come first
    #[arg(long)]
    low_priority: bool,
}

impl PriorityFlag {
    /// Takes it on if it is asked for, for all threads and processes that start after this.
    ///
    /// # Errors
    /// When the system does not give it.
    pub(super) fn take_on(&self) -> anyhow::Result<()> {
        if self.low_priority {
            lower()?;
        }
        Ok(())
    }
}

/// As `nice` does it without a number: a tenth of the share of an ordinary process where both want
/// the same core. Less would leave a bot no time to answer in.
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
        // It has less already.
        Err(Errno(EACCES)) => Ok(()),
        set => set.context("--low-priority: the system refuses it"),
    }
}

#[cfg(not(target_os = "linux"))]
fn lower() -> anyhow::Result<()> {
    let detail = "--low-priority is for Linux; elsewhere start the command with `nice`";
    Err(super::failure::misuse(detail))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::{fs, thread};

    use super::*;

    /// How nice the calling thread is, if the system tells.
    fn nice() -> Option<i32> {
        let told = fs::read_to_string("/proc/thread-self/stat").ok()?;
        // The name of the thread, in brackets, may have spaces. The 19th field is meant, and the
        // 3rd comes next.
        let (_, fields) = told.rsplit_once(") ")?;
        fields.split(' ').nth(16)?.parse().ok()
    }

    #[test]
    fn low_priority_is_taken_on_for_all_that_starts_after_it() {
        let begun = |low_priority| {
            let taken = thread::spawn(move || {
                PriorityFlag { low_priority }.take_on().unwrap();
                thread::spawn(nice).join().unwrap()
            });
            taken.join().unwrap()
        };
        let own = nice();
        assert!(own.is_some());
        assert_eq!(begun(true), own.max(Some(10)));
        assert_eq!(begun(false), own);
    }
}

//! What the processes of a bot use, as the kernel tells: memory and processor time of the process
//! and of all that it started.

use std::{collections::BTreeMap, time::Duration};

use procfs::process::{Process, Stat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::{
    signal::unix::{self, SignalKind},
    time::timeout,
};

use crate::usage::UsageSoFar;

/// Time between the first two looks: some bots end after a few of these.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The pause doubles up to this: it misses little, and a look at a bot of ten threads takes a
/// thousandth of it.
const LONGEST_PAUSE: Duration = Duration::from_millis(160);

/// Looks at a process and all that it has started, until it ends.
#[derive(Debug)]
pub(crate) struct Watch {
    root: Pid,
    /// Tells when some child of ours has ended.
    ends: unix::Signal,
    /// The processes that were seen at the last look, with the time of their start: a number may
    /// be given to another process later.
    known: BTreeMap<i32, u64>,
    pause: Duration,
    so_far: UsageSoFar,
    limit_bytes: Option<u64>,
    /// Whether they held more than the limit at the last look.
    was_over: bool,
    /// Whether they were killed for it.
    pub(crate) has_killed: bool,
    has_ended: bool,
}

/// What processes use at a look.
#[derive(Debug, Default)]
struct Sample {
    /// Memory that they hold, in bytes; a page that several of them share counts for each.
    held_bytes: u64,
    /// The part of it that is no file's.
    own_bytes: u64,
    /// The most that one of them has ever held, in bytes.
    most_of_one_bytes: u64,
    /// Processor time of them, and of their children that have ended, in the kernel's ticks.
    ticks: u64,
}

impl Watch {
    /// Watches a process that leads a group and was not waited for. `None` where the system does
    /// not tell of the end of processes.
    pub(crate) fn of(process: u32, limit_bytes: Option<u64>) -> Option<Self> {
        let root = Pid::from_raw(i32::try_from(process).ok()?)?;
        Some(Self {
            root,
            ends: unix::signal(SignalKind::child()).ok()?,
            known: BTreeMap::new(),
            pause: FIRST_PAUSE,
            so_far: UsageSoFar::default(),
            limit_bytes,
            was_over: false,
            has_killed: false,
            has_ended: false,
        })
    }

    pub(crate) fn so_far(&self) -> UsageSoFar {
        self.so_far.clone()
    }

    /// Waits for the end of the process, which must not be waited for elsewhere before: until then
    /// the kernel keeps what it has used. May be dropped and called again.
    pub(crate) async fn until_ended(&mut self) {
        while !self.has_ended {
            self.has_ended = self.is_gone();
            self.look();
            if !self.has_ended {
                // Another child may have ended, or none.
                let _ = timeout(self.pause, self.ends.recv()).await;
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Whether the process has ended, and leaves it to be waited for.
    fn is_gone(&self) -> bool {
        let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.root), only_look), Ok(None))
    }

    /// Takes a sample, and kills the processes when they held more than they may at two looks: one
    /// that is just starting another may be counted twice.
    fn look(&mut self) {
        let sample = self.sample();
        let is_over = self
            .limit_bytes
            .is_some_and(|limit| sample.own_bytes > limit);
        if is_over && self.was_over && !self.has_ended {
            self.has_killed = true;
            // What is gone need not be killed.
            let _ = kill_process_group(self.root, Signal::KILL);
        }
        if is_over {
            self.pause = FIRST_PAUSE;
        }
        self.was_over = is_over;
        let peak_bytes = sample.held_bytes.max(sample.most_of_one_bytes);
        let cpu_time = Duration::from_secs(sample.ticks) / ticks_per_second();
        self.so_far.note(peak_bytes, cpu_time);
    }

    fn sample(&mut self) -> Sample {
        let mut sample = Sample::default();
        let mut seen = BTreeMap::new();
        // Those of the last look too: who lost its parent is nobody's child here any more.
        let mut to_see: Vec<i32> = self.known.keys().copied().collect();
        to_see.push(self.root.as_raw_nonzero().get());
        while let Some(number) = to_see.pop() {
            if seen.contains_key(&number) {
                continue;
            }
            let Some((process, stat)) = process(number) else {
                continue;
            };
            let known = self.known.get(&number);
            if known.is_some_and(|start| *start != stat.starttime) {
                continue;
            }
            seen.insert(number, stat.starttime);
            to_see.extend(children(&process));
            sample.add(&process, &stat);
        }
        self.known = seen;
        sample
    }
}

impl Sample {
    fn add(&mut self, process: &Process, stat: &Stat) {
        let of_children = stat
            .cutime
            .saturating_add(stat.cstime)
            .max(0)
            .cast_unsigned();
        self.ticks += stat.utime + stat.stime + of_children;
        // One that has ended, and was not waited for, holds no memory.
        let Ok(status) = process.status() else { return };
        let bytes = |kib: Option<u64>| kib.unwrap_or(0).saturating_mul(1024);
        self.held_bytes += bytes(status.vmrss);
        self.own_bytes += bytes(status.rssanon) + bytes(status.rssshmem);
        self.most_of_one_bytes = self.most_of_one_bytes.max(bytes(status.vmhwm));
    }
}

fn process(number: i32) -> Option<(Process, Stat)> {
    let process = Process::new(number).ok()?;
    let stat = process.stat().ok()?;
    Some((process, stat))
}

/// The processes that a process has started and that have not ended.
fn children(process: &Process) -> Vec<i32> {
    let tasks = process.tasks().into_iter().flatten().flatten();
    let children = tasks.flat_map(|task| task.children().unwrap_or_default());
    children
        .filter_map(|child| i32::try_from(child).ok())
        .collect()
}

fn ticks_per_second() -> u32 {
    u32::try_from(procfs::ticks_per_second())
        .unwrap_or(u32::MAX)
        .max(1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::BotCommand;

    /// Holds so much in a process of its own, until it is killed.
    fn hoarder(bytes: usize) -> BotCommand {
        let script = format!("head -c {bytes} /dev/zero | tail -c {bytes} | sleep 600");
        BotCommand::new("sh").with(["-c", &script]).in_own_group()
    }

    #[tokio::test]
    async fn what_a_bot_has_started_is_measured_with_it() {
        let mut process = hoarder(60_000_000)
            .measured(None)
            .start("http://127.0.0.1:1", "none")
            .unwrap();
        let used = process.usage();
        let has_all = async {
            while used.get().peak_memory_bytes < Some(60_000_000) {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            () = has_all => {}
            ended = process.ended() => panic!("{ended:?}"),
        }
        // Such a loop in a shell takes longer than the kernel's unit of time.
        let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exit 3";
        let mut process = BotCommand::new("sh")
            .with(["-c", script])
            .in_own_group()
            .measured(None)
            .start("http://127.0.0.1:1", "none")
            .unwrap();
        let used = process.usage();
        assert_eq!(process.ended().await.unwrap().code(), Some(3));
        assert!(
            used.get().cpu_time > Some(std::time::Duration::ZERO),
            "{used:?}"
        );
    }

    #[tokio::test]
    async fn processes_that_hold_too_much_together_are_killed() {
        let mut process = hoarder(60_000_000)
            .measured(Some(20_000_000))
            .start("http://127.0.0.1:1", "none")
            .unwrap();
        let status = process.ended().await.unwrap();
        assert!(!status.success());
        assert!(process.ran_out_of_memory(status, ""));
    }
}
